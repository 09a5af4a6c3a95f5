/**
 * A first look at a log's end for its newest compaction: what came before it need not be measured.
 *
 * It is a hint and nothing else. Whatever turns out to be on the surface without having been measured is measured then.
 */
import { parseObject } from "./json-object.ts";
import type { LogFile } from "./log-file.ts";
import { type ExpectedSurface, MAX_PARSED_BYTES } from "./log-lines.ts";
import type { Stretch } from "./stretch.ts";

/** How far back the look goes; its cost must be nothing beside the read. */
const LOOK_BYTES = 4 * 1024 * 1024;
const PIECE_BYTES = 256 * 1024;
/** A file that is not much larger gains nothing. */
const LEAST_BYTES = 2 * LOOK_BYTES;

/** Inside a string these quotes would be escaped. */
const COMPACTION = Buffer.from('\n{"type":"compaction"', "latin1");
const LINE_FEED = 10;

/**
 * Where the newest compaction of a large log stands, when it is near the end; null when there is none.
 * @throws the reason of the stretch's signal when it is aborted
 */
export async function expectSurface(file: LogFile, size: number, stretch: Stretch): Promise<ExpectedSurface | null> {
	if (size < LEAST_BYTES) return null;
	for (let looked = 0; looked < LOOK_BYTES / PIECE_BYTES; looked++) {
		if (stretch.isOver) await stretch.giveWay();
		const start = size - (looked + 1) * PIECE_BYTES;
		const at = file.lookAt(start, Math.min(PIECE_BYTES + COMPACTION.length, size - start), lastOf);
		if (at >= 0) return readCompaction(file, start + at + 1, size);
	}
	return null;
}

/** Searching forward is the quick way of the engine, and compactions are few. */
function lastOf(piece: Buffer): number {
	let last = -1;
	for (let at = piece.indexOf(COMPACTION); at >= 0; at = piece.indexOf(COMPACTION, at + 1)) last = at;
	return last;
}

function readCompaction(file: LogFile, offset: number, size: number): ExpectedSurface | null {
	const bytes = file.readSmall(offset, Math.min(MAX_PARSED_BYTES, size - offset));
	const feed = bytes.indexOf(LINE_FEED);
	const entry = feed < 0 ? null : parseObject(bytes.toString("utf8", 0, feed));
	if (entry?.type !== "compaction") return null;
	const { id, firstKeptEntryId } = entry;
	const keepsSome = typeof firstKeptEntryId === "string" && firstKeptEntryId !== id;
	return { compactionOffset: offset, firstKeptId: keepsSome ? firstKeptEntryId : null };
}
