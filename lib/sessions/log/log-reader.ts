/**
 * Reads session logs and keeps their indexes: a bounded number, the least recently used ones go first.
 */
import type { CaptureWant } from "../query.ts";
import { IndexedLog, type LogCapture } from "./indexed-log.ts";

/** Logs whose index is kept. */
const MAX_LOGS = 64;
/** Bytes of all kept indexes: some 700,000 entries. */
const MAX_BYTES = 32 * 1024 * 1024;

export class LogReader {
	/** In order of use, the latest last. */
	readonly #logs = new Map<string, IndexedLog>();

	/**
	 * Captures the log at `path` as it is now, without changing anything about it.
	 * @throws CaptureError
	 */
	async read(path: string, want: CaptureWant, signal?: AbortSignal): Promise<LogCapture> {
		const log = this.#logs.get(path) ?? new IndexedLog(path);
		this.#logs.delete(path);
		this.#logs.set(path, log);
		try {
			return await log.capture(want, signal);
		} finally {
			this.#trim(path);
		}
	}

	/** Drops the least recently used indexes; the one in hand stays, whatever its size. */
	#trim(inHand: string): void {
		let bytes = 0;
		for (const log of this.#logs.values()) bytes += log.size;
		for (const [path, log] of this.#logs) {
			if (this.#logs.size <= MAX_LOGS && bytes <= MAX_BYTES) return;
			if (path === inHand) continue;
			bytes -= log.size;
			this.#logs.delete(path);
		}
	}
}
