/**
 * JSON strings seen as bytes: where they end and how large their decoded text is, without decoding them.
 *
 * Both questions stand in the hot loop of a log read. On a valid line an unescaped quote can't be inside a string, so
 * a quote and the parity of the backslashes before it decide.
 */
import { isUtf8 } from "node:buffer";

const TAB = 9;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
export const QUOTE = 34;
export const COMMA = 44;
export const OPEN_BRACKET = 91;
export const BACKSLASH = 92;
export const CLOSE_BRACKET = 93;
export const OPEN_BRACE = 123;
export const CLOSE_BRACE = 125;

/** So many bytes of a run are walked one by one before the native searches: escapes often stand close together. */
const WALKED_BYTES = 48;

/**
 * Index of the quote that closes a string, or -1 when it does not stand before `end`.
 * @param from the first byte of the string's content
 */
export function findStringEnd(bytes: Buffer, from: number, end: number): number {
	for (let index = from; ; ) {
		const quote = bytes.indexOf(QUOTE, index);
		if (quote < 0 || quote >= end) return -1;
		let slash = quote - 1;
		while (slash >= index && bytes[slash] === BACKSLASH) slash--;
		if ((quote - slash) % 2 === 1) return quote;
		index = quote + 1;
	}
}

/** Where a line ends without the white space that JSON allows behind a value. */
export function trimmedEnd(bytes: Buffer, start: number, end: number): number {
	let index = end;
	while (index > start) {
		const byte = bytes[index - 1];
		if (byte !== SPACE && byte !== TAB && byte !== CARRIAGE_RETURN) break;
		index--;
	}
	return index;
}

/**
 * Skips the rest of an object or array that was entered before `from`.
 * @returns the index after its closing bracket, or -1 when it does not close before `end`
 */
export function skipNested(bytes: Buffer, from: number, end: number): number {
	let depth = 1;
	let index = from;
	while (index < end) {
		const byte = bytes[index++];
		if (byte === QUOTE) {
			const close = findStringEnd(bytes, index, end);
			if (close < 0) return -1;
			index = close + 1;
		} else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
			depth++;
		} else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
			depth--;
			if (depth === 0) return index;
		}
	}
	return -1;
}

/** 1 for the bytes that end a plain run inside a string: the quote, the backslash and raw control characters. */
const ENDS_RUN = new Uint8Array(256).fill(1, 0, 0x20);
ENDS_RUN[QUOTE] = 1;
ENDS_RUN[BACKSLASH] = 1;

const SIMPLE_ESCAPES = new Set([...'"\\/bfnrt'].map((character) => character.charCodeAt(0)));
const LETTER_U = 117;

const PLAIN = 0;
const AFTER_BACKSLASH = 1;
const IN_UNICODE = 2;

