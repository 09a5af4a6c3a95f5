/**
 * A peer context on the screen: one line folded, the messages and the activity expanded.
 *
 * Everything in it was written by another session, so everything passes through the printable forms.
 */
import type { PeerContext, PeerContextMessage } from "../contract/peer-context.ts";
import { printableLine, printableLines } from "../projection/printable.ts";
import { formatAge, type ScreenLine } from "./foreign-text.ts";
import type { Styles } from "./styles.ts";

const NAME_CODE_POINTS = 60;
const TOOL_NAME_CODE_POINTS = 64;

/** The lines of one context. `now`: epoch milliseconds, for the age of what is shown. */
export function peerContextLines(context: PeerContext, expanded: boolean, styles: Styles, now: number): ScreenLine[] {
	const summary: ScreenLine = { text: summaryText(context, styles, now), fit: "cut" };
	if (!expanded) return [summary];
	return [summary, ...conversationLines(context, styles), ...activityLines(context, styles, now)];
}

function summaryText(context: PeerContext, styles: Styles, now: number): string {
	const name = printableLine(context.target.title ?? context.target.sessionId, NAME_CODE_POINTS);
	const facts = [context.runtimeStatus, ...conversationFacts(context), ...activityFacts(context)];
	facts.push(ageOf(context, now));
	return `${styles.bold(name)} ${styles.fg("muted", facts.filter((fact) => fact !== "").join(" · "))}`;
}

function conversationFacts({ conversation }: PeerContext): string[] {
	if (!conversation) return [];
	const { returnedMessages, eligibleMessages, withheldMessages = 0 } = conversation.retention;
	const withheld = withheldMessages > 0 ? `${withheldMessages} withheld` : "";
	return [`${returnedMessages}/${eligibleMessages} messages`, withheld];
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

function conversationLines({ conversation }: PeerContext, styles: Styles): ScreenLine[] {
	if (!conversation) return [];
	const { omittedMessages } = conversation.retention;
	const omitted: ScreenLine[] =
		omittedMessages > 0 ? [{ text: styles.fg("dim", `… ${omittedMessages} earlier messages`), fit: "cut" }] : [];
	return [...omitted, ...conversation.messages.flatMap((message) => messageLines(message, styles))];
}

function messageLines(message: PeerContextMessage, styles: Styles): ScreenLine[] {
	const who = styles.fg("accent", speakerOf(message));
	const lines = printableLines(message.text).map((text): ScreenLine => ({ text, fit: "wrap", indent: 2 }));
	return [{ text: who, fit: "cut" }, ...lines];
}

function speakerOf(message: PeerContextMessage): string {
	if (message.checkpoint) return message.by === "extension" ? "checkpoint by an extension" : "checkpoint";
	if (message.role === "assistant") return "assistant";
	return message.attested ? "user" : "user (not attested)";
}

function activityLines({ activity }: PeerContext, styles: Styles, now: number): ScreenLine[] {
	if (!activity || activity.tools.length === 0) return [];
	const tools = activity.tools.map(({ name, status, time }): ScreenLine => {
		const age = time === null ? "" : ` ${formatAge(now - time)}`;
		const text = `${printableLine(name, TOOL_NAME_CODE_POINTS)} ${styles.fg("muted", `${status}${age}`)}`;
		return { text, fit: "cut", indent: 2 };
	});
	return [{ text: styles.fg("accent", "tool calls"), fit: "cut" }, ...tools];
}
