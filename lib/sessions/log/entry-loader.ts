/**
 * Reads single entries again, for the few texts and calls that leave the log. Each line is validated whole here.
 */
import type { CapturedText } from "../../projection/events.ts";
import { captureText, cutToBytes, utf8Bytes } from "../../projection/text.ts";
import type { CallMemory, LoadedCall, LoadedCalls, LoadedResult } from "./call-memory.ts";
import { nothingElided } from "./entry-facts.ts";
import { textBlocks } from "./entry-text.ts";
import { asRecord, parseObject } from "./json-object.ts";
import { isFailed, outcomeNumber } from "./line-facts.ts";
import { type ElidedText, type FindElided, LineFilter } from "./line-filter.ts";
import type { LogFile } from "./log-file.ts";
import { entryTime } from "./log-header.ts";
import type { LogIndex } from "./log-index.ts";
import { LONG_STEP_BYTES, MAX_PARSED_BYTES } from "./log-lines.ts";
import type { Stretch } from "./stretch.ts";

const SLICE_BYTES = 1024 * 1024;
/** Entries kept parsed while a capture is built. */
const KEPT_ENTRIES = 32;

/** As pi writes tool results: what they answer stands in the first bytes, how they ended in the last. */
const RESULT_HEAD_BYTES = 1024;
const RESULT_TAIL_BYTES = 160;
const resultStart =
	/^\{"type":"message","id":"[^"\\]+","parentId":(?:null|"[^"\\]+"),"timestamp":"([^"\\]+)","message":\{"role":"toolResult","toolCallId":"([ !#-[\]-~]+)","/;
const resultEnd = /,"isError":(true|false),"timestamp":\d+(?:,"durationMs":[\d.]+)?\}\}$/;

/** A line that the index took for an entry can't be read whole. */
export class DamagedRowError extends Error {
	readonly row: number;
	constructor(row: number) {
		super("A log line could not be read.");
		this.name = "DamagedRowError";
		this.row = row;
	}
}

interface ParsedLine {
	readonly value: unknown;
	readonly find: FindElided;
}

/** One entry as parsed, with what was left out of long lines. */
export interface LoadedEntry {
	readonly entry: Record<string, unknown>;
	readonly message: Record<string, unknown> | null;
	readonly time: number | null;
	readonly find: FindElided;
}

export class EntryLoader {
	readonly #file: LogFile;
	readonly #index: LogIndex;
	readonly stretch: Stretch;
	readonly #memory: CallMemory;
	/** What was parsed for this capture: a message's texts and its calls are asked for one after the other. */
	readonly #parsed = new Map<number, ParsedLine | null>();

	/** @param memory what was read for earlier captures of the same index */
	constructor(file: LogFile, index: LogIndex, stretch: Stretch, memory: CallMemory) {
		this.#file = file;
		this.#index = index;
		this.stretch = stretch;
		this.#memory = memory;
	}

	/** Reads a row's line whole. @throws DamagedRowError */
	async load(row: number): Promise<LoadedEntry> {
		const parsed = await this.#parse(row);
		const entry = asRecord(parsed?.value);
		if (!parsed || !entry) throw new DamagedRowError(row);
		return { entry, message: asRecord(entry.message), time: entryTime(entry.timestamp), find: parsed.find };
	}

	/** Makes sure that a row's line is whole: two torn lines can look like one. @throws DamagedRowError */
	async validate(row: number): Promise<void> {
		const length = this.#index.length(row);
		if (length <= MAX_PARSED_BYTES) {
			if (!(await this.#parse(row))) throw new DamagedRowError(row);
			return;
		}
		const filter = await this.#filterLong(row, length);
		if (!filter.overflowed && !filter.parse()) throw new DamagedRowError(row);
	}

	/** The tool calls of an assistant entry; their arguments are not kept. @throws DamagedRowError */
	async loadCalls(row: number): Promise<LoadedCalls> {
		const known = this.#memory.calls.get(row);
		if (known) return known;
		const { message, time } = await this.load(row);
		const loaded = { calls: callsOf(message), time, isFailed: isFailed(outcomeNumber(message?.stopReason)) };
		this.#memory.calls.set(row, loaded);
		return loaded;
	}

	/** Which call a tool result answers, and how; the result itself is not decoded. @throws DamagedRowError */
	async loadResult(row: number): Promise<LoadedResult> {
		const known = this.#memory.results.get(row);
		if (known) return known;
		const loaded = this.#usualResult(row) ?? (await this.#unusualResult(row));
		this.#memory.results.set(row, loaded);
		return loaded;
	}

	#usualResult(row: number): LoadedResult | null {
		const offset = this.#index.offset(row);
		const length = this.#index.length(row);
		const head = this.#file.readSmall(offset, Math.min(length, RESULT_HEAD_BYTES)).toString("latin1");
		const start = resultStart.exec(head);
		if (!start) return null;
		const tailLength = Math.min(length, RESULT_TAIL_BYTES);
		const tail = this.#file.readSmall(offset + length - tailLength, tailLength).toString("latin1");
		const end = resultEnd.exec(tail);
		return end && { callId: start[2] ?? "", isError: end[1] === "true", time: entryTime(start[1]) };
	}

	async #unusualResult(row: number): Promise<LoadedResult> {
		const { message, time } = await this.load(row);
		const callId = typeof message?.toolCallId === "string" ? message.toolCallId : "";
		return { callId, isError: message?.isError === true, time };
	}

