/**
 * How a message ends: the keys behind its content, of which one tells how the model came to its end.
 *
 * They are read to the letter; only what stands in an object, such as pi's usage, does not matter. Values that no
 * supported pi writes there, such as arrays and fractions, are left to a parse.
 */
import { BACKSLASH, CLOSE_BRACE, COLON, COMMA, escapeLength, OPEN_BRACE, QUOTE, SPACE } from "./json-bytes.ts";
import { outcomes } from "./line-facts.ts";
import { latin1, standsAt } from "./message-head.ts";

const ROLE = latin1('"role"');
const CONTENT = latin1('"content"');
const STOP_REASON = latin1('"stopReason"');
const WORDS = ["true", "false", "null"].map(latin1);
const OUTCOMES = outcomes.map((name) => latin1(`"${name}"`));
const ZERO = 48;
const TILDE = 126;

/**
 * Reads what stands between a message's content, which ends at `from`, and the end of its line.
 * @returns the outcome's number, 0 when none is named; -1 when the shape is not known
 */
export function readMessageEnd(bytes: Buffer, from: number, end: number): number {
	let stopReason = -1;
	let index = from;
	while (bytes[index] === COMMA) {
		const key = index + 1;
		const value = endOfKey(bytes, key, end);
		index = value < 0 ? -1 : endOfValue(bytes, value, end);
		if (index < 0) return -1;
		if (!standsAt(bytes, key, STOP_REASON)) continue;
		if (stopReason >= 0 || bytes[value] !== QUOTE) return -1;
		stopReason = value;
	}
	if (index !== end - 2 || bytes[index] !== CLOSE_BRACE) return -1;
	return stopReason < 0 ? 0 : outcomeAt(bytes, stopReason);
}

/** Index behind a key and its colon; -1 for another role or content, and for a key with escapes. */
function endOfKey(bytes: Buffer, from: number, end: number): number {
	if (bytes[from] !== QUOTE || standsAt(bytes, from, ROLE) || standsAt(bytes, from, CONTENT)) return -1;
	for (let index = from + 1; index < end; index++) {
		const byte = bytes[index] ?? 0;
		if (byte === QUOTE) return bytes[index + 1] === COLON ? index + 2 : -1;
		if (byte < SPACE || byte > TILDE || byte === BACKSLASH) return -1;
	}
	return -1;
}

/** Index behind a string, an object, a whole number or a word of JSON; -1 for any other value. */
function endOfValue(bytes: Buffer, from: number, end: number): number {
	const first = bytes[from] ?? 0;
	if (first === QUOTE) return endOfString(bytes, from + 1, end);
	if (first === OPEN_BRACE) return endOfObject(bytes, from + 1, end);
	if (isDigit(first)) return endOfDigits(bytes, from);
	for (const word of WORDS) if (standsAt(bytes, from, word)) return from + word.length;
	return -1;
}

function endOfString(bytes: Buffer, from: number, end: number): number {
	let index = from;
	while (index < end) {
		const byte = bytes[index] ?? 0;
		if (byte === QUOTE) return index + 1;
		if (byte < SPACE) return -1;
		const length = byte === BACKSLASH ? escapeLength(bytes, index) : 1;
		if (length === 0) return -1;
		index += length;
	}
	return -1;
}

/** What is in an object, such as pi's usage, does not matter. */
function endOfObject(bytes: Buffer, from: number, end: number): number {
	let depth = 1;
	let index = from;
	while (index >= 0 && index < end) {
		const byte = bytes[index++];
		if (byte === QUOTE) index = endOfString(bytes, index, end);
		else if (byte === OPEN_BRACE) depth++;
		else if (byte === CLOSE_BRACE && --depth === 0) return index;
	}
	return -1;
}

function endOfDigits(bytes: Buffer, from: number): number {
	let index = from + 1;
	while (isDigit(bytes[index] ?? 0)) index++;
	return bytes[from] === ZERO && index > from + 1 ? -1 : index;
}

function isDigit(byte: number): boolean {
	return byte >= ZERO && byte <= ZERO + 9;
}

function outcomeAt(bytes: Buffer, at: number): number {
	return Math.max(
		0,
		OUTCOMES.findIndex((outcome) => standsAt(bytes, at, outcome)),
	);
}
