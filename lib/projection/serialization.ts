/**
 * The serialized form that every door sends, its exact size, and cutting texts until that size fits.
 *
 * This file promises JSON in which no text can spell a tag or break a line (`<`, U+2028, U+2029 and the controls U+007F
 * to U+009F are written as escapes), costs that equal the size of that very form, and cuts that spare the short texts and
 * blank none.
 */
import type { CapturedText } from "./events.ts";
import { type CodePointCost, cutEnds, omissionNotice, omittedBytes, renderText, utf8Bytes, utf8Cost } from "./text.ts";

/** What JSON leaves as it is and a page, a line or a terminal might obey. */
const OBEYED = /[<\u007f-\u009f\u2028\u2029]/g;

const toEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Bytes of an escape of four hex digits. */
const LONG_ESCAPE = 6;

/** Both ends of a cut text keep something when each may cost at least as much as the dearest code point. */
const LEAST_CONTENT = 2 * LONG_ESCAPE;

/** One line of JSON without `<`, U+2028, U+2029 and control characters. The value must be one that JSON can express. */
export function tagSafeJson(value: unknown): string {
	return JSON.stringify(value).replace(OBEYED, toEscape);
}

/** UTF-8 bytes of {@link tagSafeJson} of a value. */
export function serializedBytes(value: unknown): number {
	return utf8Bytes(tagSafeJson(value));
}

/** Serialized bytes of each ASCII character inside a JSON string. */
const ASCII_COST = Uint8Array.from({ length: 0x80 }, (_, code) => serializedBytes(String.fromCharCode(code)) - 2);

/** Serialized bytes of a code point inside a JSON string. */
const serializedCost: CodePointCost = (codePoint) => {
	if (codePoint < 0x80) return ASCII_COST[codePoint] ?? 1;
	const isEscaped = codePoint < 0xa0 || codePoint === 0x2028 || codePoint === 0x2029;
	return isEscaped ? LONG_ESCAPE : utf8Cost(codePoint);
};

/** Serialized bytes of a well-formed text inside a JSON string, the quotes around it left out. */
export function serializedTextBytes(text: string): number {
	let bytes = 0;
	for (let index = 0; index < text.length; index += 1) {
		const codePoint = text.codePointAt(index) ?? 0;
		bytes += serializedCost(codePoint);
		if (codePoint > 0xffff) index += 1;
	}
	return bytes;
}

/**
 * Cuts the longest texts, by serialized bytes, until all together take at most `budget` of them, notes included.
 *
 * One level is found up to which every text may reach; texts below it stay as they are, the others are cut to it.
 * Texts must be well-formed. Returns them in the given order, or null when a text would have to be blanked.
 * Costs n log n in the number of texts and is linear in their length.
 */
export function fitTexts(texts: readonly CapturedText[], budget: number): CapturedText[] | null {
	if (budget < 0) return null;
	const costs = texts.map((text) => serializedTextBytes(renderText(text)));
	const level = findLevel(costs, budget);
	const fitted: CapturedText[] = [];
	for (const [index, text] of texts.entries()) {
		const cut = (costs[index] ?? 0) <= level ? text : cutToSerialized(text, level);
		if (cut === null) return null;
		fitted.push(cut);
	}
	return fitted;
}

/** The highest level for which the costs, each at most the level, add up to no more than the budget. */
function findLevel(costs: readonly number[], budget: number): number {
	const ascending = [...costs].sort((left, right) => left - right);
	let left = budget;
	for (const [index, cost] of ascending.entries()) {
		const share = Math.floor(left / (ascending.length - index));
		if (cost > share) return share;
		left -= cost;
	}
	return Number.POSITIVE_INFINITY;
}

/** A text that costs more than `budget`, cut so that it does not. What one end doesn't need, the other gets. */
function cutToSerialized(text: CapturedText, budget: number): CapturedText | null {
	// The number in the note is known only after the cut; it never has more digits than the whole size.
	const content = budget - serializedTextBytes(omissionNotice(text.bytes));
	if (content < LEAST_CONTENT) return null;
	const half = Math.floor(content / 2);
	if (omittedBytes(text) === 0) return cutEnds(text, { head: half, tail: half }, serializedCost);
	const head = Math.max(half, content - serializedTextBytes(text.tail));
	const tail = Math.max(half, content - serializedTextBytes(text.head));
	return cutEnds(text, { head, tail }, serializedCost);
}
