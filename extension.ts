/**
 * The extension: wires the rooms in lib/ to pi's events. No logic lives here.
 */
import { type ExtensionAPI, getAgentDir } from "@earendil-works/pi-coding-agent";
import { systemClock } from "./lib/peers/clock.ts";
import { ARRIVED_MESSAGE } from "./lib/pi/arrived-message.ts";
import { renderArrivedMessage } from "./lib/pi/arrived-message-view.ts";
import { completePeers, completeSessions, isRpcOn, registerTools, rpcAnswers } from "./lib/pi/doors.ts";
import { registerFlags } from "./lib/pi/flags.ts";
import { HostSession } from "./lib/pi/host-session.ts";
import type { HostParts } from "./lib/pi/incarnation.ts";
import { registerPeerCommands } from "./lib/pi/peer-commands.ts";
import type { PiDelivery } from "./lib/pi/pi-delivery.ts";
import { registerPrivateCommand } from "./lib/pi/private-command.ts";
import { registerReferences } from "./lib/pi/references/register-references.ts";
import { registerResumeCommand } from "./lib/pi/resume-command.ts";
import { guardPrompts, watchTurns } from "./lib/pi/turn-events.ts";
import { AnnouncedDelivery } from "./lib/rpc/announced-delivery.ts";
import { CurrentAnnouncer } from "./lib/rpc/current-announcer.ts";
import { ReceivedAnnouncer } from "./lib/rpc/received-announcer.ts";
import { startResponders } from "./lib/rpc/responders.ts";
import { SessionRecords } from "./lib/sessions/session-records.ts";

export default function crossSession(pi: ExtensionAPI): void {
	const announcer = new CurrentAnnouncer();
	const host = new HostSession({
		pi,
		openDoors: (parts) => openDoors(pi, parts, announcer),
		wrapDelivery: (delivery) => announceBefore(delivery, announcer),
	});

	registerFlags(pi);
	registerPeerCommands(pi, host);
	registerResumeCommand(pi, host.turns);
	registerPrivateCommand(pi, () => new SessionRecords(getAgentDir()));
	pi.registerMessageRenderer(ARRIVED_MESSAGE, renderArrivedMessage);

	guardPrompts(pi, host.turns);
	registerReferences(pi, host, {
		ownPrompts: host.turns.resent,
		isTurnStarting: () => host.turns.isSubmissionStarting,
	});

	pi.on("session_start", (_event, context) => host.start(context));
	pi.on("session_shutdown", () => host.stop());
	pi.on("session_info_changed", () => host.refresh());

	watchTurns(pi, host.turns);
}

/** The last step of a start: what others use of the incarnation. The tools come last, since pi can't take them back. */
export function openDoors(pi: ExtensionAPI, parts: HostParts, announcer = new CurrentAnnouncer()): void {
	if (isRpcOn(pi, parts)) {
		const answers = rpcAnswers(pi, parts);
		parts.releases.add(startResponders(answers));
		parts.releases.add(announcer.use(new ReceivedAnnouncer(answers.bus, answers.local)));
	}
	completeSessions(parts);
	completePeers(parts);
	registerTools(pi, parts);
}

/** Messages meet the extensions that listen for them before they meet pi. */
function announceBefore(delivery: PiDelivery, announcer: CurrentAnnouncer): AnnouncedDelivery {
	return new AnnouncedDelivery({
		pi: delivery,
		announcer: () => announcer.current,
		isStopped: () => delivery.stopped !== null,
		clock: systemClock,
	});
}
