/**
 * The index that is kept of a log: a read goes on where the last one stopped, and costs what is new.
 */
import { appendFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { LogReader } from "../../lib/sessions/log/log-reader.ts";
import { assistantMessage, type JsonObject, toolCallBlock } from "../support/logs/pi-entries.ts";
import { randomLog } from "../support/logs/random-tree.ts";
import { RealisticAppender, writeRealisticLog } from "../support/logs/realistic-log.ts";
import { cuts } from "./byte-slices.ts";
import { beforeEachRead, bytesRead } from "./file-reads.ts";
import { temporaryDirectory, timeless, WANT_ALL, writeLog } from "./log-directory.ts";
import { SessionLog } from "./session-log.ts";

vi.setConfig({ testTimeout: 60_000 });

afterEach(() => {
	vi.restoreAllMocks();
});

const OVERVIEW = {
	surface: { messages: 3, textBytes: 1024, totalBytes: 16_384, checkpoint: false },
	activity: { calls: 8 },
};

const LONG_AGO = new Date(Date.UTC(2026, 0, 1));

/** The two ends by which a log is known again, a few times, and single entries. */
const SMALL_CHANGE = 64 * 1024;

/** A log of some megabytes, last written long ago. */
function writeLargeLog(): { file: string; size: number; leafId: string | null } {
	const file = path.join(temporaryDirectory(), "large.jsonl");
	const { bytes: size, leafId } = writeRealisticLog(file, { seed: 14, bytes: 4_000_000, imageShare: 0 });
	utimesSync(file, LONG_AGO, LONG_AGO);
	return { file, size, leafId };
}

const LONG_TEXT = "x".repeat(200_000);

/** An assistant message with calls as `[id, tool name, an argument]`. */
function callsMessage(log: SessionLog, calls: readonly (readonly [string, string, string])[]): JsonObject {
	const content = calls.map(([id, name, argument]) => toolCallBlock(id, name, { content: argument }));
	return assistantMessage({ content, stopReason: "toolUse", timestamp: log.time + 1000 });
}

/** Reads the log's activity, lets it grow by one answer, and reads it again: the bytes of both, and the second capture. */
async function readTwice(log: SessionLog): Promise<{ first: number; second: number; capture: unknown }> {
	const want = { activity: { calls: 8 } };
	const file = writeLog(log);
	const reader = new LogReader();
	const first = await bytesRead(() => reader.read(file, want));
	const before = log.toString().length;
	log.assistant("done");
	appendFileSync(file, log.toString().slice(before));
	let capture: unknown;
	const second = await bytesRead(async () => (capture = timeless(await reader.read(file, want))));
	expect(capture).toEqual(timeless(await new LogReader().read(file, want)));
	return { first, second, capture };
}

describe("a log that grows between reads", () => {
	test("is read as if it were read for the first time, wherever its writer paused", async () => {
		const directory = temporaryDirectory();
		let files = 0;
		await fc.assert(
			fc.asyncProperty(randomLog(), cuts, async ({ bytes }, fractions) => {
				const file = path.join(directory, `${files++}.jsonl`);
				const header = bytes.indexOf(10) + 1;
				const pauses = fractions.map((fraction) => header + Math.floor(fraction * (bytes.length - header)));
				const reader = new LogReader();
				let written = 0;
				for (const pause of [...pauses.sort((a, b) => a - b), bytes.length]) {
					appendFileSync(file, bytes.subarray(written, pause));
					written = pause;
					const { damagedLines, ...goingOn } = timeless(await reader.read(file, WANT_ALL));
					const fresh = timeless(await new LogReader().read(file, WANT_ALL));
					expect({ ...goingOn, damagedLines: fresh.damagedLines }).toEqual(fresh);
					// Only the last line is looked at whole: whoever saw more last lines may have found more damage.
					expect(damagedLines).toBeGreaterThanOrEqual(fresh.damagedLines);
				}
			}),
			{ numRuns: 100 },
		);
	});

	test("costs a read of what is new", async () => {
		const { file, size, leafId } = writeLargeLog();
		const reader = new LogReader();
		expect(await bytesRead(() => reader.read(file, OVERVIEW))).toBeGreaterThanOrEqual(size);
		const writer = new RealisticAppender(file, { seed: 8, leafId });
		writer.append(10);
		writer.close();
		const added = statSync(file).size - size;
		expect(await bytesRead(() => reader.read(file, OVERVIEW))).toBeLessThan(2 * added + SMALL_CHANGE);
		expect(timeless(await reader.read(file, WANT_ALL))).toEqual(timeless(await new LogReader().read(file, WANT_ALL)));
	});

	test("is not asked again for the calls that were shown before", async () => {
		const log = new SessionLog();
		log.user("go");
		log.message(callsMessage(log, [["call-1", "write", LONG_TEXT]]));
		log.result("call-1", "write");
		const { first, second, capture } = await readTwice(log);
		expect(first).toBeGreaterThan(LONG_TEXT.length);
		expect(second).toBeLessThan(SMALL_CHANGE);
		expect(capture).toMatchObject({ activity: { calls: [{ name: "write", callId: "call-1", outcome: "completed" }] } });
	});

	test.each([
		["so many calls", Array.from({ length: 2000 }, (_, n) => [`call-${n}`, "read", "x".repeat(100)] as const)],
		["so long a name", [["call-1", "n".repeat(LONG_TEXT.length), ""]] as const],
	])("keeps nothing of a message with %s", async (_, calls) => {
		const log = new SessionLog();
		log.user("go");
		log.message(callsMessage(log, calls));
		const { first, second } = await readTwice(log);
		expect(first).toBeGreaterThan(LONG_TEXT.length);
		expect(second).toBeGreaterThan(LONG_TEXT.length);
	});

	test("costs no read at all while nothing is new", async () => {
		const { file } = writeLargeLog();
		const reader = new LogReader();
		const first = await reader.read(file, OVERVIEW);
		let second: unknown;
		expect(await bytesRead(async () => (second = await reader.read(file, OVERVIEW)))).toBe(0);
		expect(second).toEqual({ ...first, capturedAt: expect.any(Number) });
		expect(second).toHaveProperty(
			"capturedAt",
			expect.toSatisfy((time: number) => time >= first.capturedAt),
		);
	});

	test("shows what another question asks for, without being read whole again", async () => {
		const { file } = writeLargeLog();
		const reader = new LogReader();
		await reader.read(file, { activity: { calls: 1 } });
		let answer: unknown;
		const cost = await bytesRead(async () => (answer = timeless(await reader.read(file, OVERVIEW))));
		expect(cost).toBeLessThan(1024 * 1024);
		expect(answer).toEqual(timeless(await new LogReader().read(file, OVERVIEW)));
	});

	test("is read once for two readers who ask at the same time", async () => {
		const { file, size } = writeLargeLog();
		const reader = new LogReader();
		const both: unknown[] = [];
		const cost = await bytesRead(async () => {
			const captures = await Promise.all([reader.read(file, OVERVIEW), reader.read(file, OVERVIEW)]);
			both.push(...captures.map(timeless));
		});
		expect(cost).toBeLessThan(size + 1024 * 1024);
		expect(both[0]).toEqual(both[1]);
	});
});

describe("a read that is cancelled", () => {
	test("fails as cancelled, and the next one goes on where it stopped", async () => {
		const { file, size } = writeLargeLog();
		const reader = new LogReader();
		const giveUp = new AbortController();
		beforeEachRead(({ offset, length }) => {
			if (length > SMALL_CHANGE && offset > size / 2) giveUp.abort();
		});
		await expect(reader.read(file, OVERVIEW, giveUp.signal)).rejects.toMatchObject({ code: "cancelled" });
		vi.restoreAllMocks();
		let capture: unknown;
		const cost = await bytesRead(async () => (capture = timeless(await reader.read(file, OVERVIEW))));
		expect(cost).toBeLessThan(size * 0.75);
		expect(capture).toEqual(timeless(await new LogReader().read(file, OVERVIEW)));
	});

	test("before it began reads nothing", async () => {
		const { file } = writeLargeLog();
		const cost = await bytesRead(async () => {
			const read = new LogReader().read(file, OVERVIEW, AbortSignal.abort());
			await expect(read).rejects.toMatchObject({ code: "cancelled" });
		});
		expect(cost).toBe(0);
	});

	test("leaves another reader of the same log alone", async () => {
		const { file } = writeLargeLog();
		const reader = new LogReader();
		const giveUp = new AbortController();
		const cancelled = reader.read(file, OVERVIEW, giveUp.signal);
		const other = reader.read(file, OVERVIEW);
		giveUp.abort();
		await expect(cancelled).rejects.toMatchObject({ code: "cancelled" });
		expect(timeless(await other)).toEqual(timeless(await new LogReader().read(file, OVERVIEW)));
	});
});

describe("the indexes that a reader keeps", () => {
	const KEPT_LOGS = 64;

	test("are those of the logs that were read last", async () => {
		const directory = temporaryDirectory();
		const log = new SessionLog();
		for (let turn = 0; turn < 100; turn++) log.assistant(log.user("question ".repeat(40)));
		const files = Array.from({ length: KEPT_LOGS + 1 }, (_, number) => path.join(directory, `${number}.jsonl`));
		for (const file of files) writeFileSync(file, log.toBuffer());
		const reader = new LogReader();
		const read = (index: number) => reader.read(files[index] ?? "", { activity: { calls: 0 } });
		for (let index = 0; index < KEPT_LOGS; index++) await read(index);
		await read(0);
		await read(KEPT_LOGS);
		const size = log.toBuffer().length;
		expect(await bytesRead(() => read(0))).toBeLessThan(size / 2);
		expect(await bytesRead(() => read(KEPT_LOGS))).toBeLessThan(size / 2);
		expect(await bytesRead(() => read(1))).toBeGreaterThan(size);
	});

	test("take a bounded part of the memory, whatever the logs hold", async () => {
		const directory = temporaryDirectory();
		const files = ["one", "two"].map((name) => path.join(directory, `${name}.jsonl`));
		for (const file of files) writeFileSync(file, manyEntries(270_000));
		const reader = new LogReader();
		const read = (index: number) => reader.read(files[index] ?? "", { activity: { calls: 0 } });
		await read(0);
		expect(await bytesRead(() => read(0))).toBeLessThan(SMALL_CHANGE);
		await read(1);
		expect(await bytesRead(() => read(1))).toBeLessThan(SMALL_CHANGE);
		expect(await bytesRead(() => read(0))).toBeGreaterThan(1024 * 1024);
	});
});

function manyEntries(count: number): string {
	const lines = [new SessionLog().toString()];
	for (let number = 0; number < count; number++) {
		const id = number.toString(16).padStart(8, "0");
		lines.push(`{"type":"label","id":"${id}","parentId":null,"timestamp":"2026-03-01T09:00:00.000Z"}\n`);
	}
	return lines.join("");
}
