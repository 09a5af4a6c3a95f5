/**
 * How a message ends: the keys behind its content, of which one tells how the model came to its end.
 *
 * They are read to the letter, by one regular expression: the engine compiles it in a fraction of the time that it needs
 * for loops over bytes, and a new process reads its first log so much sooner. Only what stands in an object, such as pi's
 * usage, does not matter. Values that no supported pi writes there, such as arrays and fractions, and long ends are left to
 * a parse.
 */
import { outcomeNumber } from "./line-facts.ts";

/** pi's own end is some 400 bytes long. */
const MAX_END_BYTES = 2048;

/** Printable characters without quote and backslash: what needs no decoding. */
const PLAIN = "[ !#-[\\]-~]*";
const RAW = '[^"\\\\\\0-\\x1f]*';
const STRING = `"${RAW}(?:\\\\(?:["\\\\/bfnrt]|u[0-9a-fA-F]{4})${RAW})*"`;
const REST = '[^"{}]*';
const FLAT_OBJECT = `\\{${REST}(?:${STRING}${REST})*\\}`;
const OBJECT = `\\{${REST}(?:(?:${STRING}|${FLAT_OBJECT})${REST})*\\}`;
const VALUE = `(?:${STRING}|${OBJECT}|0|[1-9]\\d*|true|false|null)`;
const KEYS = `(?:,"(?!(?:role|content|stopReason)")${PLAIN}":${VALUE})*`;
const shape = new RegExp(`^${KEYS}(?:,"stopReason":"(${PLAIN})"${KEYS})?\\}\\}$`);

/**
 * Reads what stands between a message's content, which ends at `from`, and the end of its line.
 * @returns the outcome's number, 0 when none is named; -1 when the shape is not known
 */
export function readMessageEnd(bytes: Buffer, from: number, end: number): number {
	if (end - from > MAX_END_BYTES) return -1;
	const found = shape.exec(bytes.toString("latin1", from, end));
	return found === null ? -1 : outcomeNumber(found[1]);
}
