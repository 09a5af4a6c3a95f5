/**
 * A session log opened so that nothing about it changes: read-only, without following a link at the end, without
 * blocking on a FIFO, and without a new access time where the system offers that.
 *
 * Opening, looking and small reads are synchronous: a few microseconds each on a local file, a tenth of what their
 * asynchronous forms cost. Large reads are asynchronous. `close` waits for a read that is still on its way.
 */
import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, read, readSync } from "node:fs";

const baseFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
// Not on every platform, though the types say so.
const noAccessTime: number | undefined = constants.O_NOATIME;

/** What tells one state of a file from another. */
export interface FileState {
	readonly device: bigint;
	readonly inode: bigint;
	readonly size: number;
	readonly modifiedNs: bigint;
	readonly changedNs: bigint;
}

class NotARegularFileError extends Error {
	constructor() {
		super("Not a regular file.");
		this.name = "NotARegularFileError";
	}
}

/** The state of the file that the path names now; throws when there is none. */
export function stateOfPath(path: string): FileState {
	return toState(lstatSync(path, { bigint: true }));
}

export function isSameState(a: FileState, b: FileState): boolean {
	return isSameFile(a, b) && a.size === b.size && a.modifiedNs === b.modifiedNs && a.changedNs === b.changedNs;
}

export function isSameFile(a: FileState, b: FileState): boolean {
	return a.inode === b.inode && a.device === b.device;
}

function toState(stat: BigIntStats): FileState {
	if (!stat.isFile()) throw new NotARegularFileError();
	return {
		device: stat.dev,
		inode: stat.ino,
		size: Number(stat.size),
		modifiedNs: stat.mtimeNs,
		changedNs: stat.ctimeNs,
	};
}

/** Memory for one look at a time; it is as large as the largest one needed, which is some hundred KiB. */
class Scratch {
	#bytes = Buffer.alloc(0);
	#inUse = false;

	use<T>(length: number, action: (bytes: Buffer) => T): T {
		if (this.#inUse) return action(Buffer.allocUnsafe(length));
		if (length > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(length)));
		this.#inUse = true;
		try {
			return action(this.#bytes);
		} finally {
			this.#inUse = false;
		}
	}
}

const scratch = new Scratch();

export class LogFile {
	readonly path: string;
	/** The file's state when it was opened. */
	readonly openedState: FileState;
	readonly #descriptor: number;
	#pending: Promise<unknown> = Promise.resolve();

	/** Opens a regular file; throws the system's error, or {@link NotARegularFileError}. */
	constructor(path: string) {
		this.path = path;
		({ descriptor: this.#descriptor, state: this.openedState } = openUntouched(path));
	}

	/** The state of the opened file, which may no longer be the one that the path names. */
	state(): FileState {
		return toState(fstatSync(this.#descriptor, { bigint: true }));
	}

	/** Up to `length` bytes at `offset`, in a buffer of its own; for small pieces. */
	readSmall(offset: number, length: number): Buffer {
		const bytes = Buffer.allocUnsafe(length);
		return bytes.subarray(0, this.readNow(bytes, 0, length, offset));
	}

	/**
	 * Shows up to `length` bytes at `offset` to `look`, and returns what it makes of them. The bytes are gone after it:
	 * they stand in memory that all files share, since new memory costs the system more than the read into it.
	 */
	lookAt<T>(offset: number, length: number, look: (bytes: Buffer) => T): T {
		return scratch.use(length, (bytes) => look(bytes.subarray(0, this.readNow(bytes, 0, length, offset))));
	}

	/** Like {@link readInto}, at once. */
	readNow(bytes: Buffer, at: number, length: number, offset: number): number {
		let total = 0;
		while (total < length) {
			const count = readSync(this.#descriptor, bytes, at + total, length - total, offset + total);
			if (count === 0) break;
			total += count;
		}
		return total;
	}

	/** Reads into `bytes` from `at` on; resolves to the number of bytes, less than `length` only at the file's end. */
	readInto(bytes: Buffer, at: number, length: number, offset: number): Promise<number> {
		const reading = this.#fill(bytes, at, length, offset);
		this.#pending = Promise.allSettled([this.#pending, reading]);
		return reading;
	}

	/** Releases the descriptor once no read uses it any more. */
	async close(): Promise<void> {
		await this.#pending;
		closeSync(this.#descriptor);
	}

	/** Releases the descriptor at once; for when only small reads were made. */
	closeNow(): void {
		closeSync(this.#descriptor);
	}

	async #fill(bytes: Buffer, at: number, length: number, offset: number): Promise<number> {
		let total = 0;
		while (total < length) {
			const count = await this.#readOnce(bytes, at + total, length - total, offset + total);
			if (count === 0) break;
			total += count;
		}
		return total;
	}

	#readOnce(bytes: Buffer, at: number, length: number, offset: number): Promise<number> {
		return new Promise((resolve, reject) => {
			read(this.#descriptor, bytes, at, length, offset, (error, count) => (error ? reject(error) : resolve(count)));
		});
	}
}

function openUntouched(path: string): { readonly descriptor: number; readonly state: FileState } {
	const descriptor = openQuietly(path);
	try {
		return { descriptor, state: toState(fstatSync(descriptor, { bigint: true })) };
	} catch (error) {
		closeSync(descriptor);
		throw error;
	}
}

/** The system refuses O_NOATIME on files of other owners. */
function openQuietly(path: string): number {
	if (noAccessTime === undefined) return openSync(path, baseFlags);
	try {
		return openSync(path, baseFlags | noAccessTime);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
		return openSync(path, baseFlags);
	}
}
