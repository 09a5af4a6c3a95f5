/**
 * Reads what pi's own writer leaves, straight from the bytes of one whole line.
 *
 * It only ever says yes to shapes that it knows to the letter; everything else is left to a parse (entry-facts.ts),
 * which must come to the same facts. Two orders of keys are known: structure first (`type, id, parentId, timestamp`)
 * and payload first, where the structure is the line's last few dozen bytes.
 */
import { type EntryIds, NO_ID } from "./entry-ids.ts";
import {
	CLOSE_BRACE,
	CLOSE_BRACKET,
	COLON,
	COMMA,
	findStringEnd,
	OPEN_BRACE,
	OPEN_BRACKET,
	QUOTE,
	skipNested,
	standsAt,
	TextMeasure,
} from "./json-bytes.ts";
import { type LineFacts, LineKind, outcomes } from "./line-facts.ts";

const literal = (text: string) => Buffer.from(text, "latin1");

const TYPE = literal('{"type":"');
const ID = literal(',"id":"');
const PARENT = literal(',"parentId":');
const NULL = literal("null");
const TIMESTAMP = literal(',"timestamp":"');
const MESSAGE = literal('"message');
const ROLE = literal(',"message":{"role":"');
const CONTENT = literal(',"content":');
const TEXT = literal('text","text":"');
const SIGNATURE = literal(',"textSignature":"');
const TOOL_CALL = literal('toolCall"');
const STOP_REASON = literal('stopReason"');
const SKILL = literal('<skill name=\\"');

/** An ISO time in UTC with milliseconds. */
const TIMESTAMP_LENGTH = 24;
const HEX_ID_LENGTH = 8;

/** Types whose lines are read here; those with a payload that the index needs are parsed instead. */
const plainTypes = new Map<string, LineKind>([
	["custom", LineKind.other],
	["custom_message", LineKind.customMessage],
	["branch_summary", LineKind.other],
	["label", LineKind.other],
	["model_change", LineKind.other],
	["thinking_level_change", LineKind.other],
	["usage", LineKind.other],
]);

/** Roles with the quote that ends them, the commonest first, and whether the index looks at the content. */
const roles = [
	{ name: literal('toolResult"'), kind: LineKind.toolResult, hasTexts: false },
	{ name: literal('assistant"'), kind: LineKind.assistant, hasTexts: true },
	{ name: literal('user"'), kind: LineKind.user, hasTexts: true },
	{ name: literal('custom"'), kind: LineKind.customMessage, hasTexts: false },
	{ name: literal('hookMessage"'), kind: LineKind.customMessage, hasTexts: false },
	{ name: literal('system"'), kind: LineKind.other, hasTexts: false },
	{ name: literal('bashExecution"'), kind: LineKind.other, hasTexts: false },
];

/** Stop reasons as values, in the order of {@link outcomes}. */
const stopReasons = outcomes.map((name) => literal(`"${name}"`));

/** Marks of this package are custom entries; they are few and short, and are parsed. */
const MARK = literal('custom","customType":"cross-session"');

export class LineStructure {
	readonly #ids: EntryIds;
	readonly #measure = new TextMeasure();

	constructor(ids: EntryIds) {
		this.#ids = ids;
	}

	/**
	 * Reads the line from `start` to `end` (without line feed and trailing white space) into `facts`.
	 * @returns false when the line isn't of a known shape: facts mean nothing then
	 */
	read(bytes: Buffer, start: number, end: number, facts: LineFacts): boolean {
		if (end - start < 32 || bytes[end - 1] !== CLOSE_BRACE || !standsAt(bytes, start, TYPE)) return false;
		const word = start + TYPE.length;
		if (standsAt(bytes, word - 1, MESSAGE)) return this.#readMessage(bytes, word, end, facts);
		if (standsAt(bytes, word, MARK)) return false;
		const wordEnd = bytes.indexOf(QUOTE, word);
		if (wordEnd < 0 || wordEnd - word > 24) return false;
		const kind = plainTypes.get(bytes.toString("latin1", word, wordEnd));
		if (kind === undefined) return false;
		facts.kind = kind;
		return this.#readHead(bytes, wordEnd + 1, end, facts) > 0 || this.#readTail(bytes, wordEnd + 1, end, facts);
	}

	/**
	 * What can be said of a line from its first bytes alone: the kind of a message whose content isn't looked at.
	 * @returns false when the content, or the line's end, is needed
	 */
	readStart(bytes: Buffer, end: number, facts: LineFacts): boolean {
		if (!standsAt(bytes, 0, TYPE) || !standsAt(bytes, TYPE.length - 1, MESSAGE)) return false;
		const role = this.#readRole(bytes, TYPE.length, end, facts);
		const known = role > 0 ? roleAt(bytes, role) : undefined;
		if (!known || known.hasTexts) return false;
		facts.kind = known.kind;
		return true;
	}

