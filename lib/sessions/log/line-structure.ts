/**
 * Reads what pi's own writer leaves, from the bytes of one whole line.
 *
 * Structure, texts and ends of messages are read to the letter; what doesn't fit is left to a parse (entry-facts.ts),
 * which must come to the same facts. Content that nobody looks at, such as a call's arguments and a tool's result, is taken
 * on trust: damage inside of it is not seen here, and of a key that stands twice the first counts. Two orders of keys are
 * known: structure first (`type, id, parentId, timestamp`) and payload first, where the structure is the line's last few
 * dozen bytes.
 *
 * What nearly every line has is compared byte by byte, without anything to clean up; the rest is left to regular
 * expressions over short slices, and to native searches.
 */
import { MARK_ENTRY_TYPE, type MarkSource } from "../../contract/input-mark.ts";
import { type EntryIds, NO_ID } from "./entry-ids.ts";
import {
	ByteSearch,
	CLOSE_BRACE,
	CLOSE_BRACKET,
	COMMA,
	findStringEnd,
	OPEN_BRACE,
	OPEN_BRACKET,
	QUOTE,
	skipNested,
	TextMeasure,
} from "./json-bytes.ts";
import { type LineFacts, LineKind, markBits, UNMEASURED } from "./line-facts.ts";
import { readMessageEnd } from "./message-end.ts";
import { latin1, standsAt, usualContentAt, usualIdAt, usualParentAt, usualRoleAt } from "./message-head.ts";

/** Enough for the structure with ids as long as UUIDs and the beginning of a message. */
const HEAD_BYTES = 224;
const TAIL_BYTES = 160;

/** Printable characters without quote and backslash: what needs no decoding. */
const PLAIN = "[ !#-[\\]-~]";
const ID = `"(${PLAIN}{1,64})"`;
const STRUCTURE = `"id":${ID},"parentId":(?:null|${ID}),"timestamp":"${PLAIN}{24}"`;