	/**
	 * The text of a content value, at most `maxBytes` of it.
	 * @param bytes what the index says it has: a different size means that the file is not what was indexed
	 */
	text(
		row: number,
		loaded: LoadedEntry,
		content: unknown,
		skills: boolean,
		bytes: number,
		maxBytes: number,
	): CapturedText {
		const text = joinBlocks(textBlocks(content, loaded.find, skills), maxBytes);
		if (text.bytes !== bytes) throw new DamagedRowError(row);
		return text;
	}

	async #parse(row: number): Promise<ParsedLine | null> {
		const known = this.#parsed.get(row);
		if (known !== undefined) return known;
		if (this.stretch.isOver) await this.stretch.giveWay();
		const length = this.#index.length(row);
		const parsed =
			length <= MAX_PARSED_BYTES
				? this.#file.lookAt(this.#index.offset(row), length, parseLine)
				: (await this.#filterLong(row, length)).parse();
		if (this.#parsed.size >= KEPT_ENTRIES) this.#parsed.clear();
		this.#parsed.set(row, parsed);
		return parsed;
	}

	async #filterLong(row: number, length: number): Promise<LineFilter> {
		const filter = new LineFilter();
		const slice = Buffer.allocUnsafeSlow(Math.min(SLICE_BYTES, length));
		for (let taken = 0; taken < length; ) {
			const want = Math.min(slice.length, length - taken);
			const count = await this.#file.readInto(slice, 0, want, this.#index.offset(row) + taken);
			this.stretch.signal?.throwIfAborted();
			if (count === 0) break;
			await this.#filterSlice(filter, slice.subarray(0, count));
			taken += count;
		}
		return filter;
	}

	/** In small steps: the slice may consist of nothing but what costs most. */
	async #filterSlice(filter: LineFilter, slice: Buffer): Promise<void> {
		for (let at = 0; at < slice.length; at += LONG_STEP_BYTES) {
			filter.take(slice, at, Math.min(slice.length, at + LONG_STEP_BYTES));
			if (this.stretch.isOver) await this.stretch.giveWay();
		}
	}
}

function parseLine(line: Buffer): ParsedLine | null {
	const value = parseObject(line.toString("utf8"));
	return value && { value, find: nothingElided };
}

/** The calls of an assistant message, in order. Calls without an id or a name can't be paired or shown. */
function callsOf(message: Record<string, unknown> | null): LoadedCall[] {
	const calls: LoadedCall[] = [];
	if (!Array.isArray(message?.content)) return calls;
	for (const block of message.content) {
		const { type, id, name } = asRecord(block) ?? {};
		if (type === "toolCall" && typeof id === "string" && typeof name === "string") calls.push({ id, name });
	}
	return calls;
}

function joinBlocks(blocks: readonly (string | ElidedText)[], maxBytes: number): CapturedText {
	const firstElided = blocks.findIndex((block) => typeof block !== "string");
	if (firstElided < 0) return captureText(blocks.join("\n"), maxBytes);
	const lastElided = blocks.findLastIndex((block) => typeof block !== "string");
	const sizes = blocks.map((block) => (typeof block === "string" ? utf8Bytes(block) : block.bytes));
	const heads = blocks.slice(0, firstElided + 1).map((block) => (typeof block === "string" ? block : block.head));
	const tails = blocks.slice(lastElided).map((block) => (typeof block === "string" ? block : block.tail));
	const bytes = sizes.reduce((sum, size) => sum + size, blocks.length - 1);
	return cutToBytes({ bytes, head: heads.join("\n"), tail: tails.join("\n") }, maxBytes);
}
