/** What is brought up to date again and again: one piece of work at a time, and nothing left when it ends. */
import { describe, expect, test } from "vitest";
import { Refreshing } from "../../../lib/pi/picker/refreshing.ts";
import { ManualClock } from "../../peers/manual-clock.ts";

/** Work that the test lets end. */
function setting() {
	const clock = new ManualClock();
	const fence = new AbortController();
	const runs: { readonly signal: AbortSignal; readonly end: () => Promise<void> }[] = [];
	const refreshing = () =>
		new Refreshing({
			work: (signal) => {
				const { promise, resolve } = Promise.withResolvers<void>();
				runs.push({
					signal,
					end: async () => {
						resolve();
						await promise;
						await Promise.resolve();
					},
				});
				return promise;
			},
			every: 2000,
			clock,
			fence: fence.signal,
		});
	return { clock, fence, runs, refreshing };
}

describe("work that is done again and again", () => {
	test("begins at once, and again so long after it ended; never twice at a time", async () => {
		const { clock, runs, refreshing } = setting();
		refreshing();
		expect([runs.length, clock.pending]).toEqual([1, 0]);
		clock.advance(60_000);
		expect(runs).toHaveLength(1);
		await runs[0]?.end();
		expect(clock.nextIn()).toBe(2000);
		clock.advance(1999);
		expect(runs).toHaveLength(1);
		clock.advance(1);
		expect(runs).toHaveLength(2);
	});

	test.each(["stop", "fence"] as const)("ends with %s: what waits and what runs, without a timer left", async (by) => {
		const { clock, fence, runs, refreshing } = setting();
		const waiting = refreshing();
		await runs[0]?.end();
		const running = refreshing();
		expect([clock.pending, runs.length]).toEqual([1, 2]);
		if (by === "fence") fence.abort();
		else for (const one of [waiting, running]) one.stop();
		expect([clock.pending, runs[1]?.signal.aborted]).toEqual([0, true]);
		await runs[1]?.end();
		clock.advance(60_000);
		expect([clock.pending, runs.length]).toEqual([0, 2]);
	});

	test("does not begin after the end of the incarnation", () => {
		const { clock, fence, runs, refreshing } = setting();
		fence.abort();
		refreshing();
		expect([clock.pending, runs.length]).toEqual([0, 0]);
	});

	test("can be stopped twice", () => {
		const { refreshing } = setting();
		const one = refreshing();
		one.stop();
		one.stop();
	});
});
