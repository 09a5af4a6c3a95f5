/**
 * What may stand in one line that other people's terminals show.
 *
 * Promise: a printable line holds no control character, no line break, no half of a surrogate pair and no invisible
 * formatting that reorders or hides text. Joiners are kept, since scripts and emoji need them.
 */

const unprintable = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const unprintableRuns = /(?:(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|\s)+/gu;

/** Whether `text` may be shown as it is in one line. */
export function isPrintableLine(text: string): boolean {
	return !unprintable.test(text);
}

/** `text` as one printable line of at most `maxCodePoints`; empty when nothing printable is left. */
export function toPrintableLine(text: string, maxCodePoints: number): string {
	// Four units cover every code point plus a run to collapse; the rest of a long text is never looked at.
	const line = text
		.slice(0, maxCodePoints * 4)
		.replace(unprintableRuns, " ")
		.trim();
	return [...line].slice(0, maxCodePoints).join("").trim();
}
