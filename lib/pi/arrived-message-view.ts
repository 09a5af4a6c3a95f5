/**
 * A message of another session on the screen: one line folded, who and the whole text expanded.
 */
import { instanceRef } from "../peers/published-peer.ts";
import { printableLine, printableLines } from "../projection/printable.ts";
import { type ArrivedDetails, arrivedDetailsSchema } from "./arrived-message.ts";
import type { CutLine, ScreenLine, ScreenLines } from "./foreign-text.ts";
import { type MessageViewOptions, toMessageView } from "./message-view.ts";
import type { Styles } from "./styles.ts";

const NAME_CODE_POINTS = 60;
const SUMMARY_CODE_POINTS = 200;
const PLACE_CODE_POINTS = 200;
/** UTF-16 units of a text that the screen shows; the log has the rest. A screen is drawn anew with every key. */
const SHOWN_UNITS = 16_384;
const TEXT_INDENT = 2;

/** The message renderer; undefined, pi's own rendering, for what is no message of this package. */
export function renderArrivedMessage(
	message: { readonly content: unknown; readonly details?: unknown },
	options: MessageViewOptions,
	styles: Styles,
): ScreenLines | undefined {
	const details = arrivedDetailsSchema.safeParse(message.details);
	if (!details.success || typeof message.content !== "string") return undefined;
	return toMessageView(arrivedMessageLines(message.content, details.data, options.expanded, styles), options);
}

/** The lines of one message. */
function arrivedMessageLines(
	content: string,
	details: ArrivedDetails,
	expanded: boolean,
	styles: Styles,
): ScreenLine[] {
	const { sender, summary, textStart } = details;
	const folded: CutLine = {
		fit: "cut",
		parts: [
			{ text: "› ", style: (text) => styles.fg("accent", text) },
			{ text: "Message from " },
			{ text: `@${printableLine(sender.name, NAME_CODE_POINTS)}`, style: (text) => styles.bold(text) },
			{ text: `: ${printableLine(summary, SUMMARY_CODE_POINTS)}` },
		],
	};
	if (!expanded) return [folded];
	return [folded, placeLine(details, styles), ...textLines(content.slice(textStart), styles)];
}

function placeLine({ sender }: ArrivedDetails, styles: Styles): CutLine {
	const facts = [`[${instanceRef(sender.instanceId)}]`, `session ${sender.sessionId}`, sender.cwd];
	const text = facts.map((fact) => printableLine(fact, PLACE_CODE_POINTS)).join(" · ");
	return { fit: "cut", indent: TEXT_INDENT, parts: [{ text, style: (part) => styles.fg("muted", part) }] };
}

function textLines(text: string, styles: Styles): ScreenLine[] {
	const shown = printableLines(text.slice(0, SHOWN_UNITS));
	const lines = shown.map((line): ScreenLine => ({ fit: "wrap", text: line, indent: TEXT_INDENT }));
	if (text.length <= SHOWN_UNITS) return lines;
	const rest = `… ${text.length - SHOWN_UNITS} more characters`;
	return [
		...lines,
		{ fit: "cut", indent: TEXT_INDENT, parts: [{ text: rest, style: (part) => styles.fg("dim", part) }] },
	];
}
