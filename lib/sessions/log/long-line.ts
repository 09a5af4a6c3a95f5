/**
 * One line that is too long to be held: its facts from its first and last bytes, or from a filtered copy.
 */
import { readEntryFacts } from "./entry-facts.ts";
import type { EntryIds } from "./entry-ids.ts";
import { trimmedEnd } from "./json-bytes.ts";
import type { LineFacts } from "./line-facts.ts";
import { LineFilter } from "./line-filter.ts";
import type { LineStructure } from "./line-structure.ts";

const HEAD_BYTES = 512;
const TAIL_BYTES = 512;

export class LongLine {
	readonly #structure: LineStructure;
	/** The line's first bytes, as latin1. */
	#head: string | null = null;
	#tail = Buffer.alloc(0);
	/** Null when the content does not matter. */
	#filter: LineFilter | null = null;

	constructor(structure: LineStructure) {
		this.#structure = structure;
	}

	/** Whether the content matters; false costs next to nothing, however much of the line there is. */
	get readsContent(): boolean {
		return this.#filter !== null;
	}

	/** Takes the next bytes of the line. The first piece must hold at least the line's first 512 bytes. */
	take(bytes: Buffer, from: number, end: number, facts: LineFacts): void {
		if (this.#head === null) {
			this.#head = bytes.toString("latin1", from, Math.min(end, from + HEAD_BYTES));
			facts.reset();
			const contentMatters = !this.#structure.readStart(this.#head, facts);
			this.#filter = contentMatters ? new LineFilter() : null;
		}
		this.#filter?.take(bytes, from, end);
		const kept = this.#tail.subarray(Math.max(0, this.#tail.length - TAIL_BYTES));
		this.#tail = Buffer.concat([kept, bytes.subarray(Math.max(from, end - TAIL_BYTES), end)]);
	}

	/** Reads the whole line's facts; false when it can't be read. */
	finish(ids: EntryIds, facts: LineFacts, versionOne: boolean): boolean {
		if (this.#head === null) return false;
		const tail = this.#tail.toString("latin1", 0, trimmedEnd(this.#tail, 0, this.#tail.length));
		facts.reset();
		if (!this.#filter) return this.#structure.readStart(this.#head, facts) && tail.endsWith("}}");
		if (!versionOne && this.#structure.readEnds(this.#head, tail, facts)) return true;
		facts.reset();
		const copy = this.#filter.parse();
		return copy !== null && readEntryFacts(copy.value, copy.find, ids, facts, versionOne);
	}
}
