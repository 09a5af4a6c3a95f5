/**
 * Brings an index up to the end of its file, in pieces, without blocking the event loop for long.
 *
 * The next piece is on its way while the current one is worked on. Progress stays in the index: a scan that is
 * cancelled or runs out of time goes on there the next time.
 */
import { setImmediate } from "node:timers/promises";
import type { LogFile } from "./log-file.ts";
import type { LogIndex } from "./log-index.ts";
import { LogLines } from "./log-lines.ts";

/** Bytes read at a time. */
const PIECE_BYTES = 1024 * 1024;
/** An unfinished line up to this size is held until the next piece; a longer one is worked on as it comes. */
const HELD_BYTES = 256 * 1024;
/** Less than this is read at once, synchronously. */
const SMALL_BYTES = 128 * 1024;
/** Time of one stretch of work, in ms; other work gets its turn between two. */
const STRETCH_MS = 3;

/**
 * Indexes the file's lines from the index's end up to `size`. An unterminated last line is left out.
 * @throws the signal's reason when it is aborted
 */
export async function scanLog(file: LogFile, index: LogIndex, size: number, signal?: AbortSignal): Promise<void> {
	const length = size - index.end;
	if (length <= 0 || index.rejected) return;
	if (length <= SMALL_BYTES) {
		const piece = file.readSmall(index.end, length);
		new LogLines(index).take(piece, 0, index.end, Number.POSITIVE_INFINITY);
		return;
	}
	await new Scan(file, index, size).run(signal);
}

/** One scan over many pieces; its two buffers live as long as it does. */
class Scan {
	readonly #file: LogFile;
	readonly #index: LogIndex;
	readonly #size: number;
	readonly #lines: LogLines;
	#working = Buffer.allocUnsafeSlow(HELD_BYTES + PIECE_BYTES);
	#loading = Buffer.allocUnsafeSlow(HELD_BYTES + PIECE_BYTES);
	/** Bytes of an unfinished line, right before the working buffer's piece. */
	#held = 0;
	#heldEnd = HELD_BYTES;

	constructor(file: LogFile, index: LogIndex, size: number) {
		this.#file = file;
		this.#index = index;
		this.#size = size;
		this.#lines = new LogLines(index);
	}

	async run(signal: AbortSignal | undefined): Promise<void> {
		let offset = this.#index.end;
		let reading = this.#read(offset);
		while (offset < this.#size && !this.#index.rejected) {
			const count = await reading;
			signal?.throwIfAborted();
			if (count === 0) return;
			this.#swap();
			const next = offset + count;
			if (next < this.#size) reading = this.#read(next);
			await this.#work(offset, count, signal);
			offset = next;
		}
	}

	#read(offset: number): Promise<number> {
		const reading = this.#file.readInto(this.#loading, HELD_BYTES, Math.min(PIECE_BYTES, this.#size - offset), offset);
		// Awaited by the next turn of the loop, or, after an abort, by the file's close.
		reading.catch(() => {});
		return reading;
	}

	#swap(): void {
		// The held bytes go right before the new piece.
		const filled = this.#working;
		this.#working = this.#loading;
		this.#loading = filled;
		const from = this.#heldEnd - this.#held;
		filled.copy(this.#working, HELD_BYTES - this.#held, from, this.#heldEnd);
	}

	async #work(offset: number, count: number, signal: AbortSignal | undefined): Promise<void> {
		const piece = this.#working.subarray(0, HELD_BYTES + count);
		const base = offset - HELD_BYTES;
		let start = HELD_BYTES - this.#held;
		let search = HELD_BYTES;
		for (;;) {
			const taken = this.#lines.take(piece, start, base + start, performance.now() + STRETCH_MS, search);
			start = taken.start;
			search = start;
			if (taken.isDone) break;
			await setImmediate();
			signal?.throwIfAborted();
		}
		this.#held = piece.length - start;
		this.#heldEnd = piece.length;
		if (this.#lines.inLongLine || this.#held > HELD_BYTES) {
			this.#lines.takeLong(piece, start, base + start);
			this.#held = 0;
		}
	}
}
