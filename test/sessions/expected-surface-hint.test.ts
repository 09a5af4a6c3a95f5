import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BranchFold } from "../../lib/sessions/log/branch-fold.ts";
import { LogFile } from "../../lib/sessions/log/log-file.ts";
import { LogIndex } from "../../lib/sessions/log/log-index.ts";
import { type ExpectedSurface, LogLines } from "../../lib/sessions/log/log-lines.ts";
import { LogReader } from "../../lib/sessions/log/log-reader.ts";
import { foldMeasured } from "../../lib/sessions/log/measured-fold.ts";
import { Stretch } from "../../lib/sessions/log/stretch.ts";
import { expectSurface } from "../../lib/sessions/log/surface-hint.ts";
import { randomLog } from "../support/logs/random-tree.ts";
import { writeRealisticLog } from "../support/logs/realistic-log.ts";

const MIB = 1024 * 1024;
const directory = mkdtempSync(path.join(tmpdir(), "hint-"));

function figuresOf(fold: BranchFold) {
	const { eligibleMessages, eligibleBytes, withheldMessages, brokenLinks, checkpoint, firstKept } = fold;
	return { eligibleMessages, eligibleBytes, withheldMessages, brokenLinks, checkpoint, firstKept };
}

async function foldOf(bytes: Buffer, surface: ExpectedSurface | null) {
	const written = path.join(directory, "random.jsonl");
	writeFileSync(written, bytes);
	const index = new LogIndex();
	new LogLines(index, surface).take(bytes, 0, 0, Number.POSITIVE_INFINITY);
	const file = new LogFile(written);
	try {
		const fold = await foldMeasured(file, index, new Stretch());
		return { ...figuresOf(fold), ...fold.turns.snapshot() };
	} finally {
		file.closeNow();
	}
}

describe("a hint at where the surface begins", () => {
	it("changes no figure, wherever it points", async () => {
		// Without bad UTF-8 and two torn lines that look like one: only a measure finds those out.
		const logs = randomLog({ maxEntries: 30, versions: [3], brokenUtf8: false }).filter(
			({ lines }) => !lines.some(({ text }) => text.includes('"content":"torn ')),
		);
		await fc.assert(
			fc.asyncProperty(logs, fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(), async (log, share, pick) => {
				const ids = log.lines.map(({ entry }) => entry?.id).filter((id) => typeof id === "string");
				const firstKeptId = ids.length > 0 && pick % 3 > 0 ? (ids[pick % ids.length] ?? null) : null;
				const hint = { compactionOffset: Math.floor(share * log.bytes.length), firstKeptId };
				expect(await foldOf(log.bytes, hint)).toEqual(await foldOf(log.bytes, null));
			}),
			{ numRuns: 400 },
		);
	});

	it("is found at the end of a large log, and the capture is the one of a log read whole", async () => {
		const file = path.join(directory, "compacted.jsonl");
		writeRealisticLog(file, { seed: 7, bytes: 12 * MIB, surfaceBytes: MIB });
		const log = new LogFile(file);
		const { size } = log.state();
		expect((await expectSurface(log, size, new Stretch()))?.compactionOffset).toBeGreaterThan(size - 2 * MIB);
		const bytes = log.readSmall(0, size);
		const index = new LogIndex();
		new LogLines(index).take(bytes, 0, 0, Number.POSITIVE_INFINITY);
		const whole = figuresOf(await foldMeasured(log, index, new Stretch()));
		log.closeNow();
		const want = { messages: 8, textBytes: 4096, totalBytes: 16384, checkpoint: true };
		const { surface } = await new LogReader().read(file, { surface: want });
		expect(surface?.eligibleMessages).toBe(whole.eligibleMessages);
		expect(surface?.eligibleBytes).toBe(whole.eligibleBytes);
		expect(index.hasUnmeasured).toBe(false);
	});

	it("is not looked for in a small log", async () => {
		const file = path.join(directory, "small.jsonl");
		writeRealisticLog(file, { seed: 7, bytes: 2 * MIB, surfaceBytes: MIB });
		const log = new LogFile(file);
		expect(await expectSurface(log, log.state().size, new Stretch())).toBe(null);
		log.closeNow();
	});
});
