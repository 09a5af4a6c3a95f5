/**
 * A small, parseable copy of one long line, made from slices as they come.
 *
 * Strings that are longer than what is kept are replaced by placeholders, so that neither memory nor a parse follows
 * the length of the line. Texts (by their key) keep both ends and are measured to the byte; of everything else only
 * short strings survive. Placeholders carry a random key: no log can spell one.
 */
import { randomBytes } from "node:crypto";
import { BACKSLASH, QUOTE, TextMeasure } from "./json-bytes.ts";

/**
 * Raw bytes up to which texts stay whole, and that are kept from each end of longer ones: the largest text that anyone may
 * ask for, unless it is made of escapes. Of nothing but `\u` escapes it is a sixth.
 */
const TEXT_KEEP = 64 * 1024;
/** Raw bytes up to which other strings are kept: ids, names, stop reasons. */
const STRING_KEEP = 1024;
/** Raw bytes of the longest string that may be a text's key: the longest such key, each character escaped, and some. */
const KEY_BYTES = 64;
/** Bytes of the copy: what can be parsed in some milliseconds. A line that needs more can't be read. */
const COPY_LIMIT = 512 * 1024;

const NO_BYTES = Buffer.alloc(0);
const QUOTE_BYTES = Buffer.from([QUOTE]);

/** Keys whose strings can be a message's text. */
const textKeys = new Set(["text", "content", "summary", "name"]);

/** The two ends of a string that was left out of the copy, and its measure. */
export interface ElidedText {
	readonly bytes: number;
	readonly head: string;
	readonly tail: string;
}

/** Gives back what a placeholder stands for. */
export type FindElided = (value: unknown) => ElidedText | null | undefined;

/** One for the process: whoever writes logs does not learn it. */
const PLACEHOLDER_KEY = randomBytes(12).toString("hex");

export class LineFilter {
	readonly #elided: (ElidedText | null)[] = [];
	readonly #measure = new TextMeasure();
	#copy = Buffer.allocUnsafe(16 * 1024);
	#length = 0;
	#failed = false;
	/** The copy would have been too large: nothing is known about the line's validity. */
	overflowed = false;
	#inString = false;
	/** The string in hand. */
	#isText = false;
	#escaped = false;
	#rawLength = 0;
	#head = Buffer.allocUnsafe(STRING_KEEP);
	#headLength = 0;
	#tail = NO_BYTES;
	/** The last finished short string, while only a colon and white space came after it. */
	#lastString = "";
	#isKey = false;

	/** Takes the next bytes of the line. */
	take(bytes: Buffer, from: number, end: number): void {
		let index = from;
		while (index < end && !this.#failed) {
			index = this.#inString ? this.#takeString(bytes, index, end) : this.#takeStructure(bytes, index, end);
		}
	}

	/** The parsed copy and what its placeholders stand for; null when the line can't be read so. */
	parse(): { value: unknown; find: FindElided } | null {
		if (this.#failed || this.#inString) return null;
		try {
			const value: unknown = JSON.parse(this.#copy.toString("utf8", 0, this.#length));
			return { value, find: (candidate) => this.#find(candidate) };
		} catch {
			return null;
		}
	}

	#find(candidate: unknown): ElidedText | null | undefined {
		if (typeof candidate !== "object" || candidate === null) return undefined;
		if (!Object.hasOwn(candidate, PLACEHOLDER_KEY)) return undefined;
		const index = (candidate as Record<string, unknown>)[PLACEHOLDER_KEY];
		return typeof index === "number" ? this.#elided[index] : undefined;
	}

	#takeStructure(bytes: Buffer, from: number, end: number): number {
		const found = bytes.indexOf(QUOTE, from);
		const quote = found < 0 || found > end ? end : found;
		for (let index = from; index < quote; index++) {
			const byte = bytes[index] ?? 0;
			if (byte === 58) this.#isKey = true;
			else if (byte > 32) this.#isKey = false;
		}
		this.#append(bytes, from, quote);
		if (quote < end) this.#startString();
		return quote + 1;
	}

	#startString(): void {
		this.#inString = true;
		this.#isText = this.#isKey && textKeys.has(this.#lastString);
		this.#isKey = false;
		this.#escaped = false;
		this.#rawLength = 0;
		this.#headLength = 0;
		this.#tail = NO_BYTES;
		if (this.#isText) this.#measure.reset();
	}

	#takeString(bytes: Buffer, from: number, end: number): number {
		const close = this.#isText ? this.#measure.take(bytes, from, end) : this.#findEnd(bytes, from, end);
		const stop = close < 0 ? end : close;
		this.#keep(bytes, from, stop);
		if (close < 0) return end;
		this.#inString = false;
		this.#endString();
		return close + 1;
	}

