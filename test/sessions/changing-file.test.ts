/**
 * A log that something happens to while it is read. The changes are made inside the reads themselves, before each of
 * them in turn, so that every moment of a capture is tried.
 */
import {
	appendFileSync,
	closeSync,
	mkdirSync,
	openSync,
	readFileSync,
	renameSync,
	rmSync,
	symlinkSync,
	truncateSync,
	utimesSync,
	writeFileSync,
	writeSync,
} from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { LogReader } from "../../lib/sessions/log/log-reader.ts";
import { CaptureError } from "../../lib/sessions/query.ts";
import { beforeEachRead } from "./file-reads.ts";
import { temporaryDirectory, timeless, WANT_ALL, writeLog } from "./log-directory.ts";
import { SessionLog } from "./session-log.ts";

vi.setConfig({ testTimeout: 60_000 });

afterEach(() => {
	vi.restoreAllMocks();
});

/** About a megabyte, so that a read takes several pieces. Only the middle says which state this is. */
function logOf(state: string, turns = 12): string {
	const log = new SessionLog();
	for (let turn = 0; turn < turns; turn++) {
		const text = turn > 1 && turn < 10 ? state : "same";
		log.user(`${text} ${turn} ${"question ".repeat(60)}`);
		log.assistant(`${text} ${turn} ${"answer ".repeat(12_500)}`);
	}
	log.name("A name");
	return log.toString();
}

const OLD = logOf("old");
const NEW = logOf("new");
const MORE = logOf("newer", 15);
const HALF = Math.floor(OLD.length / 2);

/** Everything that can become of a file, and what it must be read as then; null: it can't be read any more. */
const CHANGES: Readonly<Record<string, { change(file: string): void; becomes: string | null }>> = {
	"appended to": {
		change: (file) => appendFileSync(file, MORE.slice(OLD.length)),
		becomes: OLD + MORE.slice(OLD.length),
	},
	"appended to by a writer that is not done": { change: (file) => appendFileSync(file, '{"type":"mess'), becomes: OLD },
	"replaced by a rename": { change: (file) => replace(file, NEW), becomes: NEW },
	"replaced by a rename, by a longer one": { change: (file) => replace(file, MORE), becomes: MORE },
	cut: { change: (file) => truncateSync(file, HALF), becomes: OLD.slice(0, HALF) },
	"cut to nothing": { change: (file) => truncateSync(file, 0), becomes: null },
	"cut and written anew": { change: (file) => writeFileSync(file, NEW), becomes: NEW },
	"cut and written anew, longer than before": { change: (file) => writeFileSync(file, MORE), becomes: MORE },
	"overwritten in place, with the same size, start and end": { change: overwrite, becomes: NEW },
	"overwritten in place, with the old modification time": { change: overwriteUnseen, becomes: NEW },
	deleted: { change: (file) => rmSync(file), becomes: null },
	"replaced by a directory": { change: replaceByDirectory, becomes: null },
	"replaced by a link to itself under another name": { change: replaceByLink, becomes: null },
};

/** Smaller reads are of single entries, or of the two ends by which a log is known again. */
const PIECE_BYTES = 64 * 1024;

function replace(file: string, content: string): void {
	writeFileSync(`${file}.new`, content);
	renameSync(`${file}.new`, file);
}

function overwrite(file: string): void {
	const descriptor = openSync(file, "r+");
	writeSync(descriptor, NEW, 0);
	closeSync(descriptor);
}

const LONG_AGO = new Date(Date.UTC(2026, 0, 1));

function overwriteUnseen(file: string): void {
	overwrite(file);
	utimesSync(file, LONG_AGO, LONG_AGO);
}

function replaceByDirectory(file: string): void {
	rmSync(file);
	mkdirSync(file);
}

function replaceByLink(file: string): void {
	renameSync(file, `${file}.elsewhere`);
	symlinkSync(`${file}.elsewhere`, file);
}

function writeOld(): string {
	const file = writeLog(OLD);
	utimesSync(file, LONG_AGO, LONG_AGO);
	return file;
}

