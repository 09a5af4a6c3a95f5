/**
 * Finds the name that a log holds now, from its end: titles of many sessions are wanted without reading the logs.
 */
import { setImmediate } from "node:timers/promises";
import { parseObject } from "./json-object.ts";
import type { LogFile } from "./log-file.ts";

const PIECE_BYTES = 256 * 1024;
/** A line that sets a name is some 150 bytes. One that is longer than this is passed over. */
const MAX_LINE_BYTES = 64 * 1024;
/** Inside a string both quotes would be escaped, so these bytes stand only where they are a value (or a key). */
const TYPE = Buffer.from('"session_info"', "latin1");
const LINE_FEED = 10;

/**
 * The newest name among the first `size` bytes; null when there is none, or it was emptied.
 * @throws the signal's reason when it is aborted
 */
export async function findTitle(file: LogFile, size: number, signal?: AbortSignal): Promise<string | null> {
	for (let end = size; end > 0; ) {
		signal?.throwIfAborted();
		const start = Math.max(0, end - PIECE_BYTES);
		// The overlaps are for lines that go over the borders of this piece.
		const from = Math.max(0, start - MAX_LINE_BYTES);
		const length = Math.min(size, end + MAX_LINE_BYTES) - from;
		const name = file.lookAt(from, length, (piece) => newestName(piece, start - from, end - from, from === 0));
		if (name !== undefined) return name;
		end = start;
		if (end > 0) await setImmediate();
	}
	return null;
}

/** Looks at lines whose type stands from `first` to `before`; `isStart`: the piece begins where a line begins. */
function newestName(piece: Buffer, first: number, before: number, isStart: boolean): string | null | undefined {
	for (let at = before; at > first; ) {
		at = piece.lastIndexOf(TYPE, at - 1);
		if (at < first) return undefined;
		const feed = piece.lastIndexOf(LINE_FEED, at);
		const end = piece.indexOf(LINE_FEED, at);
		// Other places of the same line can't tell more.
		at = feed + 1;
		if (end < 0 || (feed < 0 && !isStart) || end - feed > MAX_LINE_BYTES) continue;
		const entry = parseObject(piece.toString("utf8", feed + 1, end));
		if (entry?.type !== "session_info") continue;
		return typeof entry.name === "string" ? entry.name.trim() || null : null;
	}
	return undefined;
}
