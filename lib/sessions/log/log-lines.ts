/**
 * From bytes to index rows: splits what was read into lines and has each line read in the cheapest way that is sound.
 *
 * It owns the state between two pieces of a file (a long line in progress). It does no I/O and never throws on what a
 * file holds.
 */
import { performance } from "node:perf_hooks";
import { nothingElided, readEntryFacts } from "./entry-facts.ts";
import { NO_ID } from "./entry-ids.ts";
import { trimmedEnd } from "./json-bytes.ts";
import { parseObject } from "./json-object.ts";
import { LineFacts } from "./line-facts.ts";
import { LineStructure } from "./line-structure.ts";
import { MAX_HEADER_BYTES, readHeader } from "./log-header.ts";
import type { LogIndex } from "./log-index.ts";
import { LongLine } from "./long-line.ts";

const LINE_FEED = 10;

/** A line up to this size may be parsed whole: a millisecond or so. */
export const MAX_PARSED_BYTES = 256 * 1024;

/** Lines between two looks at the clock: the first lines of a new process take a fraction of a millisecond each. */
const LINES_PER_LOOK = 4;

/** Bytes of a long line taken at a time: a few milliseconds when they hold nothing but what costs most. */
export const LONG_STEP_BYTES = 16 * 1024;

/** Where the newest compaction of a log seems to stand, and what it keeps of what came before. */
export interface ExpectedSurface {
	readonly compactionOffset: number;
	readonly firstKeptId: string | null;
}

/** What became of a piece of the file. */
export interface Taken {
	/** Index of the first byte that was not taken. */
	readonly start: number;
	/** False when the time was over before the lines were. */
	readonly isDone: boolean;
}

export class LogLines {
	readonly #index: LogIndex;
	readonly #structure: LineStructure;
	readonly #facts = new LineFacts();
	/** Messages before this place in the file are not measured, unless the first kept entry comes sooner. */
	#measuredFrom: number;
	readonly #firstKept: number;
	#long: LongLine | null = null;
	#longStart = 0;

	/** @param surface where the surface is expected to begin: messages before it need not be measured */
	constructor(index: LogIndex, surface: ExpectedSurface | null = null) {
		this.#index = index;
		this.#structure = new LineStructure(index.ids);
		this.#measuredFrom = surface?.compactionOffset ?? 0;
		this.#firstKept = surface?.firstKeptId ? index.ids.intern(surface.firstKeptId) : NO_ID;
	}

	/** Whether a line is in progress that will not be held. */
	get inLongLine(): boolean {
		return this.#long !== null;
	}

	/**
	 * Takes whole lines from a piece of the file, until it has no more or `until` (performance.now()) has passed.
	 * @param piece bytes of the file; `piece[from]` stands at `offset` in it
	 * @param searchFrom where to look for the first line's end: what stands before was looked at already
	 * @returns how far it came, and whether there may be more
	 */
	take(piece: Buffer, from: number, offset: number, until: number, searchFrom = from): Taken {
		let start = from;
		let search = searchFrom;
		for (let count = 1; start < piece.length; count++) {
			const feed = piece.indexOf(LINE_FEED, search);
			if (feed < 0) break;
			this.#endLine(piece, start, feed, offset + start - from);
			start = feed + 1;
			search = start;
			this.#index.lines++;
			this.#index.end = offset + start - from;
			if (count % LINES_PER_LOOK === 0 && performance.now() >= until) return { start, isDone: false };
		}
		return { start, isDone: true };
	}

	/**
	 * Takes the beginning or the middle of a line that is too long to be held, a little at a time: it may consist of
	 * nothing but what costs most.
	 * @param offset where `piece[from]` stands in the file
	 * @returns where it came to: `end`, or not much further than `from`
	 */
	takeLong(piece: Buffer, from: number, end: number, offset: number): number {
		const isNew = this.#long === null;
		this.#long ??= new LongLine(this.#structure);
		if (isNew) this.#longStart = offset;
		const isCheap = !isNew && !this.#long.readsContent;
		const stop = isCheap ? end : Math.min(end, from + LONG_STEP_BYTES);
		this.#long.take(piece, from, stop, this.#facts);
		return stop;
	}

	#endLine(piece: Buffer, start: number, feed: number, offset: number): void {
		if (!this.#index.header && offset + feed - start > MAX_HEADER_BYTES) {
			// Where nobody looks for a header, none is found later either.
			this.#index.rejected = true;
			return;
		}
		if (this.#long) {
			this.#endLong(piece, start, feed, offset);
			return;
		}
		const end = trimmedEnd(piece, start, feed);
		if (end === start) return;
		const index = this.#index;
		const facts = this.#facts;
		if (index.header && !index.versionOne && this.#readStructure(piece, start, end, offset)) {
			index.add(facts, offset, end - start);
		} else {
			this.#parseLine(piece, start, end, offset);
		}
	}

	/** Logs with and without a surface take the same way here: what never ran before would not be compiled. */
	#readStructure(piece: Buffer, start: number, end: number, offset: number): boolean {
		const facts = this.#facts;
		facts.reset();
		const measures = offset >= this.#measuredFrom;
		if (!this.#structure.read(piece, start, end, facts, measures)) return false;
		if (facts.id !== this.#firstKept || measures) return true;
		this.#measuredFrom = 0;
		facts.reset();
		return this.#structure.read(piece, start, end, facts);
	}

	#endLong(piece: Buffer, start: number, feed: number, offset: number): void {
		const long = this.#long;
		this.#long = null;
		long?.take(piece, start, feed, this.#facts);
		const read = this.#index.header && long?.finish(this.#index.ids, this.#facts, this.#index.versionOne);
		if (read) this.#index.add(this.#facts, this.#longStart, offset - this.#longStart + feed - start);
		else this.#index.damagedLines++;
	}

	#parseLine(piece: Buffer, start: number, end: number, offset: number): void {
		const index = this.#index;
		if (end - start > MAX_PARSED_BYTES) {
			this.#long = new LongLine(this.#structure);
			this.#longStart = offset;
			this.#endLong(piece, start, end, offset);
			return;
		}
		const value = parseObject(piece.toString("utf8", start, end));
		if (value === null) {
			index.damagedLines++;
		} else if (!index.header) {
			this.#takeHeader(value, end - start);
		} else if (value.type === "session") {
			index.damagedLines++;
			index.addObject();
		} else {
			this.#facts.reset();
			const read = readEntryFacts(value, nothingElided, index.ids, this.#facts, index.versionOne);
			if (read) {
				index.add(this.#facts, offset, end - start);
			} else {
				index.damagedLines++;
				index.addObject();
			}
		}
	}

	/** The first object of the file must be the header; else it is no session, and nothing in it is an entry. */
	#takeHeader(value: Record<string, unknown>, length: number): void {
		const index = this.#index;
		const header = length <= MAX_HEADER_BYTES ? readHeader(value) : null;
		if (!header) {
			index.rejected = true;
			return;
		}
		index.header = header;
		index.versionOne = header.version < 2;
		index.addObject();
	}
}