	/** Reads a payload-first line's place in the tree from its last bytes, when its first bytes tell a plain type. */
	readEnds(head: Buffer, tail: Buffer, facts: LineFacts): boolean {
		if (!standsAt(head, 0, TYPE) || standsAt(head, TYPE.length, MARK)) return false;
		const word = head.toString("latin1", TYPE.length, TYPE.length + 24);
		const kind = plainTypes.get(word.slice(0, word.indexOf('"')));
		if (kind === undefined || tail[tail.length - 1] !== CLOSE_BRACE) return false;
		facts.kind = kind;
		return this.#readTail(tail, 0, tail.length, facts);
	}

	#readMessage(bytes: Buffer, word: number, end: number, facts: LineFacts): boolean {
		const role = this.#readRole(bytes, word, end, facts);
		if (role < 0 || bytes[end - 2] !== CLOSE_BRACE) return false;
		const known = roleAt(bytes, role);
		if (!known) return false;
		facts.kind = known.kind;
		if (!known.hasTexts) return true;
		const key = role + known.name.length;
		if (!standsAt(bytes, key, CONTENT)) return false;
		const content = this.#readContent(bytes, key + CONTENT.length, end, facts);
		if (content < 0) return false;
		return this.#readMessageRest(bytes, content, end, facts) === end - 1;
	}

	/** Reads a message entry's structure; returns where its role begins, or -1. */
	#readRole(bytes: Buffer, word: number, end: number, facts: LineFacts): number {
		if (bytes[word + 7] !== QUOTE) return -1;
		const after = this.#readHead(bytes, word + 8, end, facts);
		return after > 0 && standsAt(bytes, after, ROLE) ? after + ROLE.length : -1;
	}

	/** Reads `,"id":…,"parentId":…,"timestamp":…`; returns the index behind it, or -1. */
	#readHead(bytes: Buffer, from: number, end: number, facts: LineFacts): number {
		if (!standsAt(bytes, from, ID)) return -1;
		const id = from + ID.length;
		const idEnd = plainStringEnd(bytes, id, end);
		if (idEnd < 0 || !standsAt(bytes, idEnd + 1, PARENT)) return -1;
		let index = idEnd + 1 + PARENT.length;
		if (standsAt(bytes, index, NULL)) {
			facts.parent = NO_ID;
			index += NULL.length;
		} else {
			const parentEnd = bytes[index] === QUOTE ? plainStringEnd(bytes, index + 1, end) : -1;
			if (parentEnd < 0) return -1;
			facts.parent = this.#ids.internBytes(bytes, index + 1, parentEnd);
			if (facts.parent === NO_ID) return -1;
			index = parentEnd + 1;
		}
		if (!standsAt(bytes, index, TIMESTAMP)) return -1;
		const time = index + TIMESTAMP.length;
		if (bytes[time + TIMESTAMP_LENGTH] !== QUOTE) return -1;
		facts.id = this.#ids.internBytes(bytes, id, idEnd);
		return facts.id === NO_ID ? -1 : time + TIMESTAMP_LENGTH + 1;
	}

	/** Reads `,"id":…,"parentId":…,"timestamp":…}` that ends at `end`, with ids of 8 characters. */
	#readTail(bytes: Buffer, from: number, end: number, facts: LineFacts): boolean {
		const time = end - 2 - TIMESTAMP_LENGTH;
		const timestamp = time - TIMESTAMP.length;
		if (timestamp < from || bytes[end - 2] !== QUOTE || !standsAt(bytes, timestamp, TIMESTAMP)) return false;
		if (hasQuoteOrEscape(bytes, time, time + TIMESTAMP_LENGTH)) return false;
		let parent = NO_ID;
		let index = timestamp - NULL.length;
		if (!standsAt(bytes, index, NULL)) {
			index = timestamp - HEX_ID_LENGTH - 2;
			if (bytes[timestamp - 1] !== QUOTE || bytes[index] !== QUOTE) return false;
			if (hasQuoteOrEscape(bytes, index + 1, timestamp - 1)) return false;
			parent = this.#ids.internBytes(bytes, index + 1, timestamp - 1);
		}
		if (!standsAt(bytes, index - PARENT.length, PARENT)) return false;
		const idEnd = index - PARENT.length - 1;
		const id = idEnd - HEX_ID_LENGTH;
		if (bytes[idEnd] !== QUOTE || id - ID.length < from || !standsAt(bytes, id - ID.length, ID)) return false;
		if (hasQuoteOrEscape(bytes, id, idEnd)) return false;
		facts.parent = parent;
		facts.id = this.#ids.internBytes(bytes, id, idEnd);
		return true;
	}

	/** Reads a message's content at `from`; returns the index behind it, or -1. */
	#readContent(bytes: Buffer, from: number, end: number, facts: LineFacts): number {
		if (bytes[from] === QUOTE) {
			if (facts.kind === LineKind.user && standsAt(bytes, from + 1, SKILL)) return -1;
			const close = this.#takeText(bytes, from + 1, end, facts);
			return close < 0 ? -1 : close + 1;
		}
		if (bytes[from] !== OPEN_BRACKET) return -1;
		if (bytes[from + 1] === CLOSE_BRACKET) return from + 2;
		let index = from + 1;
		let texts = 0;
		let hasText = false;
		for (;;) {
			if (!standsAt(bytes, index, TYPE)) return -1;
			const word = index + TYPE.length;
			if (standsAt(bytes, word, TEXT)) {
				const text = word + TEXT.length;
				if (facts.kind === LineKind.user && standsAt(bytes, text, SKILL)) return -1;
				const before = facts.textBytes;
				const close = this.#takeText(bytes, text, end, facts);
				if (close < 0) return -1;
				hasText ||= facts.textBytes > before;
				if (texts++ > 0) facts.textBytes++;
				index = this.#endTextBlock(bytes, close + 1, end);
			} else {
				if (standsAt(bytes, word, TOOL_CALL)) facts.calls++;
				index = this.#skipBlock(bytes, word, end);
			}
			if (index < 0) return -1;
			if (bytes[index] === CLOSE_BRACKET) break;
			if (bytes[index++] !== COMMA) return -1;
		}
		if (!hasText) facts.textBytes = 0;
		return index + 1;
	}

	#takeText(bytes: Buffer, from: number, end: number, facts: LineFacts): number {
		const measure = this.#measure;
		measure.reset();
		const close = measure.take(bytes, from, end);
		if (close < 0 || !measure.trusted) return -1;
		facts.textBytes += measure.bytes;
		return close;
	}

	/** Skips a block whose type isn't text; -1 when its type can't be told from the bytes. */
	#skipBlock(bytes: Buffer, word: number, end: number): number {
		const wordEnd = plainStringEnd(bytes, word, end);
		if (wordEnd < 0 || standsAt(bytes, word, TEXT_WORD)) return -1;
		return skipNested(bytes, wordEnd + 1, end);
	}

	/** A text block ends behind its text, or has a signature; other keys might say something else about it. */
	#endTextBlock(bytes: Buffer, from: number, end: number): number {
		if (bytes[from] === CLOSE_BRACE) return from + 1;
		if (!standsAt(bytes, from, SIGNATURE)) return -1;
		const close = findStringEnd(bytes, from + SIGNATURE.length, end);
		return close > 0 && bytes[close + 1] === CLOSE_BRACE ? close + 2 : -1;
	}

	/** Reads the keys behind a message's content, for its stopReason; returns the index behind the message, or -1. */
	#readMessageRest(bytes: Buffer, from: number, end: number, facts: LineFacts): number {
		let index = from;
		while (index < end) {
			const byte = bytes[index];
			if (byte === CLOSE_BRACE) return index + 1;
			if (byte !== COMMA || bytes[index + 1] !== QUOTE) return -1;
			const key = index + 2;
			const keyEnd = findStringEnd(bytes, key, end);
			if (keyEnd < 0 || bytes[keyEnd + 1] !== COLON || hasQuoteOrEscape(bytes, key, keyEnd)) return -1;
			if (standsAt(bytes, key, CONTENT_KEY) || standsAt(bytes, key, ROLE_KEY)) return -1;
			const value = keyEnd + 2;
			const valueEnd = skipValue(bytes, value, end);
			if (valueEnd < 0) return -1;
			if (facts.kind === LineKind.assistant && standsAt(bytes, key, STOP_REASON)) {
				facts.outcome = Math.max(
					0,
					stopReasons.findIndex((reason) => standsAt(bytes, value, reason)),
				);
			}
			index = valueEnd;
		}
		return -1;
	}
}

