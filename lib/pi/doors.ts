/**
 * What one incarnation opens to others inside pi: to the model its tools, to the person the completion of peers; and what
 * it answers to extensions, for whoever runs their RPC.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { listRecentSessions } from "../sessions/recent-sessions.ts";
import { CurrentBus } from "./current-bus.ts";
import { RPC_FLAG, TOOL_FLAG } from "./flags.ts";
import type { HostParts } from "./incarnation.ts";
import { createListTool } from "./list-tool.ts";
import { createCheckTool, createSendTool } from "./message-tools.ts";
import { PeerCompletion } from "./peer-completion.ts";
import { createPeerContextTool } from "./peer-context-tool.ts";
import { SessionCompletion } from "./references/session-completion.ts";

type Flags = Pick<ExtensionAPI, "getFlag">;

/** Whether extensions may ask. A flag given on the command line wins over the configuration; it can only switch on. */
export function isRpcOn(pi: Flags, { config }: HostParts): boolean {
	return config.rpc || pi.getFlag(RPC_FLAG) === true;
}

/** What extensions are answered, and where. */
export function rpcAnswers(pi: Pick<ExtensionAPI, "events">, parts: HostParts) {
	const { config, context, presence, delivery, reader, sessions, caller } = parts;
	const { sessionId, instanceId, budget, inbox, outbox, directory } = presence;
	return {
		bus: new CurrentBus(pi.events, () => context.sessionManager),
		local: { sessionId, instanceId },
		contextRequests: config.contextRequests,
		readPeerContext: reader.read.bind(reader),
		messaging: {
			messages: outbox,
			listing: {
				listPeers: (signal: AbortSignal) => directory.list(caller.cwd, signal),
				listRecent: (signal: AbortSignal) => listRecentSessions(sessions, caller, signal),
			},
			standing: () => ({
				stopped: delivery.stopped !== null,
				remainingBudget: budget.remaining,
				states: inbox.states.list(),
			}),
			sendRequests: config.sendRequests,
		},
	};
}

/** Gives the model the tools that are on. */
export function registerTools(pi: Flags & Pick<ExtensionAPI, "registerTool">, parts: HostParts): void {
	const { config, presence, reader } = parts;
	pi.registerTool(createListTool(parts));
	pi.registerTool(createSendTool(presence.outbox));
	pi.registerTool(createCheckTool(presence.outbox));
	if (config.tool || pi.getFlag(TOOL_FLAG) === true) pi.registerTool(createPeerContextTool(reader));
}

/** Completes sessions to cite. They stand among what pi itself offers; live peers, which are few, above all of it. */
export function completeSessions({ context, offers, caller, fence }: HostParts): void {
	if (context.mode !== "tui") return;
	const listCandidates = (search: string, signal: AbortSignal) =>
		offers.listCandidates(caller, search, undefined, signal);
	context.ui.addAutocompleteProvider((others) => new SessionCompletion(others, { listCandidates, fence }));
}

/** Completes live peers. Only a terminal has an editor, and pi drops what was added to it with the session. */
export function completePeers({ context, presence, fence }: HostParts): void {
	if (context.mode !== "tui") return;
	const readPeers = () => presence.directory.live(fence);
	context.ui.addAutocompleteProvider((others) => new PeerCompletion(others, { readPeers, fence }));
}
