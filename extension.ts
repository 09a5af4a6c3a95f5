/**
 * The extension: wires the rooms in lib/ to pi's events. No logic lives here.
 */
import { type ExtensionAPI, getAgentDir } from "@earendil-works/pi-coding-agent";
import { ARRIVED_MESSAGE } from "./lib/pi/arrived-message.ts";
import { renderArrivedMessage } from "./lib/pi/arrived-message-view.ts";
import { completePeers, completeSessions, isRpcOn, registerTools, rpcAnswers } from "./lib/pi/doors.ts";
import { registerFlags } from "./lib/pi/flags.ts";
import { HostSession } from "./lib/pi/host-session.ts";
import type { HostParts } from "./lib/pi/incarnation.ts";
import { registerPeerCommands } from "./lib/pi/peer-commands.ts";
import { registerPrivateCommand } from "./lib/pi/private-command.ts";
import { registerReferences } from "./lib/pi/references/register-references.ts";
import { startResponders } from "./lib/rpc/responders.ts";
import { SessionRecords } from "./lib/sessions/session-records.ts";

export default function crossSession(pi: ExtensionAPI): void {
	const host = new HostSession({ pi, openDoors: (parts) => openDoors(pi, parts) });

	registerFlags(pi);
	registerPeerCommands(pi, host);
	registerPrivateCommand(pi, () => new SessionRecords(getAgentDir()));
	pi.registerMessageRenderer(ARRIVED_MESSAGE, renderArrivedMessage);
	registerReferences(pi, host);

	pi.on("session_start", (_event, context) => host.start(context));
	pi.on("session_shutdown", () => host.stop());

	pi.on("agent_start", () => host.observe("agent_start"));
	pi.on("agent_settled", () => host.observe("agent_settled"));
	pi.on("session_before_compact", () => host.observe("session_before_compact"));
	pi.on("session_compact", () => host.observe("session_compact"));
	pi.on("session_compact_failed", () => host.observe("session_compact_failed"));
	pi.on("session_info_changed", () => host.refresh());
}

/** The last step of a start: what others use of the incarnation. The tools come last, since pi can't take them back. */
export function openDoors(pi: ExtensionAPI, parts: HostParts): void {
	if (isRpcOn(pi, parts)) parts.releases.add(startResponders({ bus: pi.events, ...rpcAnswers(parts) }));
	completeSessions(parts);
	completePeers(parts);
	registerTools(pi, parts);
}
