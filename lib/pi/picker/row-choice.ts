/**
 * Which rows are to be seen and which of them is chosen, while rows come and go and the person types.
 *
 * Promise: a listing never moves the choice to another session as long as the chosen one is there.
 */
import { filterRows, type PickerRow } from "./rows.ts";

export class RowChoice {
	#rows: readonly PickerRow[] = [];
	#query = "";
	#visible: readonly PickerRow[] = [];
	#index = 0;

	/** All rows, whatever is typed. */
	get rows(): readonly PickerRow[] {
		return this.#rows;
	}

	/** The rows that fit what is typed; the same array until something changes. */
	get visible(): readonly PickerRow[] {
		return this.#visible;
	}

	get query(): string {
		return this.#query;
	}

	/** Place of the chosen row among the visible ones; 0 when there is none. */
	get index(): number {
		return this.#index;
	}

	get chosen(): PickerRow | null {
		return this.#visible[this.#index] ?? null;
	}

	/** Takes a newer listing. A chosen session that is gone leaves its place to the next one. */
	update(rows: readonly PickerRow[]): void {
		const { chosen } = this;
		this.#rows = rows;
		this.#visible = filterRows(rows, this.#query);
		const place = chosen === null ? -1 : placeOf(this.#visible, chosen);
		this.move(place === -1 ? 0 : place - this.#index);
	}

	/** Takes what is typed now; the best row is chosen then. */
	search(query: string): void {
		if (query === this.#query) return;
		this.#query = query;
		this.#visible = filterRows(this.#rows, query);
		this.#index = 0;
	}

	/** Chooses the row that many places further down; ends at the first and the last. */
	move(places: number): void {
		this.#index = Math.max(0, Math.min(this.#index + places, this.#visible.length - 1));
	}

	choose(key: string): void {
		const place = this.#visible.findIndex((row) => row.key === key);
		if (place !== -1) this.#index = place;
	}

	/** The session of a row as the newest listing has it; the row itself when it is not there any more. */
	latest(row: PickerRow): PickerRow {
		return this.#rows[placeOf(this.#rows, row)] ?? row;
	}
}

/** A session that ended, or came up, has a new key. */
function placeOf(rows: readonly PickerRow[], { key, sessionId }: PickerRow): number {
	const place = rows.findIndex((row) => row.key === key);
	return place === -1 ? rows.findIndex((row) => row.sessionId === sessionId) : place;
}
