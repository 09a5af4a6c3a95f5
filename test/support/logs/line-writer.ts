/**
 * Writes lines to a file through one large buffer. Owns the file descriptor from the constructor to `close()`.
 */
import { closeSync, openSync, writeSync } from "node:fs";

const BUFFER_BYTES = 4 * 1024 * 1024;

export class LineWriter {
	readonly #descriptor: number;
	readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
	#used = 0;
	#bytes = 0;
	#lines = 0;

	/** `a` appends to the file, `w` replaces it. */
	constructor(file: string, flag: "a" | "w") {
		this.#descriptor = openSync(file, flag);
	}

	/** Bytes given to this writer so far, newlines included. */
	get bytes(): number {
		return this.#bytes;
	}

	/** Lines given to this writer so far: the number of the next one in a new file. */
	get lines(): number {
		return this.#lines;
	}

	/** Writes one line and its newline; returns how many bytes that was. */
	line(text: string): number {
		// Three bytes per UTF-16 unit is the most that UTF-8 can need.
		if (text.length * 3 + 1 > BUFFER_BYTES - this.#used) this.flush();
		const bytes = text.length * 3 + 1 > BUFFER_BYTES ? this.#writeLong(text) : this.#writeShort(text);
		this.#bytes += bytes;
		this.#lines += 1;
		return bytes;
	}

	/** Hands everything to the file system. */
	flush(): void {
		writeAll(this.#descriptor, this.#buffer.subarray(0, this.#used));
		this.#used = 0;
	}

	close(): void {
		try {
			this.flush();
		} finally {
			closeSync(this.#descriptor);
		}
	}

	#writeShort(text: string): number {
		const written = this.#buffer.write(text, this.#used, "utf8");
		this.#used += written;
		this.#buffer[this.#used] = 0x0a;
		this.#used += 1;
		return written + 1;
	}

	#writeLong(text: string): number {
		const bytes = Buffer.from(`${text}\n`, "utf8");
		writeAll(this.#descriptor, bytes);
		return bytes.length;
	}
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
	for (let offset = 0; offset < bytes.length; ) offset += writeSync(descriptor, bytes, offset);
}
