/**
 * A session log's header: the only part of a log that is read before it is known whose it is.
 */
import * as z from "zod";
import { parseObject } from "./json-object.ts";
import type { LogFile } from "./log-file.ts";
import type { LogHeader } from "./log-index.ts";

/** A header is some 250 bytes; a line longer than this is none. */
export const MAX_HEADER_BYTES = 64 * 1024;

const headerSchema = z.looseObject({
	type: z.literal("session"),
	id: z.string().min(1).max(512),
	version: z.number().optional().catch(undefined),
	cwd: z.string().catch(""),
	timestamp: z.string().optional().catch(undefined),
	parentSession: z.unknown().optional(),
});

/** Most headers fit in a first read of this size. */
const FIRST_READ_BYTES = 4096;
const LINE_FEED = 10;

/** The header of an opened log: its first line that is a JSON object, among the first 64 KiB; null when it has none. */
export function readHeaderOf(file: LogFile): LogHeader | null {
	const header = file.lookAt(0, FIRST_READ_BYTES, findHeader);
	return header === undefined ? (file.lookAt(0, MAX_HEADER_BYTES, findHeader) ?? null) : header;
}

/** Undefined: no whole line of these bytes decides. */
function findHeader(bytes: Buffer): LogHeader | null | undefined {
	let start = 0;
	for (;;) {
		const feed = bytes.indexOf(LINE_FEED, start);
		if (feed < 0) return undefined;
		const value = parseObject(bytes.toString("utf8", start, feed));
		if (value) return readHeader(value);
		start = feed + 1;
	}
}

/** The header in a parsed first line; null when it is none. */
export function readHeader(value: unknown): LogHeader | null {
	const parsed = headerSchema.safeParse(value, { jitless: true });
	if (!parsed.success) return null;
	const { id, cwd, version, timestamp, parentSession } = parsed.data;
	return {
		id,
		cwd,
		version: version ?? 1,
		parentSession: typeof parentSession === "string" && parentSession !== "" ? parentSession : null,
		createdAt: entryTime(timestamp),
	};
}

/** An entry's timestamp in epoch milliseconds; null when it has no readable one. */
export function entryTime(timestamp: unknown): number | null {
	const time = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
	return Number.isNaN(time) ? null : time;
}
