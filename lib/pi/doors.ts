/**
 * What one incarnation opens to others: to extensions the RPC, to the model its tools, to the person the completion of
 * peers. Everything that can be given back is.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { startResponders } from "../rpc/responders.ts";
import { RPC_FLAG, TOOL_FLAG } from "./flags.ts";
import type { HostParts } from "./incarnation.ts";
import { createListTool } from "./list-tool.ts";
import { createCheckTool, createSendTool } from "./message-tools.ts";
import { PeerCompletion } from "./peer-completion.ts";
import { createPeerContextTool } from "./peer-context-tool.ts";
import { SessionCompletion } from "./references/session-completion.ts";

/** Opens them. A flag given on the command line wins over the configuration; it can only switch on. */
export function openDoors(pi: Pick<ExtensionAPI, "events" | "getFlag" | "registerTool">, parts: HostParts): void {
	const { config, presence, reader } = parts;
	if (config.rpc || pi.getFlag(RPC_FLAG) === true) answerRequests(pi, parts);
	completeSessions(parts);
	completePeers(parts);
	pi.registerTool(createListTool(parts));
	pi.registerTool(createSendTool(presence.outbox));
	pi.registerTool(createCheckTool(presence.outbox));
	if (config.tool || pi.getFlag(TOOL_FLAG) === true) pi.registerTool(createPeerContextTool(reader));
}

function answerRequests(pi: Pick<ExtensionAPI, "events">, { config, presence, reader, releases }: HostParts): void {
	const { sessionId, instanceId, budget, inbox } = presence;
	const stop = startResponders({
		bus: pi.events,
		local: { sessionId, instanceId },
		readPeerContext: (question, signal) => reader.read(question, signal),
		contextRequests: config.contextRequests,
		readMessaging: () => ({
			remainingBudget: budget.remaining,
			states: inbox.states.list().map((record) => ({ ...record })),
		}),
	});
	releases.add(stop);
}

/** Sessions stand among what pi itself offers; live peers, which are few, above all of it. */
function completeSessions({ context, offers, caller, fence }: HostParts): void {
	if (context.mode !== "tui") return;
	const listCandidates = (search: string, limit: number, signal: AbortSignal) =>
		offers.listCandidates(caller, search, limit, signal);
	context.ui.addAutocompleteProvider((others) => new SessionCompletion(others, { listCandidates, fence }));
}

/** Only a terminal has an editor, and pi drops what was added to it with the session. */
function completePeers({ context, presence, fence }: HostParts): void {
	if (context.mode !== "tui") return;
	const readPeers = () => presence.directory.live(fence);
	context.ui.addAutocompleteProvider((others) => new PeerCompletion(others, { readPeers, fence }));
}