/** What a read gives: a capture without its time, or the code of its error. */
async function outcome(reader: LogReader, file: string): Promise<unknown> {
	try {
		return timeless(await reader.read(file, WANT_ALL));
	} catch (error) {
		if (error instanceof CaptureError) return error.code;
		throw error;
	}
}

const expected = new Map<string | null, unknown>([[null, "unavailable"]]);

async function expectedOutcome(content: string | null): Promise<unknown> {
	if (!expected.has(content)) expected.set(content, await outcome(new LogReader(), writeLog(content ?? "")));
	return expected.get(content);
}

describe("a log that changes", () => {
	test.each(Object.entries(CHANGES))(
		"by being %s during a read gives one state whole, or nothing",
		async (_name, { change, becomes }) => {
			const before = await expectedOutcome(OLD);
			const after = await expectedOutcome(becomes);
			let hits = 0;
			for (let moment = 0; ; moment += moment < 8 ? 1 : 19) {
				const file = writeOld();
				let hit = false;
				beforeEachRead(({ count }) => {
					if (count !== moment) return;
					hit = true;
					change(file);
				});
				const result = await outcome(new LogReader(), file);
				vi.restoreAllMocks();
				if (!hit) break;
				hits++;
				const which = [before, after, "unavailable"].findIndex((one) => isDeepEqual(one, result));
				expect({ moment, which }).not.toEqual({ moment, which: -1 });
				expect({ moment, isReadAsItIsThen: isDeepEqual(await outcome(new LogReader(), file), after) }).toEqual({
					moment,
					isReadAsItIsThen: true,
				});
			}
			expect(hits).toBeGreaterThan(8);
		},
	);

	test("between two reads is not taken for the log that it was", async () => {
		for (const [name, { change, becomes }] of Object.entries(CHANGES)) {
			const file = writeOld();
			const reader = new LogReader();
			await outcome(reader, file);
			change(file);
			const isRight = isDeepEqual(await outcome(reader, file), await expectedOutcome(becomes));
			expect({ name, isRight }).toEqual({ name, isRight: true });
		}
	});

	test("while a read is given up leaves nothing of it for the next read", async () => {
		for (const [name, { change, becomes }] of Object.entries(CHANGES)) {
			const file = writeOld();
			const reader = new LogReader();
			const giveUp = new AbortController();
			beforeEachRead(({ offset, length }) => {
				if (length < PIECE_BYTES || offset < HALF / 2 || giveUp.signal.aborted) return;
				change(file);
				giveUp.abort();
			});
			await expect(reader.read(file, WANT_ALL, giveUp.signal)).rejects.toMatchObject({ code: "cancelled" });
			vi.restoreAllMocks();
			const isRight = isDeepEqual(await outcome(reader, file), await expectedOutcome(becomes));
			expect({ name, isRight }).toEqual({ name, isRight: true });
		}
	});

	test("is read again once, and unavailable when it changes again", async () => {
		const file = writeOld();
		let attempts = 0;
		beforeEachRead(({ offset, length }) => {
			if (length < PIECE_BYTES || offset > 0) return;
			attempts++;
			replace(file, readFileSync(file, "utf8") === OLD ? NEW : OLD);
		});
		expect(await outcome(new LogReader(), file)).toBe("unavailable");
		expect(attempts).toBe(2);
	});

	test("later cannot change a capture that was given out", async () => {
		const file = path.join(temporaryDirectory(), "log.jsonl");
		writeFileSync(file, OLD);
		const reader = new LogReader();
		const capture = await reader.read(file, WANT_ALL);
		const copy = structuredClone(capture);
		writeFileSync(file, MORE);
		await reader.read(file, WANT_ALL);
		expect(capture).toEqual(copy);
	});
});

/** Quicker than a matcher, and quiet about megabytes. */
function isDeepEqual(a: unknown, b: unknown): boolean {
	return JSON.stringify(a) === JSON.stringify(b);
}