function hexDigit(byte: number): number {
	if (byte >= 48 && byte <= 57) return byte - 48;
	const lower = byte | 32;
	return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

/** Bytes of the character that this byte begins, as UTF-8 would have it. */
function characterLength(first: number): number {
	return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
}

/** Looks for one byte, or some, and remembers where: it may be far away, and is asked for again and again. */
export class ByteSearch {
	readonly #wanted: number | Uint8Array;
	#slice: Buffer | null = null;
	#from = 0;
	#found = 0;

	constructor(wanted: number | Uint8Array) {
		this.#wanted = wanted;
	}

	/** Index where they stand next, at or after `from`; the slice's length when there is none. */
	after(slice: Buffer, from: number): number {
		if (slice === this.#slice && from >= this.#from && from <= this.#found) return this.#found;
		const found = slice.indexOf(this.#wanted, from);
		this.#slice = slice;
		this.#from = from;
		// Not infinity: the engine would keep this, and what is computed from it, as floating-point numbers from then on.
		this.#found = found < 0 ? slice.length : found;
		return this.#found;
	}
}

/**
 * Measures the decoded text of one JSON string in UTF-8 bytes, over one slice or many.
 *
 * Lone surrogates count as U+FFFD (3 bytes), as in the well-formed text. `trusted` turns false when the bytes aren't
 * what a JSON writer leaves (raw control characters, unknown escapes, bad UTF-8): the count then means nothing.
 */
export class TextMeasure {
	/** UTF-8 bytes of the decoded text so far. */
	bytes = 0;
	trusted = true;
	#state = PLAIN;
	#unit = 0;
	#digits = 0;
	#afterHighSurrogate = false;
	/** The first bytes of a character that the last slice ended in. */
	readonly #cut = Buffer.alloc(4);
	#cutLength = 0;
	readonly #quote = new ByteSearch(QUOTE);
	readonly #backslash = new ByteSearch(BACKSLASH);

	reset(): void {
		this.bytes = 0;
		this.trusted = true;
		this.#state = PLAIN;
		this.#afterHighSurrogate = false;
		this.#cutLength = 0;
	}

	/**
	 * Takes the content of a string from `from` on.
	 * @returns the index of the closing quote, or -1 when the string goes on after `end`
	 */
	take(slice: Buffer, from: number, end: number): number {
		let index = this.#state === PLAIN ? from : this.#resume(slice, from, end);
		while (index < end) {
			const stop = this.#runEnd(slice, index, end);
			if (stop > index) {
				this.bytes += stop - index;
				this.#afterHighSurrogate = false;
				index = stop;
			}
			if (index >= end) break;
			if (slice[index] === QUOTE) {
				this.#validate(slice, from, index, true);
				return index;
			}
			if (slice[index] === BACKSLASH) this.#state = AFTER_BACKSLASH;
			else this.trusted = false;
			index = this.#resume(slice, index + 1, end);
		}
		this.#validate(slice, from, end, false);
		return -1;
	}

	/** Where a run of plain bytes ends: at a quote, a backslash, a control character among the first, or `end`. */
	#runEnd(slice: Buffer, from: number, end: number): number {
		const walked = Math.min(end, from + WALKED_BYTES);
		let index = from;
		// A cast, since a default for what can't be missing costs a tenth of this loop.
		while (index < walked && ENDS_RUN[slice[index] as number] === 0) index++;
		if (index < walked || index === end) return index;
		return Math.min(end, this.#quote.after(slice, index), this.#backslash.after(slice, index));
	}

	/** Takes the rest of an escape that began before `from`; returns the index after what it took. */
	#resume(slice: Buffer, from: number, end: number): number {
		let index = from;
		if (index < end && this.#state === AFTER_BACKSLASH) {
			const byte = slice[index++] ?? 0;
			if (byte === LETTER_U) {
				this.#state = IN_UNICODE;
				this.#unit = 0;
				this.#digits = 0;
			} else {
				if (!SIMPLE_ESCAPES.has(byte)) this.trusted = false;
				this.bytes++;
				this.#afterHighSurrogate = false;
				this.#state = PLAIN;
			}
		}
		while (index < end && this.#state === IN_UNICODE) {
			const digit = hexDigit(slice[index] ?? 0);
			if (digit < 0) {
				this.trusted = false;
				this.#state = PLAIN;
				break;
			}
			index++;
			this.#unit = this.#unit * 16 + digit;
			if (++this.#digits === 4) this.#endUnit();
		}
		return index;
	}

	#endUnit(): void {
		this.#state = PLAIN;
		const unit = this.#unit;
		if (unit >= 0xdc00 && unit <= 0xdfff && this.#afterHighSurrogate) {
			// Together they are one character of 4 bytes; 3 were counted for the first half.
			this.bytes += 1;
			this.#afterHighSurrogate = false;
			return;
		}
		this.bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
		this.#afterHighSurrogate = unit >= 0xd800 && unit <= 0xdbff;
	}

	/** Raw bytes count one each only when they are valid UTF-8. A character cut between two slices waits for its rest. */
	#validate(slice: Buffer, from: number, end: number, isClosed: boolean): void {
		const start = this.#cutLength > 0 ? this.#joinCut(slice, from, end, isClosed) : from;
		let stop = end;
		for (let back = 1; !isClosed && back <= 3 && end - back >= start; back++) {
			const byte = slice[end - back] ?? 0;
			if ((byte & 0xc0) === 0x80) continue;
			if (characterLength(byte) > back) stop = end - back;
			break;
		}
		if (stop > start && !isUtf8(slice.subarray(start, stop))) this.trusted = false;
		if (stop < end) this.#cutLength = slice.copy(this.#cut, 0, stop, end);
	}

	/** Completes the character that the slice before ended in; returns the index behind it. */
	#joinCut(slice: Buffer, from: number, end: number, isClosed: boolean): number {
		const length = characterLength(this.#cut[0] ?? 0);
		let index = from;
		while (index < end && this.#cutLength < length && ((slice[index] ?? 0) & 0xc0) === 0x80) {
			this.#cut[this.#cutLength++] = slice[index++] ?? 0;
		}
		if (index === end && this.#cutLength < length && !isClosed) return index;
		if (!isUtf8(this.#cut.subarray(0, this.#cutLength))) this.trusted = false;
		this.#cutLength = 0;
		return index;
	}
}