const head = new RegExp(`^\\{"type":"(\\w{1,24})",${STRUCTURE}(?:,"message":\\{"role":"(\\w{1,16})"(?:,"content":)?)?`);
const tail = new RegExp(`,${STRUCTURE}\\}$`);
const typeWord = /^\{"type":"(\w{1,24})"/;
/** A custom entry that begins with its custom type, as pi writes it, tells at once that it is no mark. */
const otherCustomType = new RegExp(`^\\{"type":"custom","customType":"(?!${MARK_ENTRY_TYPE}")`);

/** A mark as this package has pi write it, from its first byte to its last. */
const mark = new RegExp(
	`^\\{"type":"custom","customType":"${MARK_ENTRY_TYPE}","data":\\{"v":1,"kind":"input","source":"(user|extension|unclear)","entry":${ID}\\},${STRUCTURE}\\}$`,
);

/** The type of a block that is neither a text nor one of the usual. */
const otherBlock = new RegExp(`^(?!text")${PLAIN}{1,24}"`);
const BLOCK_TYPE_BYTES = 32;
const BLOCK_START = latin1('{"type":"');
const TEXT = latin1('text","text":"');
const THINKING = latin1('thinking"');
const TOOL_CALL = latin1('toolCall"');
const SIGNATURE = latin1(',"textSignature":"');
const SKILL = latin1("<skill name=");
/** An array that a key follows; and how pi's content ends, which is the first of these behind its last block. */
const ARRAY_END = latin1('],"');
const CONTENT_END = latin1('}],"api":"');
/** How a key begins that may be a block's or an entry's type. */
const KEY_WITH_T = latin1('"t');
/** A key that every entry has. */
const PARENT_KEY = latin1('"parentId":');

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

/** Roles that are known, and whether the index looks at the content. */
const roles = new Map<string, { kind: LineKind; hasTexts: boolean }>([
	["toolResult", { kind: LineKind.toolResult, hasTexts: false }],
	["assistant", { kind: LineKind.assistant, hasTexts: true }],
	["user", { kind: LineKind.user, hasTexts: true }],
	["custom", { kind: LineKind.customMessage, hasTexts: false }],
	["hookMessage", { kind: LineKind.customMessage, hasTexts: false }],
	["system", { kind: LineKind.other, hasTexts: false }],
	["bashExecution", { kind: LineKind.other, hasTexts: false }],
]);

export class LineStructure {
	readonly #ids: EntryIds;
	readonly #measure = new TextMeasure();
	readonly #arrayEnd = new ByteSearch(ARRAY_END);
	readonly #parentKey = new ByteSearch(PARENT_KEY);

	constructor(ids: EntryIds) {
		this.#ids = ids;
	}

	/**
	 * Reads the line from `start` to `end` (without line feed and trailing white space) into `facts`.
	 * @param measures false: of a message only its kind and its place in the tree matter
	 * @returns false when the line isn't of a known shape: facts mean nothing then
	 */
	read(bytes: Buffer, start: number, end: number, facts: LineFacts, measures = true): boolean {
		if (bytes[end - 1] !== CLOSE_BRACE) return false;
		const role = usualRoleAt(bytes, start);
		const id = role ? usualIdAt(bytes, start) : -1;
		const parent = role ? usualParentAt(bytes, start) : -1;
		if (!role || id < 0 || parent < 0) return this.#readUnusual(bytes, start, end, facts, measures);
		if (bytes[end - 2] !== CLOSE_BRACE) return false;
		facts.kind = role.kind;
		facts.id = this.#ids.internHex(id);
		facts.parent = this.#ids.internHex(parent);
		return !role.hasTexts || this.#readMessage(bytes, usualContentAt(start, role), end, facts, measures);
	}

	#readUnusual(bytes: Buffer, start: number, end: number, facts: LineFacts, measures: boolean): boolean {
		const text = bytes.toString("latin1", start, Math.min(end, start + HEAD_BYTES));
		const found = head.exec(text);
		if (!found) {
			if (end - start <= HEAD_BYTES && this.#readMark(text, facts)) return true;
			return this.readEnds(text, bytes.toString("latin1", Math.max(start, end - TAIL_BYTES), end), facts);
		}
		if (found[1] !== "message") return this.#readPlain(found, text, facts);
		const role = roles.get(found[4] ?? "");
		if (!role || bytes[end - 2] !== CLOSE_BRACE) return false;
		facts.kind = role.kind;
		if (!this.#takeIds(found, facts)) return false;
		if (!role.hasTexts) return true;
		return found[0].endsWith(":") && this.#readMessage(bytes, start + found[0].length, end, facts, measures);
	}

	/**
	 * What can be said of a line from its first bytes alone: the kind of a message whose content isn't looked at.
	 * @returns false when the content, or the line's end, is needed
	 */
	readStart(text: string, facts: LineFacts): boolean {
		const found = head.exec(text);
		const role = found?.[1] === "message" ? roles.get(found[4] ?? "") : undefined;
		if (!found || !role || role.hasTexts) return false;
		facts.kind = role.kind;
		return this.#takeIds(found, facts);
	}

	/** Reads a payload-first line's place in the tree from its last bytes, when its first bytes tell a plain type. */
	readEnds(start: string, end: string, facts: LineFacts): boolean {
		const type = typeWord.exec(start)?.[1] ?? "";
		const kind = plainTypes.get(type);
		if (kind === undefined || (type === "custom" && !otherCustomType.test(start))) return false;
		const found = tail.exec(end);
		if (!found) return false;
		facts.kind = kind;
		return this.#takeIds(["", "", found[1], found[2]], facts);
	}

	/** Reads a message from its content on, which begins at `from`, or leaves it unmeasured. */
	#readMessage(bytes: Buffer, from: number, end: number, facts: LineFacts, measures: boolean): boolean {
		facts.textBytes = measures ? 0 : UNMEASURED;
		return !measures || this.#measureMessage(bytes, from, end, facts);
	}

	#measureMessage(bytes: Buffer, from: number, end: number, facts: LineFacts): boolean {
		const content = this.#readContent(bytes, from, end, facts);
		const outcome = content > 0 ? readMessageEnd(bytes, content, end) : -1;
		if (facts.kind === LineKind.assistant) facts.outcome = outcome;
		return outcome >= 0;
	}

	#readPlain(found: RegExpExecArray, text: string, facts: LineFacts): boolean {
		const kind = plainTypes.get(found[1] ?? "");
		if (kind === undefined || (found[1] === "custom" && !otherCustomType.test(text))) return false;
		facts.kind = kind;
		return this.#takeIds(found, facts);
	}

	#readMark(line: string, facts: LineFacts): boolean {
		const found = mark.exec(line);
		if (!found) return false;
		const [, source = "", entry = "", id, parent] = found;
		facts.mark = { entry: this.#ids.intern(entry), bit: markBits[source as MarkSource] };
		return this.#takeIds(["", "", id, parent], facts);
	}

	/** @param found the id and the parent's id as its third and fourth element */
	#takeIds(found: readonly (string | undefined)[], facts: LineFacts): boolean {
		const [, , id = "", parent] = found;
		facts.id = this.#ids.intern(id);
		facts.parent = parent === undefined ? NO_ID : this.#ids.intern(parent);
		return facts.id !== NO_ID;
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
		return this.#readBlocks(bytes, from + 1, end, facts);
	}

	#readBlocks(bytes: Buffer, from: number, end: number, facts: LineFacts): number {
		let index = from;
		let texts = 0;
		let hasText = false;
		for (;;) {
			if (!standsAt(bytes, index, BLOCK_START)) return -1;
			const type = index + BLOCK_START.length;
			if (standsAt(bytes, type, TEXT)) {
				const text = type + TEXT.length;
				if (facts.kind === LineKind.user && standsAt(bytes, text, SKILL)) return -1;
				const before = facts.textBytes;
				const close = this.#takeText(bytes, text, end, facts);
				hasText ||= facts.textBytes > before;
				if (texts++ > 0) facts.textBytes++;
				index = close < 0 ? -1 : endTextBlock(bytes, close + 1, end);
			} else {
				const isCall = standsAt(bytes, type, TOOL_CALL);
				if (isCall) facts.calls++;
				const typeEnd = endOfBlockType(bytes, type, end);
				if (typeEnd < 0) return -1;
				index = isCall ? this.#endOfCall(bytes, typeEnd, end) : skipNested(bytes, typeEnd, end);
			}
			if (index < 0) return -1;
			if (bytes[index] === CLOSE_BRACKET) break;
			if (bytes[index++] !== COMMA) return -1;
		}
		if (!hasText) facts.textBytes = 0;
		return index + 1;
	}

	/**
	 * Index behind a tool call whose type ends at `from`, or -1. Its arguments are often code, which is full of quotes: that
	 * the content ends with this call is told without a look at them, as long as nothing in them looks like another block.
	 *
	 * A line that holds a second entry was left unfinished by its writer; only a parse can tell.
	 */
	#endOfCall(bytes: Buffer, from: number, end: number): number {
		const close = this.#arrayEnd.after(bytes, from);
		const endsContent = close < end && standsAt(bytes, close - 1, CONTENT_END);
		if (endsContent && !holdsTypedObject(bytes, from, close)) return close;
		return this.#parentKey.after(bytes, from) < end ? -1 : skipNested(bytes, from, end);
	}

	#takeText(bytes: Buffer, from: number, end: number, facts: LineFacts): number {
		const measure = this.#measure;
		measure.reset();
		const close = measure.take(bytes, from, end);
		if (close < 0 || !measure.trusted) return -1;
		facts.textBytes += measure.bytes;
		return close;
	}
}

