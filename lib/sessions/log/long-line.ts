/**
 * One line that is too long to be held: its facts from its first and last bytes, or from a filtered copy.
 */

import { readEntryFacts } from "./entry-facts.ts";
import type { EntryIds } from "./entry-ids.ts";
import type { LineFacts } from "./line-facts.ts";
import { LineFilter } from "./line-filter.ts";
import type { LineStructure } from "./line-structure.ts";

const HEAD_BYTES = 4096;
const TAIL_BYTES = 512;

export class LongLine {
	readonly #structure: LineStructure;
	#head: Buffer | null = null;
	#tail = Buffer.alloc(0);
	/** Null when the content does not matter. */
	#filter: LineFilter | null = null;

	constructor(structure: LineStructure) {
		this.#structure = structure;
	}

	/** Takes the next bytes of the line. The first piece must hold at least the line's first 4 KiB. */
	take(bytes: Buffer, from: number, end: number, facts: LineFacts): void {
		if (!this.#head) {
			this.#head = Buffer.from(bytes.subarray(from, Math.min(end, from + HEAD_BYTES)));
			facts.reset();
			const contentMatters = !this.#structure.readStart(this.#head, this.#head.length, facts);
			this.#filter = contentMatters ? new LineFilter() : null;
		}
		this.#filter?.take(bytes, from, end);
		const kept = this.#tail.subarray(Math.max(0, this.#tail.length - TAIL_BYTES));
		this.#tail = Buffer.concat([kept, bytes.subarray(Math.max(from, end - TAIL_BYTES), end)]);
	}

	/** Reads the whole line's facts; false when it can't be read. */
	finish(ids: EntryIds, facts: LineFacts, versionOne: boolean): boolean {
		if (!this.#head) return false;
		const tail = trimEnd(this.#tail);
		facts.reset();
		if (!this.#filter) {
			return (
				this.#structure.readStart(this.#head, this.#head.length, facts) && tail.toString("latin1").slice(-2) === "}}"
			);
		}
		if (!versionOne && this.#structure.readEnds(this.#head, tail, facts)) return true;
		facts.reset();
		const copy = this.#filter.parse();
		return copy !== null && readEntryFacts(copy.value, copy.find, ids, facts, versionOne);
	}
}

function trimEnd(bytes: Buffer): Buffer {
	let end = bytes.length;
	while (end > 0 && (bytes[end - 1] ?? 0) <= 32) end--;
	return bytes.subarray(0, end);
}
