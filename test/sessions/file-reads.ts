/**
 * Looks at the reads of log files as they are made: how many bytes they bring, and code of a test's own right before
 * one of them. The reads themselves are the real ones.
 */
import { vi } from "vitest";
import { LogFile } from "../../lib/sessions/log/log-file.ts";

/** One read of a file. */
export interface FileRead {
	/** 0 is the first one since this was asked for. */
	readonly count: number;
	readonly offset: number;
	/** Bytes asked for. */
	readonly length: number;
}

/** Calls `hook` right before each read of a log file, until `vi.restoreAllMocks()`. */
export function beforeEachRead(hook: (read: FileRead) => void): void {
	const { readInto, readNow } = LogFile.prototype;
	let count = 0;
	vi.spyOn(LogFile.prototype, "readInto").mockImplementation(function (this: LogFile, bytes, at, length, offset) {
		hook({ count: count++, offset, length });
		return readInto.call(this, bytes, at, length, offset);
	});
	vi.spyOn(LogFile.prototype, "readNow").mockImplementation(function (this: LogFile, bytes, at, length, offset) {
		hook({ count: count++, offset, length });
		return readNow.call(this, bytes, at, length, offset);
	});
}

/** The bytes that are asked of log files while `work` runs. */
export async function bytesRead(work: () => Promise<unknown>): Promise<number> {
	let bytes = 0;
	beforeEachRead(({ length }) => {
		bytes += length;
	});
	try {
		await work();
	} finally {
		vi.restoreAllMocks();
	}
	return bytes;
}
