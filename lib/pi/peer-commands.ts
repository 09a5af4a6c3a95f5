/**
 * What a person can ask and decide about other sessions: `/peers` and `/list-pi`, `/cross-session-status`,
 * `/cross-session-inbound`.
 */
import type { ExtensionAPI, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import type { CancelCause } from "../authority/turn-events.ts";
import { BUDGET_UNITS } from "../inbox/budget.ts";
import type { InboundMode } from "../inbox/inbox.ts";
import type { MessageRecord } from "../inbox/message-states.ts";
import { instanceRef } from "../peers/published-peer.ts";
import { completeChoice } from "./command-choice.ts";
import { INBOUND_FLAG, INBOUND_MODES, parseInboundMode } from "./flags.ts";
import { formatAge } from "./foreign-text.ts";
import type { HostParts } from "./incarnation.ts";
import { type CommandHost, overIncarnation } from "./incarnation-command.ts";
import { showInStatusLine, stoppedText } from "./latch-notice.ts";
import { listingLines, listPeers } from "./peer-listing.ts";
import { openPicker } from "./picker/open-picker.ts";
import { tellPerson } from "./tell-person.ts";

const INBOUND_COMMAND = INBOUND_FLAG;
const STATUS_COMMAND = "cross-session-status";

/** Messages that the status shows, the newest ones. */
const SHOWN_MESSAGES = 20;

const modeTexts: Readonly<Record<InboundMode, string>> = {
	accept: "Messages of other sessions are taken, and each starts a turn.",
	show: "Messages of other sessions are shown and kept for the model's next turn; none starts a turn.",
	refuse: "Messages of other sessions are refused. This session can still send.",
};

/** Registers the commands over the incarnation that is up when one is used. */
export function registerPeerCommands(pi: Pick<ExtensionAPI, "registerCommand">, host: CommandHost): void {
	pi.registerCommand("peers", { description: "Show other pi sessions", handler: overIncarnation(host, showPeers) });
	pi.registerCommand("list-pi", { description: "Show other pi sessions", handler: overIncarnation(host, showPeers) });
	pi.registerCommand(STATUS_COMMAND, {
		description: "Show what this session takes from others, its budget, and the messages that arrived",
		handler: overIncarnation(host, showStatus),
	});
	pi.registerCommand(INBOUND_COMMAND, {
		description: "What happens with messages of other sessions (accept|show|refuse)",
		getArgumentCompletions: (prefix) => completeChoice(INBOUND_MODES, prefix),
		handler: overIncarnation(host, chooseMode),
	});
}

/** A picker on a terminal, elsewhere a text. */
async function showPeers(context: ExtensionCommandContext, parts: HostParts): Promise<void> {
	if (context.mode === "tui") {
		await openPicker(context, parts);
		return;
	}
	try {
		const listing = await listPeers(parts, { recent: true }, parts.fence);
		const isPrivate = (sessionId: string) => parts.records.read(sessionId).private;
		tellPerson(context, listingLines(listing, Date.now(), isPrivate).join("\n"), "info");
	} catch {
		if (parts.fence.aborted) return;
		tellPerson(context, "The sessions could not be listed. Try again.", "error");
	}
}

function showStatus(context: ExtensionCommandContext, { presence, delivery }: HostParts): void {
	const { inbox, budget, instanceId } = presence;
	const messages = inbox.states.list().slice(-SHOWN_MESSAGES);
	const lines = [
		...stoppedLines(inbox.mode, delivery.stopped),
		`${modeTexts[inbox.mode]} (/${INBOUND_COMMAND} changes it.)`,
		`This session's ref is ${instanceRef(instanceId)}; ${budget.remaining} of ${BUDGET_UNITS} messages are left.`,
		...(delivery.waiting === 0 ? [] : [waitingText(delivery.waiting)]),
		messages.length === 0 ? "No message has arrived." : "Messages that arrived, the newest last:",
		...messages.map((message) => `  ${messageText(message, Date.now())}`),
	];
	tellPerson(context, lines.join("\n"), "info");
}

/** That messages are stopped, where the person lets any in. */
function stoppedLines(mode: InboundMode, cause: CancelCause | null): readonly string[] {
	return mode === "refuse" || cause === null ? [] : [stoppedText(cause)];
}

function waitingText(count: number): string {
	return `${count} ${count === 1 ? "waits" : "wait"} for the end of the present turn.`;
}

function messageText({ source, messageId, state, updatedAt, diagnostic }: MessageRecord, now: number): string {
	const facts = [state, formatAge(now - updatedAt), `from [${instanceRef(source)}]`, messageId, diagnostic ?? ""];
	return facts.filter((fact) => fact !== "").join(" · ");
}

async function chooseMode(context: ExtensionCommandContext, parts: HostParts, argument: string): Promise<void> {
	const { presence, delivery } = parts;
	const word = argument.trim().toLowerCase();
	if (word === "") {
		tellPerson(context, modeTexts[presence.inbox.mode], "info");
		return;
	}
	const mode = parseInboundMode(word);
	if (mode === undefined) {
		tellPerson(context, `Nothing was changed. Use /${INBOUND_COMMAND} accept, show or refuse.`, "warning");
		return;
	}
	await presence.setMode(mode);
	tellPerson(context, [modeTexts[mode], ...stoppedLines(mode, delivery.stopped)].join("\n"), "info");
	showInStatusLine(context, mode === "refuse" ? null : delivery.stopped);
}
