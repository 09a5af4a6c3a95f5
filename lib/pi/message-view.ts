/**
 * How pi asks for the view of a custom message, and where the view stands.
 */
import { type ScreenLine, ScreenLines } from "./foreign-text.ts";

/** Columns that pi leaves free at the left, where it doesn't say how many. */
const USUAL_PAD = 1;

export interface MessageViewOptions {
	readonly expanded: boolean;
	/** Columns to leave free at the left; older versions of pi don't say. */
	readonly outputPad?: number;
}

/** A view of these lines, as far from the edge as pi's own texts. */
export function toMessageView(
	lines: readonly ScreenLine[],
	{ outputPad = USUAL_PAD }: MessageViewOptions,
): ScreenLines {
	return new ScreenLines(lines.map((line) => ({ ...line, indent: outputPad + (line.indent ?? 0) })));
}