/** Index behind the type of a block that is no text, and its quote; -1 when that can't be told. */
function endOfBlockType(bytes: Buffer, from: number, end: number): number {
	if (standsAt(bytes, from, TOOL_CALL)) return from + TOOL_CALL.length;
	if (standsAt(bytes, from, THINKING)) return from + THINKING.length;
	const found = otherBlock.exec(bytes.toString("latin1", from, Math.min(end, from + BLOCK_TYPE_BYTES)));
	return found ? from + found[0].length : -1;
}

/** Whether an object begins in these bytes that follows another one, as blocks do, or begins with what may be a type. */
function holdsTypedObject(bytes: Buffer, from: number, end: number): boolean {
	for (let at = bytes.indexOf(OPEN_BRACE, from); at >= 0 && at < end; at = bytes.indexOf(OPEN_BRACE, at + 1)) {
		const isNext = bytes[at - 1] === COMMA && bytes[at - 2] === CLOSE_BRACE;
		if (isNext || standsAt(bytes, at + 1, KEY_WITH_T)) return true;
	}
	return false;
}

/** A text block ends behind its text, or has a signature; other keys might say something else about it. */
function endTextBlock(bytes: Buffer, from: number, end: number): number {
	if (bytes[from] === CLOSE_BRACE) return from + 1;
	if (!standsAt(bytes, from, SIGNATURE)) return -1;
	const close = findStringEnd(bytes, from + SIGNATURE.length, end);
	return close > 0 && bytes[close + 1] === CLOSE_BRACE ? close + 2 : -1;
}
