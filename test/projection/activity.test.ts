import { describe, expect, it } from "vitest";
import type { RuntimeStatus } from "../../lib/contract/peer-context.ts";
import { callFingerprint, projectActivity } from "../../lib/projection/activity.ts";
import type { CapturedActivity, CapturedCall } from "../../lib/projection/events.ts";

const callOf = (parts: Partial<CapturedCall> = {}): CapturedCall => ({
	name: "bash",
	callId: "call_1",
	time: 5,
	outcome: "completed",
	turnOpen: true,
	...parts,
});

const activityOf = (...calls: CapturedCall[]): CapturedActivity => ({
	turn: { state: "open", number: 3 },
	step: { state: "open", number: 2 },
	calls,
});

describe("activity", () => {
	it.each<[CapturedCall["outcome"], boolean, RuntimeStatus, string]>([
		["pending", true, "running", "running"],
		["pending", true, "idle", "error"],
		["pending", true, "offline", "error"],
		["pending", false, "running", "error"],
		["pending", false, "idle", "error"],
		["pending", false, "offline", "error"],
		["completed", true, "running", "completed"],
		["completed", false, "offline", "completed"],
		["error", true, "running", "error"],
		["error", false, "idle", "error"],
	])("calls a %s call (turn open: %s) of a session that is %s: %s", (outcome, turnOpen, runtimeStatus, status) => {
		const { tools } = projectActivity(activityOf(callOf({ outcome, turnOpen })), runtimeStatus, 8);
		expect(tools.map((tool) => tool.status)).toEqual([status]);
	});

	it("shows the newest calls, oldest first", () => {
		const calls = Array.from({ length: 12 }, (_, index) => callOf({ name: `tool-${index}` }));
		const names = (limit: number) =>
			projectActivity(activityOf(...calls), "idle", limit).tools.map((tool) => tool.name);
		expect(names(3)).toEqual(["tool-9", "tool-10", "tool-11"]);
		expect(names(8)).toHaveLength(8);
		expect(names(0)).toEqual([]);
	});

	it("shows of a call its name, status, time and a fingerprint, and nothing that else came with it", () => {
		const smuggled = { ...callOf({ time: null }), arguments: { path: "/secret" }, result: "secret" };
		const { tools } = projectActivity(activityOf(smuggled), "idle", 8);
		expect(tools).toEqual([{ name: "bash", status: "completed", time: null, call: callFingerprint("call_1") }]);
	});

	it("fingerprints an id by the first 12 hex digits of its SHA-256", () => {
		expect(callFingerprint("abc")).toBe("ba7816bf8f01");
		expect(callFingerprint("")).toBe("e3b0c44298fc");
	});

	it("makes names printable and cuts them to 64 code points", () => {
		const { tools } = projectActivity(
			activityOf(callOf({ name: "\u001b[31mgrep\nrm\u202e" }), callOf({ name: "😀".repeat(70) })),
			"idle",
			8,
		);
		expect(tools.map((tool) => tool.name)).toEqual(["grep rm", "😀".repeat(64)]);
	});

	it("copies turn and step, with only the fields that their state has", () => {
		const unknown: CapturedActivity = { turn: { state: "unknown" }, step: { state: "unknown" }, calls: [] };
		expect(projectActivity(unknown, "running", 8)).toStrictEqual({
			turn: { state: "unknown" },
			step: { state: "unknown" },
			tools: [],
		});
		const ended: CapturedActivity = {
			turn: { state: "ended", number: 4, endReason: "aborted" },
			step: { state: "ended", number: 1 },
			calls: [],
		};
		const shown = projectActivity(ended, "running", 8);
		expect(shown).toStrictEqual({ turn: ended.turn, step: ended.step, tools: [] });
		expect(shown.turn).not.toBe(ended.turn);
	});
});
