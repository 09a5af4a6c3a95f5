/**
 * Cutting a byte stream into frames: one line of strict UTF-8 each.
 *
 * Promise: what comes out is in the order it came in, however the bytes were split, and the first fault ends it: the
 * frames before it are still good, nothing after it is looked at. Never holds more than one frame's bound. Knows no
 * sockets and no JSON.
 */
import { WIRE_LIMITS } from "./limits.ts";

/** `too_large`: the frame can't end within its bound any more. `bad_utf8`: not UTF-8. `unfinished`: no line feed. */
export type FrameFault = "too_large" | "bad_utf8" | "unfinished";

export type FrameItem =
	| { readonly type: "frame"; readonly text: string }
	| { readonly type: "fault"; readonly fault: FrameFault };

const LINE_FEED = 0x0a;

export class FrameReader {
	readonly #maxBytes: number;
	readonly #decoder = new TextDecoder("utf-8", { fatal: true });
	/** Decoded pieces of the frame that is still coming in. */
	#pieces: string[] = [];
	/** Raw bytes of that frame. */
	#bytes = 0;
	#ended = false;

	/** `maxBytes`: raw bytes of one frame with its line feed. */
	constructor(maxBytes: number = WIRE_LIMITS.frameBytes) {
		this.#maxBytes = maxBytes;
	}

	/** Takes the next bytes and returns what they complete. */
	push(chunk: Uint8Array): FrameItem[] {
		const items: FrameItem[] = [];
		let start = 0;
		while (start < chunk.length && !this.#ended) {
			const lineFeed = chunk.indexOf(LINE_FEED, start);
			const end = lineFeed === -1 ? chunk.length : lineFeed + 1;
			const item = this.#take(chunk.subarray(start, end), lineFeed !== -1);
			if (item !== null) items.push(item);
			start = end;
		}
		return items;
	}

	/** Says that no more bytes come. Bytes without a line feed are a fault. */
	end(): FrameItem[] {
		if (this.#ended) return [];
		const unfinished = this.#bytes > 0;
		return unfinished ? [this.#fail("unfinished")] : this.#close();
	}

	#take(bytes: Uint8Array, complete: boolean): FrameItem | null {
		// One byte of the bound is the line feed's. What fits is decoded first, so that the fault doesn't depend on the split.
		const room = this.#maxBytes - 1 - this.#bytes;
		const tooLarge = bytes.length - (complete ? 1 : 0) > room;
		this.#bytes += bytes.length;
		try {
			this.#pieces.push(this.#decoder.decode(tooLarge ? bytes.subarray(0, room) : bytes, { stream: true }));
		} catch {
			return this.#fail("bad_utf8");
		}
		if (tooLarge) return this.#fail("too_large");
		if (!complete) return null;
		const text = this.#pieces.join("").slice(0, -1);
		this.#pieces = [];
		this.#bytes = 0;
		return { type: "frame", text };
	}

	#fail(fault: FrameFault): FrameItem {
		this.#close();
		return { type: "fault", fault };
	}

	#close(): [] {
		this.#ended = true;
		this.#pieces = [];
		return [];
	}
}
