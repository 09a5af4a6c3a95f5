/**
 * Foreign names and titles as one printable line.
 *
 * This file promises a line that cannot move a cursor, reorder what stands beside it, or break into two: no control,
 * format or separator characters are left, and no lone surrogates. Work is linear in the text.
 */

/**
 * Whole terminal sequences: operating system commands, then control sequences, in their 7-bit and 8-bit spelling.
 * No part of the pattern can run over the start of another sequence, so that unfinished ones cost no second look.
 */
const TERMINAL_SEQUENCES =
	// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go.
	/(?:\u001b\]|\u009d)[^\u0007\u001b\u009c\u009d]*(?:\u0007|\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/gu;

/** Invisible characters without width, bidirectional overrides and isolates among them. */
const FORMAT_CHARACTERS = /\p{Cf}+/gu;

/** Marks that a terminal draws over their base; more than a script ever needs are drawn over the lines around it. */
const MARK_FLOODS = /(\p{M}{4})\p{M}+/gu;

/** Controls (a stray escape among them) and everything that separates words or lines. */
const GAPS = /[\p{Cc}\p{Z}]+/gu;

/**
 * The text as one printable line of at most `maxCodePoints` code points; empty when nothing printable is in it.
 *
 * Terminal sequences and format characters vanish; controls, separators and runs of spaces become one space.
 */
export function printableLine(text: string, maxCodePoints: number): string {
	const line = text
		.toWellFormed()
		.replace(TERMINAL_SEQUENCES, "")
		.replace(FORMAT_CHARACTERS, "")
		.replace(MARK_FLOODS, "$1")
		.replace(GAPS, " ")
		.trim();
	return firstCodePoints(line, maxCodePoints).trimEnd();
}

/** Code points of a session's title. */
const TITLE_CODE_POINTS = 200;

/** A session's title as one printable line; null when it has none, or nothing printable is in it. */
export function printableTitle(title: string | null): string | null {
	return printableLine(title ?? "", TITLE_CODE_POINTS) || null;
}

function firstCodePoints(text: string, count: number): string {
	if (text.length <= count) return text;
	let index = 0;
	for (let taken = 0; taken < count && index < text.length; taken += 1) {
		index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
	}
	return text.slice(0, index);
}

/** What no line may hold that is shown as it stands. Joiners may: scripts and emoji are written with them. */
const UNPRINTABLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Whether nothing in the text moves a cursor, breaks the line, or reorders or hides what is in it. */
export function isPrintableLine(text: string): boolean {
	return !UNPRINTABLE.test(text);
}

const LINE_BREAKS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u;

/** Controls without a width of their own. */
const CONTROLS = /\p{Cc}+/gu;

/** A text's lines, each printable by itself. Spaces stay as they are, so that code keeps its shape. */
export function printableLines(text: string): string[] {
	return text
		.toWellFormed()
		.replace(TERMINAL_SEQUENCES, "")
		.replace(FORMAT_CHARACTERS, "")
		.replace(MARK_FLOODS, "$1")
		.split(LINE_BREAKS)
		.map((line) => line.replaceAll("\t", "    ").replace(CONTROLS, " "));
}
