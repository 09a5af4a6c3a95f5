/**
 * Text in measured pieces: sizes in UTF-8, cuts to both ends, and the note that stands where something was left out.
 *
 * This file promises that every cut lies between code points, that no result holds a lone surrogate, and that
 * `bytes` of a text never changes: what was left out is always the difference, exactly. Work is linear in the text.
 */
import { Buffer } from "node:buffer";
import type { CapturedText } from "./events.ts";

/** What one code point costs in some measure, for example its UTF-8 bytes. A lone surrogate counts as U+FFFD. */
export type CodePointCost = (codePoint: number) => number;

/** UTF-8 bytes of a code point. */
export const utf8Cost: CodePointCost = (codePoint) =>
	codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;

/** UTF-8 size of a text; a lone surrogate has the size of the U+FFFD that replaces it. */
export function utf8Bytes(text: string): number {
	return Buffer.byteLength(text, "utf8");
}

/** Index where the longest head within `budget` ends. */
function headEnd(text: string, budget: number, cost: CodePointCost): number {
	let index = 0;
	let left = budget;
	while (index < text.length) {
		const codePoint = text.codePointAt(index) ?? 0;
		left -= cost(codePoint);
		if (left < 0) break;
		index += codePoint > 0xffff ? 2 : 1;
	}
	return index;
}

/** Index where the longest tail within `budget` starts. */
function tailStart(text: string, budget: number, cost: CodePointCost): number {
	let index = text.length;
	let left = budget;
	while (index > 0) {
		const width = endsWithPair(text, index) ? 2 : 1;
		left -= cost(text.codePointAt(index - width) ?? 0);
		if (left < 0) break;
		index -= width;
	}
	return index;
}

function endsWithPair(text: string, end: number): boolean {
	return (text.codePointAt(end - 2) ?? 0) > 0xffff;
}

/**
 * A source text in the projection's terms: well-formed, whole when it has at most `maxBytes` UTF-8 bytes, else its
 * two ends. For readers that have the whole string.
 */
export function captureText(source: string, maxBytes = Number.POSITIVE_INFINITY): CapturedText {
	const head = source.toWellFormed();
	return cutToBytes({ bytes: utf8Bytes(head), head, tail: "" }, maxBytes);
}

/** The same text without lone surrogates. Sizes stay: they were counted as U+FFFD already. */
export function wellFormedText(text: CapturedText): CapturedText {
	return { bytes: text.bytes, head: text.head.toWellFormed(), tail: text.tail.toWellFormed() };
}

/** Source bytes that are still there. */
export function keptBytes(text: CapturedText): number {
	return utf8Bytes(text.head) + utf8Bytes(text.tail);
}

/** Source bytes that were left out between head and tail; 0 for a whole text. */
export function omittedBytes(text: CapturedText): number {
	return text.bytes - keptBytes(text);
}

/**
 * The text with at most `maxBytes` source bytes: whole, or at most half of them from each end.
 *
 * The halves are strict, so that cutting in two steps gives the same as cutting once: it makes no difference whether
 * the reader held the whole text or only its ends.
 */
export function cutToBytes(text: CapturedText, maxBytes: number): CapturedText {
	if (text.bytes <= maxBytes) return text;
	const half = Math.floor(maxBytes / 2);
	return cutEnds(text, { head: half, tail: half }, utf8Cost);
}

/** How much of each end may stay, in the units of the cost that goes with it. */
export interface EndBudgets {
	readonly head: number;
	readonly tail: number;
}

/** Keeps as much of each end as its budget allows. A whole text must cost more than both budgets together. */
export function cutEnds(text: CapturedText, budgets: EndBudgets, cost: CodePointCost): CapturedText {
	const whole = omittedBytes(text) === 0 ? text.head + text.tail : null;
	const front = whole ?? text.head;
	const back = whole ?? text.tail;
	return {
		bytes: text.bytes,
		head: front.slice(0, headEnd(front, budgets.head, cost)),
		tail: back.slice(tailStart(back, budgets.tail, cost)),
	};
}

/** The visible note at a cut. It is ours and never counts as source bytes. */
export function omissionNotice(bytes: number): string {
	return `\n[… ${bytes} bytes omitted …]\n`;
}

/** The text as it is shown: head and tail, with the note of what is missing right where it is missing. */
export function renderText(text: CapturedText): string {
	const omitted = omittedBytes(text);
	return omitted === 0 ? text.head + text.tail : text.head + omissionNotice(omitted) + text.tail;
}
