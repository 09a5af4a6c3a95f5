/**
 * Brings an index up to the end of its file, in pieces, without blocking the event loop for long.
 *
 * Pieces are read synchronously as long as that is quick, as it is for what the system has in memory: a tenth of a
 * millisecond, where an asynchronous read would wait longer for its thread. After a slow one the next ones are not.
 * Progress stays in the index: a scan that is cancelled or runs out of time goes on there the next time.
 */
import { performance } from "node:perf_hooks";
import type { LogFile } from "./log-file.ts";
import type { LogIndex } from "./log-index.ts";
import { type ExpectedSurface, LogLines } from "./log-lines.ts";
import type { Stretch } from "./stretch.ts";
import { expectSurface } from "./surface-hint.ts";

/** Bytes read at a time. Smaller pieces cost more calls into the system, larger ones more memory that is new to a process. */
const PIECE_BYTES = 1024 * 1024;
/**
 * Bytes worked on at a time: no line is taken in one go that is longer than this and what is held. A log, or what it has
 * grown by, up to this size is one window.
 */
const WINDOW_BYTES = 256 * 1024;
/** An unfinished line up to this size is held until the next piece; a longer one is worked on as it comes. */
const HELD_BYTES = 256 * 1024;
/**
 * Where pieces go in the buffer: behind room for what is held, and half a page. Large buffers tend to begin where a page
 * does, as what the system has in memory does; between two places so alike, processors copy at half their speed.
 */
const PIECE_START = HELD_BYTES + 2048;
const LINE_FEED = 10;
/** A read that took this long, in ms, came from somewhere slow, or the machine is busy. */
const SLOW_READ_MS = 2;
/** So many asynchronous reads come after a slow one. */
const READS_AFTER_SLOW = 16;

/**
 * Indexes the file's lines from the index's end up to `size`. An unterminated last line is left out.
 * @throws the reason of the stretch's signal when it is aborted
 */
export async function scanLog(file: LogFile, index: LogIndex, size: number, stretch: Stretch): Promise<void> {
	const length = size - index.end;
	if (length <= 0 || index.rejected) return;
	if (length <= WINDOW_BYTES) {
		const lines = new LogLines(index);
		file.lookAt(index.end, length, (piece) => lines.take(piece, 0, index.end, Number.POSITIVE_INFINITY));
		return;
	}
	const surface = index.rows === 0 ? await expectSurface(file, size, stretch) : null;
	await new Scan({ file, index, size, stretch, surface }).run();
}

interface ScanOptions {
	readonly file: LogFile;
	readonly index: LogIndex;
	readonly size: number;
	readonly stretch: Stretch;
	readonly surface: ExpectedSurface | null;
}

/** One scan over many pieces; its buffer lives as long as it does. */
class Scan {
	readonly #file: LogFile;
	readonly #index: LogIndex;
	readonly #size: number;
	readonly #lines: LogLines;
	readonly #buffer = Buffer.allocUnsafeSlow(PIECE_START + PIECE_BYTES);
	/** Bytes of an unfinished line, right before where the next piece goes. */
	#held = 0;
	/** Asynchronous reads to come. */
	#unhurried = 0;
	readonly #stretch: Stretch;

	constructor({ file, index, size, stretch, surface }: ScanOptions) {
		this.#file = file;
		this.#stretch = stretch;
		this.#index = index;
		this.#size = size;
		this.#lines = new LogLines(index, surface);
	}

	async run(): Promise<void> {
		let offset = this.#index.end;
		while (offset < this.#size && !this.#index.rejected) {
			this.#stretch.signal?.throwIfAborted();
			const count = this.#unhurried > 0 ? await this.#read(offset) : this.#readNow(offset);
			if (count === 0) return;
			await this.#work(offset, count);
			offset += count;
		}
	}

	#read(offset: number): Promise<number> {
		this.#unhurried--;
		return this.#file.readInto(this.#buffer, PIECE_START, Math.min(PIECE_BYTES, this.#size - offset), offset);
	}

	#readNow(offset: number): number {
		const start = performance.now();
		const count = this.#file.readNow(this.#buffer, PIECE_START, Math.min(PIECE_BYTES, this.#size - offset), offset);
		if (performance.now() - start > SLOW_READ_MS) this.#unhurried = READS_AFTER_SLOW;
		return count;
	}

	async #work(offset: number, count: number): Promise<void> {
		const base = offset - PIECE_START;
		const end = PIECE_START + count;
		let start = PIECE_START - this.#held;
		for (let from = PIECE_START; from < end; from += WINDOW_BYTES) {
			// A view of its own for each window: what is remembered of one must not be taken for the next.
			const window = this.#buffer.subarray(0, Math.min(end, from + WINDOW_BYTES));
			start = await this.#takeWindow(window, start, from, base);
		}
		this.#held = end - start;
		this.#buffer.copyWithin(PIECE_START - this.#held, start, end);
	}

	/**
	 * Takes the lines of a window, whose new bytes begin at `from`; `start` is where an unfinished line before them does.
	 * @returns where the unfinished line at the window's end begins; that end, when it is too long to be held
	 */
	async #takeWindow(window: Buffer, start: number, from: number, base: number): Promise<number> {
		let at = start;
		if (this.#lines.inLongLine) {
			const feed = window.indexOf(LINE_FEED, at);
			at = await this.#takeLong(window, at, feed < 0 ? window.length : feed, base);
		}
		let search = Math.max(at, from);
		for (;;) {
			const taken = this.#lines.take(window, at, base + at, this.#stretch.end, search);
			at = taken.start;
			search = at;
			if (this.#stretch.isOver) await this.#stretch.giveWay();
			if (taken.isDone) break;
		}
		const isHeld = !this.#lines.inLongLine && window.length - at <= HELD_BYTES;
		return isHeld ? at : this.#takeLong(window, at, window.length, base);
	}

	async #takeLong(piece: Buffer, from: number, end: number, base: number): Promise<number> {
		for (let at = from; at < end; ) {
			at = this.#lines.takeLong(piece, at, end, base + at);
			if (this.#stretch.isOver) await this.#stretch.giveWay();
		}
		return end;
	}
}
