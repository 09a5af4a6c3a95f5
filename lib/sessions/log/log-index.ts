/**
 * The index of one session log: a row for each entry, and what the log says as a whole.
 *
 * It owns no file and holds no text. Rows are numbered in file order; they only ever get added, or dropped when a
 * closer look shows that a line can't be read.
 */
import { EntryIds, NO_ID } from "./entry-ids.ts";
import { type CompactionFacts, type EditFacts, type LineFacts, LineKind, markBits, UNMEASURED } from "./line-facts.ts";

/** Entries of one log that are indexed at most: about 45 MB of index. Real logs have some ten thousand. */
export const MAX_ENTRIES = 1_000_000;

/** No row. */
export const NO_ROW = -1;

/** How {@link UNMEASURED} stands among unsigned numbers. */
const UNMEASURED_BYTES = 0xffffffff;

/** The first line, as far as anyone needs it. */
export interface LogHeader {
	readonly id: string;
	readonly cwd: string;
	readonly version: number;
	/** Path of the log that this session was forked from, as the header has it; null for a session of its own. */
	readonly parentSession: string | null;
	/** Epoch milliseconds; null when the header has no readable timestamp. */
	readonly createdAt: number | null;
}

export class LogIndex {
	readonly ids: EntryIds;
	readonly edits = new Map<number, EditFacts>();
	readonly compactions = new Map<number, CompactionFacts>();
	header: LogHeader | null = null;
	/** Version 1 logs have no ids: each entry follows the one before it. */
	versionOne = false;
	/** The newest name; null when there is none, or it was emptied. */
	name: string | null = null;
	/** Physical lines seen, the header among them. */
	lines = 0;
	/** Bytes indexed: the start of the first line that was not seen. */
	end = 0;
	/** Lines that can't be read or that a later line with the same id replaces. */
	damagedLines = 0;
	/** The file can't be used: it doesn't begin with a header, or has more entries than are indexed. */
	rejected = false;
	/** Some messages were not expected to be on the surface, and have not been measured. */
	hasUnmeasured = false;
	/** Grows when a line changes what older lines mean: a repeated id, a mark that withholds one, a dropped row. */
	revision = 0;

	#rows = 0;
	/** Dropped rows at the end don't count as the leaf. */
	#leaf = NO_ROW;
	#offsets = new Float64Array(256);
	#lengths = new Uint32Array(256);
	#seqs = new Uint32Array(256);
	#ids = new Int32Array(256);
	#parents = new Int32Array(256);
	#textBytes = new Uint32Array(256);
	#kinds = new Uint8Array(256);
	#outcomes = new Uint8Array(256);
	#calls = new Uint16Array(256);
	/** Version 1: the row of each JSON object of the file in order, since compactions name their place there. */
	readonly #objects: number[] = [];

