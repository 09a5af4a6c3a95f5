/**
 * A peer context on the screen: one line folded, the messages and the activity expanded.
 *
 * Everything in it was written by another session, so everything passes through the printable forms.
 */
import type { PeerContext, PeerContextMessage } from "../contract/peer-context.ts";
import { printableLine, printableLines } from "../projection/printable.ts";
import { type CutLine, countOf, EMPTY_LINE, formatAge, type ScreenLine } from "./foreign-text.ts";
import type { Styles } from "./styles.ts";

const NAME_CODE_POINTS = 200;
const TOOL_NAME_CODE_POINTS = 64;
const TEXT_INDENT = 2;

/** The lines of one context. `now`: epoch milliseconds, for the age of what is shown. */
export function peerContextLines(context: PeerContext, expanded: boolean, styles: Styles, now: number): ScreenLine[] {
	const summary = summaryLine(context, styles, now);
	if (!expanded) return [summary];
	return [summary, ...conversationLines(context, styles, now), ...activityLines(context, styles, now)];
}

/** The name gives way to the facts: they are what the line is for. */
function summaryLine(context: PeerContext, styles: Styles, now: number): CutLine {
	const name = printableLine(context.target.title ?? context.target.sessionId, NAME_CODE_POINTS);
	const facts = [context.runtimeStatus, ...conversationFacts(context), ...activityFacts(context), ageOf(context, now)];
	const tail = ["", ...facts.filter((fact) => fact !== "")].join(" · ");
	return {
		fit: "cut",
		parts: [{ text: name, style: (text) => styles.bold(text) }],
		tail: { text: tail, style: (text) => styles.fg("muted", text) },
	};
}

function conversationFacts({ conversation }: PeerContext): string[] {
	if (!conversation) return [];
	const { returnedMessages, eligibleMessages, withheldMessages = 0 } = conversation.retention;
	const withheld = withheldMessages > 0 ? `${withheldMessages} withheld` : "";
	return [`${returnedMessages}/${countOf(eligibleMessages, "message")}`, withheld];
}

function activityFacts({ activity }: PeerContext): string[] {
	if (!activity || activity.turn.state === "unknown") return [];
	const { number, state, endReason } = activity.turn;
	return [`turn ${number ?? "?"} ${endReason ?? state}`];
}

/** Age of the newest thing that is shown; of the capture when nothing is. */
function ageOf(context: PeerContext, now: number): string {
	const times = [...(context.conversation?.messages ?? []), ...(context.activity?.tools ?? [])].map(({ time }) => time);
	const newest = Math.max(...times.filter((time) => time !== null), Number.NEGATIVE_INFINITY);
	return Number.isFinite(newest) ? formatAge(now - newest) : "";
}

function conversationLines({ conversation }: PeerContext, styles: Styles, now: number): ScreenLine[] {
	if (!conversation) return [];
	const { omittedMessages } = conversation.retention;
	const note = `… ${countOf(omittedMessages, "earlier message")} not shown`;
	const omitted: CutLine = { fit: "cut", parts: [{ text: note, style: (text) => styles.fg("dim", text) }] };
	return [
		...(omittedMessages > 0 ? [omitted] : []),
		...conversation.messages.flatMap((message) => messageLines(message, styles, now)),
	];
}

/** The speaker is at the left edge, where no text of a message can ever stand. */
function messageLines(message: PeerContextMessage, styles: Styles, now: number): ScreenLine[] {
	const lines = printableLines(message.text).map((text): ScreenLine => ({ fit: "wrap", text, indent: TEXT_INDENT }));
	return [EMPTY_LINE, headingLine(speakerOf(message), message.time, styles, now), ...lines];
}

function headingLine(heading: string, time: number | null, styles: Styles, now: number): CutLine {
	const age = time === null ? "" : ` · ${formatAge(now - time)}`;
	return {
		fit: "cut",
		parts: [{ text: heading, style: (text) => styles.fg("accent", text) }],
		tail: { text: age, style: (text) => styles.fg("muted", text) },
	};
}

function speakerOf(message: PeerContextMessage): string {
	if (message.checkpoint) return message.by === "extension" ? "checkpoint by an extension" : "checkpoint";
	if (message.role === "assistant") return "assistant";
	return message.attested ? "user" : "user (not attested)";
}

function activityLines({ activity }: PeerContext, styles: Styles, now: number): ScreenLine[] {
	if (!activity || activity.tools.length === 0) return [];
	const tools = activity.tools.map(({ name, status, time }): CutLine => {
		const facts = [status, ...(time === null ? [] : [formatAge(now - time)])];
		return {
			fit: "cut",
			indent: TEXT_INDENT,
			parts: [{ text: printableLine(name, TOOL_NAME_CODE_POINTS) }],
			tail: { text: ["", ...facts].join(" · "), style: (text) => styles.fg("muted", text) },
		};
	});
	return [EMPTY_LINE, headingLine("tool calls", null, styles, now), ...tools];
}
