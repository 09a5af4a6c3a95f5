/**
 * What was read of the newest tool calls and their results, so that a log that has grown isn't asked for it again.
 *
 * A row's line stays what it is as long as its index holds, so nothing in here goes out of date: it goes with the index.
 * Names and ids alone, of a bounded number of rows, and none of a row that has an unusual amount of them.
 */

/** One tool call of an assistant entry. */
export interface LoadedCall {
	readonly id: string;
	readonly name: string;
}

/** The calls of an assistant entry, in order. */
export interface LoadedCalls {
	readonly calls: readonly LoadedCall[];
	readonly time: number | null;
	/** Whether the message failed: its calls are not carried out then. */
	readonly isFailed: boolean;
}

/** A tool result without its content. */
export interface LoadedResult {
	readonly callId: string;
	readonly isError: boolean;
	readonly time: number | null;
}

/** Rows of a kind that are remembered: the newest few that are shown, and some that a busy peer adds. */
const KEPT_ROWS = 32;
/** Bytes of a row that is remembered, roughly; a usual one has one to five calls with ids of thirty characters. */
const KEPT_BYTES = 1024;
/** What a call takes beside its strings' characters, roughly. */
const CALL_BYTES = 80;

/** The latest rows of one kind; the one that came first goes first. */
class RowMemory<Loaded> {
	readonly #rows = new Map<number, Loaded>();
	readonly #bytesOf: (loaded: Loaded) => number;

	constructor(bytesOf: (loaded: Loaded) => number) {
		this.#bytesOf = bytesOf;
	}

	/** Bytes held at most. */
	get size(): number {
		return this.#rows.size * KEPT_BYTES;
	}

	get(row: number): Loaded | undefined {
		return this.#rows.get(row);
	}

	/** Remembers what was loaded of a row, unless that is too much. */
	set(row: number, loaded: Loaded): void {
		if (this.#bytesOf(loaded) > KEPT_BYTES) return;
		const [first] = this.#rows.keys();
		if (first !== undefined && this.#rows.size >= KEPT_ROWS) this.#rows.delete(first);
		this.#rows.set(row, loaded);
	}
}

export class CallMemory {
	readonly calls = new RowMemory<LoadedCalls>(({ calls }) => calls.reduce((sum, call) => sum + bytesOfCall(call), 0));
	readonly results = new RowMemory<LoadedResult>(({ callId }) => 2 * callId.length);

	/** Bytes held at most. */
	get size(): number {
		return this.calls.size + this.results.size;
	}
}

function bytesOfCall({ id, name }: LoadedCall): number {
	return CALL_BYTES + 2 * (id.length + name.length);
}