	/** Like findStringEnd, for a string that may have begun in an earlier slice. */
	#findEnd(bytes: Buffer, from: number, end: number): number {
		let index = this.#escaped ? from + 1 : from;
		this.#escaped = false;
		while (index < end) {
			const found = bytes.indexOf(QUOTE, index);
			const quote = found < 0 || found >= end ? end : found;
			let slash = quote - 1;
			while (slash >= index && bytes[slash] === BACKSLASH) slash--;
			const isEscaped = (quote - slash) % 2 === 0;
			if (quote === end) {
				this.#escaped = isEscaped;
				return -1;
			}
			if (!isEscaped) return quote;
			index = quote + 1;
		}
		return -1;
	}

	#keep(bytes: Buffer, from: number, end: number): void {
		this.#rawLength += end - from;
		const limit = this.#isText ? TEXT_KEEP : STRING_KEEP;
		const taken = Math.min(end - from, limit - this.#headLength);
		if (this.#head.length < this.#headLength + taken) this.#growHead(this.#headLength + taken, limit);
		bytes.copy(this.#head, this.#headLength, from, from + taken);
		this.#headLength += taken;
		const rest = from + taken;
		if (!this.#isText || rest >= end) return;
		const kept = Math.max(0, TEXT_KEEP - (end - rest));
		const before = this.#tail.subarray(Math.max(0, this.#tail.length - kept));
		this.#tail = Buffer.concat([before, bytes.subarray(Math.max(rest, end - TEXT_KEEP), end)]);
	}

	#growHead(needed: number, limit: number): void {
		const head = Buffer.allocUnsafe(Math.min(limit, Math.max(needed, this.#head.length * 2)));
		this.#head.copy(head, 0, 0, this.#headLength);
		this.#head = head;
	}

	#endString(): void {
		const whole = this.#rawLength === this.#headLength;
		this.#lastString = whole && this.#rawLength <= KEY_BYTES ? this.#shortString() : "";
		if (whole) {
			this.#append(QUOTE_BYTES, 0, 1);
			this.#append(this.#head, 0, this.#headLength);
			this.#append(QUOTE_BYTES, 0, 1);
			return;
		}
		this.#appendText(`{"${PLACEHOLDER_KEY}":${this.#elided.length}}`);
		this.#elided.push(this.#isText ? this.#readEnds() : null);
		if (this.#isText && !this.#measure.trusted) this.#failed = true;
	}

	/** The string in hand; a writer may have escaped what needs no escape, in keys too. */
	#shortString(): string {
		const raw = this.#head.toString("latin1", 0, this.#rawLength);
		return raw.includes("\\") ? (decode(raw) ?? "") : raw;
	}

	#readEnds(): ElidedText {
		const head = decodeStart(this.#head.subarray(0, this.#headLength));
		const tail = decodeEnd(this.#tail);
		return { bytes: this.#measure.bytes, head, tail };
	}

	#appendText(text: string): void {
		const bytes = Buffer.from(text, "latin1");
		this.#append(bytes, 0, bytes.length);
	}

	#append(bytes: Buffer, from: number, end: number): void {
		const length = this.#length + end - from;
		if (length > COPY_LIMIT) {
			this.#failed = true;
			this.overflowed = true;
			return;
		}
		if (length > this.#copy.length) {
			this.#copy = Buffer.concat([this.#copy], Math.min(COPY_LIMIT, Math.max(length, this.#copy.length * 2)));
		}
		bytes.copy(this.#copy, this.#length, from, end);
		this.#length = length;
	}
}

function decode(raw: string): string | null {
	try {
		const value: unknown = JSON.parse(`"${raw}"`);
		return typeof value === "string" ? value : null;
	} catch {
		return null;
	}
}

/** Decodes the first bytes of a JSON string, without an escape or character that the cut went through. */
function decodeStart(bytes: Buffer): string {
	let end = bytes.length;
	while (end > 0 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end--;
	if (end > 0 && (bytes[end - 1] ?? 0) >= 0xc0) end--;
	// The longest escape that can be cut is a surrogate pair: 12 bytes.
	for (let cut = 0; cut <= 12; cut++) {
		const text = decode(bytes.toString("utf8", 0, Math.max(0, end - cut)));
		if (text !== null) return text.replace(/[\ud800-\udbff]$/, "").toWellFormed();
	}
	return "";
}

/** Decodes the last bytes of a JSON string, from the first place that is surely between two characters. */
function decodeEnd(bytes: Buffer): string {
	let start = 0;
	// Behind a byte that is no backslash an escape can only begin, or its digits go on (at most 4).
	while (start < bytes.length && bytes[start] === BACKSLASH) start++;
	// Backslashes up to the closing quote are pairs, or it would not close.
	if (start === bytes.length) return decode(bytes.toString("latin1", start % 2)) ?? "";
	start++;
	for (const limit = start + 4; start < limit && bytes[start] !== BACKSLASH; start++);
	while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
	const text = decode(bytes.toString("utf8", start)) ?? "";
	return text.replace(/^[\udc00-\udfff]/, "").toWellFormed();
}
