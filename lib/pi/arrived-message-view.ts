/**
 * A message of another session on the screen: one line folded, who and the whole text expanded.
 */

import { instanceRef } from "../peers/published-peer.ts";
import { printableLine, printableLines } from "../projection/printable.ts";
import { type ArrivedDetails, arrivedDetailsSchema } from "./arrived-message.ts";
import { type ScreenLine, ScreenLines } from "./foreign-text.ts";
import type { Styles } from "./styles.ts";

const NAME_CODE_POINTS = 60;
const SUMMARY_CODE_POINTS = 200;
const PLACE_CODE_POINTS = 200;
/** UTF-16 units of a text that the screen shows; the log has the rest. A screen is drawn anew with every key. */
const SHOWN_UNITS = 16_384;

/** The message renderer; undefined, pi's own rendering, for what is no message of this package. */
export function renderArrivedMessage(
	message: { readonly content: unknown; readonly details?: unknown },
	{ expanded }: { readonly expanded: boolean },
	styles: Styles,
): ScreenLines | undefined {
	const details = arrivedDetailsSchema.safeParse(message.details);
	if (!details.success || typeof message.content !== "string") return undefined;
	return new ScreenLines(arrivedMessageLines(message.content, details.data, expanded, styles));
}

/** The lines of one message. */
export function arrivedMessageLines(
	content: string,
	details: ArrivedDetails,
	expanded: boolean,
	styles: Styles,
): ScreenLine[] {
	const { sender, summary, textStart } = details;
	const name = styles.bold(`@${printableLine(sender.name, NAME_CODE_POINTS)}`);
	const about = printableLine(summary, SUMMARY_CODE_POINTS);
	const folded: ScreenLine = { text: `${styles.fg("accent", "›")} Message from ${name}: ${about}`, fit: "cut" };
	if (!expanded) return [folded];
	const text = content.slice(textStart);
	const lines = printableLines(text.slice(0, SHOWN_UNITS)).map(
		(line): ScreenLine => ({ text: line, fit: "wrap", indent: 2 }),
	);
	return [
		folded,
		{ text: styles.fg("muted", placeOf(details)), fit: "cut", indent: 2 },
		...lines,
		...restOf(text, styles),
	];
}

function placeOf({ sender }: ArrivedDetails): string {
	const facts = [`[${instanceRef(sender.instanceId)}]`, `session ${sender.sessionId}`, sender.cwd];
	return facts.map((fact) => printableLine(fact, PLACE_CODE_POINTS)).join(" · ");
}

function restOf(text: string, styles: Styles): ScreenLine[] {
	if (text.length <= SHOWN_UNITS) return [];
	return [{ text: styles.fg("dim", `… ${text.length - SHOWN_UNITS} more characters`), fit: "cut", indent: 2 }];
}
