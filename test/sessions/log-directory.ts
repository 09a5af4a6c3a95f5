/**
 * A temporary directory for one test's logs, and captures of them as plain values that compare well.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { LogCapture } from "../../lib/sessions/log/indexed-log.ts";
import type { CaptureWant } from "../../lib/sessions/query.ts";

/** Everything, whole. */
export const WANT_ALL = {
	surface: { messages: 100_000, textBytes: 1e9, totalBytes: 1e12, checkpoint: true },
	activity: { calls: 8 },
} as const satisfies CaptureWant;

/** A directory that is removed when the test ends. */
export function temporaryDirectory(): string {
	const directory = mkdtempSync(path.join(tmpdir(), "sessions-"));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	return directory;
}

/** A log in a temporary directory of its own; returns its path. */
export function writeLog(bytes: string | Uint8Array | { toBuffer(): Buffer }): string {
	const file = path.join(temporaryDirectory(), "log.jsonl");
	writeFileSync(file, typeof bytes === "object" && "toBuffer" in bytes ? bytes.toBuffer() : bytes);
	return file;
}

/** A message of a capture, for a comparison by eye and by machine. */
export interface ShownMessage {
	readonly seq: number;
	readonly role: "user" | "assistant";
	readonly text: string;
	readonly checkpoint: boolean;
}

/** The messages that a capture holds; texts must be held whole. */
export function shownMessages({ surface }: LogCapture): ShownMessage[] {
	return (surface?.messages ?? []).map(({ type, seq, text }) => ({
		seq,
		role: type === "assistant/message" ? "assistant" : "user",
		text: text.head + text.tail,
		checkpoint: type === "checkpoint",
	}));
}

/** A capture without its time. */
export function timeless({ capturedAt: _, ...rest }: LogCapture): Omit<LogCapture, "capturedAt"> {
	return rest;
}
