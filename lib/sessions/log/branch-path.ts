/**
 * The current branch as a list: its rows from the leaf to the root, and the kind of each.
 *
 * The kinds stand in bytes, one after the other, so that the engine's own search finds what a fold looks for; it is at
 * full speed at once, where a loop in a new process is not. A walk that would not end does, where it comes back.
 */
import { NO_ID } from "./entry-ids.ts";
import type { LineKind } from "./line-facts.ts";
import { type LogIndex, NO_ROW } from "./log-index.ts";
import type { Stretch } from "./stretch.ts";

/** Not found. */
export const NOWHERE = -1;

/** Rows between two looks at the clock: a fraction of a millisecond, in a new process too. */
const ROWS_PER_LOOK = 512;

export class BranchPath {
	/** Newest first. */
	readonly rows: Int32Array;
	readonly #kinds: Uint8Array;
	/** Whether the last row names a parent that is missing, or that stands on the path already. */
	readonly isBroken: boolean;

	private constructor(rows: Int32Array, kinds: Uint8Array, isBroken: boolean) {
		this.rows = rows;
		this.#kinds = kinds;
		this.isBroken = isBroken;
	}

	/** Walks from the index's leaf towards the root. @throws the reason of the stretch's signal when it is aborted */
	static async of(index: LogIndex, stretch: Stretch): Promise<BranchPath> {
		const seen = new Uint8Array(index.rows);
		const rows = new Int32Array(index.rows);
		const kinds = new Uint8Array(index.rows);
		let length = 0;
		let row = index.leaf;
		while (row !== NO_ROW && seen[row] === 0) {
			seen[row] = 1;
			rows[length] = row;
			kinds[length] = index.kind(row);
			length++;
			row = index.parent(row);
			if (length % ROWS_PER_LOOK === 0 && stretch.isOver) await stretch.giveWay();
		}
		const isBroken = length > 0 && index.parentId(rows[length - 1] ?? NO_ROW) !== NO_ID;
		return new BranchPath(rows.subarray(0, length), kinds.subarray(0, length), isBroken);
	}

	get length(): number {
		return this.rows.length;
	}

	/** The row at this place; {@link NO_ROW} where there is none. */
	row(at: number): number {
		return this.rows[at] ?? NO_ROW;
	}

	kind(at: number): LineKind {
		return this.#kinds[at] as LineKind;
	}

	/** The first place of a kind at or behind `from`, which is at or before it in time; {@link NOWHERE} if there is none. */
	olderOf(kind: LineKind, from = 0): number {
		return this.#kinds.indexOf(kind, from);
	}

	/** The first place of a kind at or before `from`, which is at or after it in time; {@link NOWHERE} if there is none. */
	newerOf(kind: LineKind, from: number): number {
		return from < 0 ? NOWHERE : this.#kinds.lastIndexOf(kind, from);
	}
}
