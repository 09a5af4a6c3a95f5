/**
 * The model's side of messages: the tools `send_pi_message` and `check_pi_message`.
 *
 * Each call makes one attempt and tells what is known of it, never more. A message that was not taken, or of which
 * nothing is known, is a failed call; its text is the same JSON.
 */
import { defineTool } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import * as z from "zod";
import { MAX_GIVEN_SUMMARY_UNITS, MAX_MESSAGE_TEXT_UNITS } from "../contract/limits.ts";
import { messageStateSchema, type Receipt, receiptSchema } from "../contract/message-outcomes.ts";
import type { PublicPeer } from "../contract/public-peer.ts";
import type { Outbox } from "../inbox/outbox.ts";
import { peerLabel } from "../peers/published-peer.ts";
import { printableLine } from "../projection/printable.ts";
import { tagSafeJson } from "../projection/serialization.ts";
import { errorLines, ScreenLines } from "./foreign-text.ts";
import type { Styles } from "./styles.ts";

export const SEND_TOOL = "send_pi_message";
const CHECK_TOOL = "check_pi_message";

const TARGET_CODE_POINTS = 60;
/** The longest name and its ref. */
const LABEL_CODE_POINTS = 211;

const SEND_DESCRIPTION = [
	"Send a plain text to another pi session on this machine; list_pi shows which there are. The receipt says what is known:",
	"submitted (handed to that session, not yet read), queued (waits in its memory), refused (it did not arrive), or",
	"receipt_unknown (it may have arrived: use check_pi_message, do not send it again). There is one attempt per call.",
	"An answer, if one comes, arrives later as a message.",
].join(" ");

const CHECK_DESCRIPTION = [
	"Ask another pi session what became of a message that you sent to it. unknown means that it does not remember the",
	"message, not that the message did not arrive.",
].join(" ");

const target = Type.String({
	description: "The other session: its name, session id, instance id, 6 or more first digits of that, or name [ref].",
});

const sendParameters = Type.Object({
	target,
	message: Type.String({ description: `The text, at most ${MAX_MESSAGE_TEXT_UNITS.toLocaleString("en")} characters.` }),
	summary: Type.Optional(
		Type.String({
			description: `One line that stands for the text, at most ${MAX_GIVEN_SUMMARY_UNITS} characters; its first line if left out.`,
		}),
	),
});

const checkParameters = Type.Object({
	target,
	messageId: Type.String({ description: "The messageId of the receipt." }),
});

/** What was sent, for the screen. */
const sentSchema = z.object({ receipt: receiptSchema, target: z.string().nullable() });
const checkedSchema = z.object({ messageId: z.string(), state: messageStateSchema, target: z.string().nullable() });

export function createSendTool(outbox: Pick<Outbox, "send">) {
	return defineTool({
		name: SEND_TOOL,
		label: "Send to pi session",
		description: SEND_DESCRIPTION,
		promptSnippet: "Send a message to another pi session on this machine",
		parameters: sendParameters,
		async execute(_toolCallId, { target, message, summary }, signal) {
			const { ok, receipt, peer, candidates } = await outbox.send({
				target,
				text: message,
				...(summary !== undefined && { summary }),
				...(signal && { signal }),
			});
			if (!ok) throw new Error(failureJson(receipt, peer, candidates));
			const value = { receipt, target: labelOf(peer) };
			return { content: [{ type: "text", text: tagSafeJson(value) }], details: value };
		},
		renderCall: (args, theme) => callLine("message to", args?.target, theme),
		renderResult(result, _options, theme) {
			const sent = sentSchema.safeParse(result.details);
			if (!sent.success) return errorLines(result.content, theme);
			return resultLine(sent.data.receipt.state, sent.data.target, theme);
		},
	});
}

export function createCheckTool(outbox: Pick<Outbox, "askState">) {
	return defineTool({
		name: CHECK_TOOL,
		label: "Check sent message",
		description: CHECK_DESCRIPTION,
		promptSnippet: "Ask another pi session what became of a message you sent",
		parameters: checkParameters,
		annotations: { readOnlyHint: true, openWorldHint: false },
		async execute(_toolCallId, { target, messageId }, signal) {
			const answer = await outbox.askState({ target, messageId, ...(signal && { signal }) });
			const { state, failure, peer, candidates } = answer;
			if (failure !== null) throw new Error(failureJson(failure, peer, candidates));
			const value = { messageId, state: state ?? "unknown", target: labelOf(peer) };
			return { content: [{ type: "text", text: tagSafeJson(value) }], details: value };
		},
		renderCall: (args, theme) => callLine("check message to", args?.target, theme),
		renderResult(result, _options, theme) {
			const checked = checkedSchema.safeParse(result.details);
			if (!checked.success) return errorLines(result.content, theme);
			return resultLine(checked.data.state, checked.data.target, theme);
		},
	});
}

function labelOf(peer: PublicPeer | null): string | null {
	return peer === null ? null : peerLabel(peer);
}

/** A receipt that brings no good news, with the names of the peers that an ambiguous target can mean. */
function failureJson(receipt: Receipt, peer: PublicPeer | null, candidates: readonly string[]): string {
	return tagSafeJson({ receipt, target: labelOf(peer), ...(candidates.length > 0 && { candidates }) });
}

function callLine(what: string, target: unknown, styles: Styles): ScreenLines {
	const name = printableLine(String(target ?? ""), TARGET_CODE_POINTS);
	const parts = [
		{ text: `${what} `, style: (text: string) => styles.bold(text) },
		{ text: name, style: (text: string) => styles.fg("accent", text) },
	];
	return new ScreenLines([{ fit: "cut", parts }]);
}

function resultLine(state: string, label: string | null, styles: Styles): ScreenLines {
	const facts = [state, label ?? ""].map((fact) => printableLine(fact, LABEL_CODE_POINTS));
	const text = facts.filter((fact) => fact !== "").join(" · ");
	return new ScreenLines([{ fit: "cut", parts: [{ text, style: (part) => styles.fg("muted", part) }] }]);
}