const TEXT_WORD = literal('text"');
const CONTENT_KEY = literal('content"');
const ROLE_KEY = literal('role"');

function roleAt(bytes: Buffer, at: number): (typeof roles)[number] | undefined {
	for (const role of roles) if (standsAt(bytes, at, role.name)) return role;
	return undefined;
}

/** Index behind the value at `from`, or -1. */
function skipValue(bytes: Buffer, from: number, end: number): number {
	const first = bytes[from];
	if (first === QUOTE) {
		const close = findStringEnd(bytes, from + 1, end);
		return close < 0 ? -1 : close + 1;
	}
	if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipNested(bytes, from + 1, end);
	let index = from;
	while (index < end && bytes[index] !== COMMA && bytes[index] !== CLOSE_BRACE) index++;
	return index > from && index < end ? index : -1;
}

/** End of a string without escapes, such as an id; -1 when it has some or is longer than ids are. */
function plainStringEnd(bytes: Buffer, from: number, end: number): number {
	// The commonest id first.
	if (bytes[from + HEX_ID_LENGTH] === QUOTE && !hasQuoteOrEscape(bytes, from, from + HEX_ID_LENGTH)) {
		return from + HEX_ID_LENGTH;
	}
	const limit = Math.min(end, from + 513);
	for (let index = from; index < limit; index++) {
		const byte = bytes[index] ?? 0;
		if (byte === QUOTE) return index > from ? index : -1;
		if (byte === 92 || byte < 0x20) return -1;
	}
	return -1;
}

function hasQuoteOrEscape(bytes: Buffer, from: number, end: number): boolean {
	for (let index = from; index < end; index++) {
		const byte = bytes[index] ?? 0;
		if (byte === QUOTE || byte === 92 || byte < 0x20) return true;
	}
	return false;
}
