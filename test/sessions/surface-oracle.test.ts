/**
 * The reader against pi's own projection, over random logs.
 */
import { writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { SurfaceEvent } from "../../lib/projection/events.ts";
import { cutToBytes } from "../../lib/projection/text.ts";
import { MAX_PARSED_BYTES } from "../../lib/sessions/log/log-lines.ts";
import { LogReader } from "../../lib/sessions/log/log-reader.ts";
import { expectedLog } from "../support/logs/expected-surface.ts";
import { randomLog } from "../support/logs/random-tree.ts";
import { shownMessages, temporaryDirectory, WANT_ALL } from "./log-directory.ts";

vi.setConfig({ testTimeout: 60_000 });

describe("the surface of a log", () => {
	test("is what pi's own projection shows, reduced to texts of user, assistant and checkpoint", async () => {
		const file = path.join(temporaryDirectory(), "log.jsonl");
		await fc.assert(
			fc.asyncProperty(randomLog(), async ({ bytes }) => {
				fc.pre(!hasLongLine(bytes));
				writeFileSync(file, bytes);
				const capture = await new LogReader().read(file, WANT_ALL);
				const { eligible, throughSeq, title } = expectedLog(bytes);
				expect(shownMessages(capture)).toEqual(eligible);
				expect(capture.surface?.eligibleMessages).toBe(eligible.length);
				expect(capture.surface?.eligibleBytes).toBe(sizeOf(eligible));
				expect(capture.surface?.withheldMessages).toBe(0);
				expect(capture.capturedThroughSeq).toBe(throughSeq);
				expect(capture.title).toBe(title);
			}),
			{ numRuns: 200 },
		);
	});

	test("is held in parts as asked: the newest messages, the ends of long texts, and still the exact totals", async () => {
		const file = path.join(temporaryDirectory(), "log.jsonl");
		const wants = fc.record({
			messages: fc.integer({ min: 0, max: 8 }),
			textBytes: fc.constantFrom(0, 1, 7, 64, 1024, 100_000),
			totalBytes: fc.constantFrom(0, 100, 5000, 1e9),
			checkpoint: fc.boolean(),
		});
		await fc.assert(
			fc.asyncProperty(randomLog(), wants, async ({ bytes }, want) => {
				fc.pre(!hasLongLine(bytes));
				writeFileSync(file, bytes);
				const whole = (await new LogReader().read(file, WANT_ALL)).surface;
				const part = (await new LogReader().read(file, { surface: want })).surface;
				expect({ ...part, messages: [] }).toEqual({ ...whole, messages: [] });
				const messages = part?.messages ?? [];
				expect(messages.map(({ seq }) => seq)).toEqual(heldSeqs(whole?.messages ?? [], want));
				for (const message of messages) {
					const { text, ...rest } = message;
					const source = whole?.messages.find(({ seq }) => seq === message.seq);
					expect({ ...rest, text: source?.text }).toEqual(source);
					expect(text).toEqual(cutToBytes(source?.text ?? text, want.textBytes));
				}
			}),
			{ numRuns: 200 },
		);
	});
});

/** Of a line that is too long to be parsed whole only the ends of texts are kept, which is line-facts.test.ts's matter. */
function hasLongLine(bytes: Buffer): boolean {
	let start = 0;
	for (let feed = bytes.indexOf(10); feed >= 0; feed = bytes.indexOf(10, start)) {
		if (feed - start > MAX_PARSED_BYTES) return true;
		start = feed + 1;
	}
	return false;
}

/** Newest messages while there is room, and the checkpoint, when it is asked for, in any case. */
function heldSeqs(
	messages: readonly SurfaceEvent[],
	want: { messages: number; textBytes: number; totalBytes: number; checkpoint: boolean },
): number[] {
	const seqs: number[] = [];
	let held = 0;
	for (const { type, seq, text } of messages.toReversed()) {
		const isFull = seqs.length >= want.messages || held >= want.totalBytes;
		if (isFull && !(want.checkpoint && type === "checkpoint")) continue;
		seqs.unshift(seq);
		held += Math.min(text.bytes, want.textBytes);
	}
	return seqs;
}

function sizeOf(messages: readonly { readonly text: string }[]): number {
	return messages.reduce((sum, { text }) => sum + new TextEncoder().encode(text).length, 0);
}