	/** @param expectedRows how many rows there will be, roughly: saves growing step by step */
	constructor(expectedRows = 0) {
		this.ids = new EntryIds(expectedRows);
		if (expectedRows > this.#offsets.length) this.#grow(2 ** Math.ceil(Math.log2(expectedRows)));
	}

	get rows(): number {
		return this.#rows;
	}

	/** The last entry of the file: where the current branch ends. */
	get leaf(): number {
		return this.#leaf;
	}

	/** Bytes held, roughly. */
	get size(): number {
		const perRow = 8 + 4 * 5 + 1 + 1 + 2;
		return this.#offsets.length * perRow + this.ids.size + (this.edits.size + this.compactions.size) * 160;
	}

	offset(row: number): number {
		return this.#offsets[row] ?? 0;
	}

	length(row: number): number {
		return this.#lengths[row] ?? 0;
	}

	seq(row: number): number {
		return this.#seqs[row] ?? 0;
	}

	id(row: number): number {
		return this.#ids[row] ?? NO_ID;
	}

	/** Symbol of the parent's id; NO_ID for a root. */
	parentId(row: number): number {
		return this.#parents[row] ?? NO_ID;
	}

	/** Row of the parent; NO_ROW for a root and for a parent that isn't there. */
	parent(row: number): number {
		return this.ids.rowOf(this.#parents[row] ?? NO_ID);
	}

	kind(row: number): LineKind {
		return (this.#kinds[row] ?? LineKind.other) as LineKind;
	}

	textBytes(row: number): number {
		return this.#textBytes[row] ?? 0;
	}

	/** Whether a message's texts are still to be measured, and its calls to be counted. */
	isUnmeasured(row: number): boolean {
		return this.#textBytes[row] === UNMEASURED_BYTES;
	}

	/** Completes an unmeasured row. */
	measure(row: number, facts: LineFacts): void {
		this.#textBytes[row] = facts.textBytes;
		this.#outcomes[row] = facts.outcome;
		this.#calls[row] = facts.calls;
	}

	outcome(row: number): number {
		return this.#outcomes[row] ?? 0;
	}

	calls(row: number): number {
		return this.#calls[row] ?? 0;
	}

	/** Version 1: the row of the file's n-th JSON object, the header being number 0. */
	objectRow(number: number): number {
		return this.#objects[number] ?? NO_ROW;
	}

	/** A JSON object that is no entry: the header, or what looks like another one. */
	addObject(): void {
		if (this.versionOne) this.#objects.push(NO_ROW);
	}

	/** Adds an entry at the end of the file. */
	add(facts: LineFacts, offset: number, length: number): void {
		if (this.#rows >= MAX_ENTRIES) {
			this.rejected = true;
			return;
		}
		if (this.#rows === this.#offsets.length) this.#grow();
		const row = this.#rows++;
		const id = this.versionOne ? this.ids.fresh() : facts.id;
		this.#offsets[row] = offset;
		this.#lengths[row] = length;
		this.#seqs[row] = this.lines;
		this.#ids[row] = id;
		this.#parents[row] = this.versionOne ? this.id(this.#leaf) : facts.parent;
		this.#kinds[row] = facts.kind;
		this.#textBytes[row] = facts.textBytes;
		this.hasUnmeasured ||= facts.textBytes === UNMEASURED;
		this.#outcomes[row] = facts.outcome;
		this.#calls[row] = facts.calls;
		this.#leaf = row;
		if (this.versionOne) this.#objects.push(row);
		if (this.ids.setRow(id, row) !== NO_ROW) {
			this.damagedLines++;
			this.revision++;
		}
		if (facts.kind !== LineKind.other || facts.mark || facts.name !== undefined) this.#addDetails(facts, row);
	}

	/** Takes a row out whose line turned out to be unreadable. */
	drop(row: number): void {
		this.damagedLines++;
		this.revision++;
		this.#kinds[row] = LineKind.other;
		const id = this.id(row);
		if (this.ids.rowOf(id) === row) this.ids.setRow(id, NO_ROW);
		if (row !== this.#leaf) return;
		do this.#leaf--;
		while (this.#leaf >= 0 && this.ids.rowOf(this.id(this.#leaf)) === NO_ROW);
	}

	#addDetails(facts: LineFacts, row: number): void {
		if (facts.edit) this.edits.set(row, facts.edit);
		if (facts.compaction) this.compactions.set(row, facts.compaction);
		if (facts.name !== undefined) this.name = facts.name;
		const mark = facts.mark;
		if (!mark || mark.entry === NO_ID) return;
		if (this.ids.addMarks(mark.entry, mark.bit) && mark.bit !== markBits.user) this.revision++;
	}

	#grow(length = this.#offsets.length * 2): void {
		this.#offsets = grown(this.#offsets, new Float64Array(length));
		this.#lengths = grown(this.#lengths, new Uint32Array(length));
		this.#seqs = grown(this.#seqs, new Uint32Array(length));
		this.#ids = grown(this.#ids, new Int32Array(length));
		this.#parents = grown(this.#parents, new Int32Array(length));
		this.#textBytes = grown(this.#textBytes, new Uint32Array(length));
		this.#kinds = grown(this.#kinds, new Uint8Array(length));
		this.#outcomes = grown(this.#outcomes, new Uint8Array(length));
		this.#calls = grown(this.#calls, new Uint16Array(length));
	}
}

function grown<T extends { set(from: T): void }>(from: T, to: T): T {
	to.set(from);
	return to;
}
