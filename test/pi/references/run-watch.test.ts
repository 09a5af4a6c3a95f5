/** How a run ended, and whether pi compacts. */
import { describe, expect, test } from "vitest";
import { COMPACTION_IDLE_MS } from "../../../lib/authority/compaction.ts";
import { type RunEnd, RunWatch } from "../../../lib/pi/references/run-watch.ts";

type Happening = string | "cancel";

describe("how a run ended", () => {
	const cases: [happenings: Happening[], end: RunEnd][] = [
		[["stop"], "well"],
		[["toolUse", "stop"], "well"],
		[["toolUse"], "well"],
		[["length"], "well"],
		[["error", "stop"], "well"],
		[["error"], "failed"],
		[["stop", "error"], "failed"],
		[[], "failed"],
		[["aborted"], "cancelled"],
		[["cancel"], "cancelled"],
		[["toolUse", "cancel", "stop"], "cancelled"],
		[["aborted", "stop"], "cancelled"],
	];

	test.each(cases)("%j: %s", (happenings, end) => {
		const run = new RunWatch();
		run.started();
		for (const happening of happenings) {
			if (happening === "cancel") run.cancelled();
			else run.answered(happening);
		}
		expect(run.settled()).toBe(end);
		run.started();
		run.answered("stop");
		expect(run.settled()).toBe("well");
	});
});

describe("a compaction", () => {
	test("lasts until its end, or until an agent starts", () => {
		const run = new RunWatch();
		for (const end of [() => run.compactionEnded(), () => run.started()]) {
			run.compactionBegan();
			expect(run.compacting).toBe(true);
			end();
			expect(run.compacting).toBe(false);
		}
	});

	test("of which no end is seen counts as over after two minutes of idleness without a break", () => {
		const run = new RunWatch();
		run.compactionBegan();
		const looks = [
			[true, 0],
			[true, COMPACTION_IDLE_MS - 1],
			[false, COMPACTION_IDLE_MS],
			[true, COMPACTION_IDLE_MS + 1],
			[true, 2 * COMPACTION_IDLE_MS],
		] as const;
		for (const [idle, now] of looks) expect([run.look(idle, now), run.compacting]).toEqual([false, true]);
		expect([run.look(true, 2 * COMPACTION_IDLE_MS + 1), run.compacting]).toEqual([true, false]);
		expect(run.look(true, 9 * COMPACTION_IDLE_MS)).toBe(false);
	});
});
