/**
 * Turn, step and tool calls, from the bytes of a log to what a caller sees.
 */
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { PeerContextActivity, RuntimeStatus } from "../../lib/contract/peer-context.ts";
import { headFirstEntry } from "../support/logs/pi-entries.ts";
import { FIRST_INSTANT, SessionLog } from "./session-log.ts";
import { everybodyIs, Workspace } from "./workspace.ts";

async function activityOf(log: SessionLog, status: RuntimeStatus = "running"): Promise<PeerContextActivity> {
	const workspace = new Workspace();
	workspace.add("peer", log);
	const live = everybodyIs(status);
	const { activity } = await workspace.read({ sessionId: "peer", view: "activity" }, { live });
	if (!activity) throw new Error("The view has an activity.");
	return activity;
}

const callOf = (id: string) => createHash("sha256").update(id).digest("hex").slice(0, 12);

/** When the n-th entry was written. */
const timeOf = (entry: number) => FIRST_INSTANT + entry * 1000;

const shortly = ({ tools }: PeerContextActivity) => tools.map(({ name, status, time }) => [name, status, time]);

describe("a tool call", () => {
	test("is shown by name, outcome, time and a fingerprint of its id, and by nothing else", async () => {
		const log = new SessionLog();
		log.user("go");
		log.assistant("", {
			calls: [
				["call-a", "read"],
				["call-b", "bash"],
				["call-c", "edit"],
			],
		});
		log.result("call-a", "read");
		log.result("call-b", "bash", true);
		expect((await activityOf(log)).tools).toEqual([
			{ name: "read", status: "completed", time: timeOf(3), call: callOf("call-a") },
			{ name: "bash", status: "error", time: timeOf(4), call: callOf("call-b") },
			{ name: "edit", status: "running", time: timeOf(2), call: callOf("call-c") },
		]);
	});

	test("without a result runs only in an open turn of a session that runs", async () => {
		const open = new SessionLog();
		open.user("go");
		open.assistant("", { calls: [["a", "bash"]] });
		expect(shortly(await activityOf(open, "running"))).toEqual([["bash", "running", timeOf(2)]]);
		expect(shortly(await activityOf(open, "idle"))).toEqual([["bash", "error", timeOf(2)]]);
		expect(shortly(await activityOf(open, "offline"))).toEqual([["bash", "error", timeOf(2)]]);
		open.user("never mind");
		expect(shortly(await activityOf(open, "running"))).toEqual([["bash", "error", timeOf(2)]]);
	});

	test("of a message that failed never runs, also when a retry goes on with the turn", async () => {
		const log = new SessionLog();
		log.user("go");
		log.assistant("", { calls: [["a", "bash"]], stopReason: "error" });
		expect(shortly(await activityOf(log))).toEqual([["bash", "error", timeOf(2)]]);
		log.assistant("", { calls: [["b", "read"]] });
		expect(shortly(await activityOf(log))).toEqual([
			["bash", "error", timeOf(2)],
			["read", "running", timeOf(3)],
		]);
	});

	test("is found by its id, in whatever order the results came", async () => {
		const log = new SessionLog();
		log.user("go");
		log.assistant("", {
			calls: [
				["a", "read"],
				["b", "bash"],
			],
		});
		log.result("b", "bash", true);
		log.result("unheard-of");
		log.result("a", "read");
		expect(shortly(await activityOf(log))).toEqual([
			["read", "completed", timeOf(5)],
			["bash", "error", timeOf(3)],
		]);
	});

	test("has its own result, also when its id was used before", async () => {
		const log = new SessionLog();
		log.user("go");
		log.assistant("", { calls: [["call_0", "first"]] });
		log.result("call_0", "first", true);
		log.assistant("", { calls: [["call_0", "second"]] });
		log.result("call_0", "second");
		log.assistant("", { calls: [["call_0", "third"]] });
		expect(shortly(await activityOf(log))).toEqual([
			["first", "error", timeOf(3)],
			["second", "completed", timeOf(5)],
			["third", "running", timeOf(6)],
		]);
	});

	test("has the first of several results", async () => {
		const log = new SessionLog();
		log.assistant("", { calls: [["a", "older"]] });
		log.assistant("", { calls: [["a", "newer"]] });
		log.result("a", "newer");
		log.result("a", "newer", true);
		expect(shortly(await activityOf(log))).toEqual([
			["older", "running", timeOf(1)],
			["newer", "completed", timeOf(3)],
		]);
	});

	test("is one of the newest eight", async () => {
		const log = new SessionLog();
		log.user("go");
		for (let step = 0; step < 4; step++) {
			log.assistant("", { calls: [1, 2, 3].map((call) => [`${step}-${call}`, `tool ${step}-${call}`] as const) });
			for (const call of [1, 2, 3]) log.result(`${step}-${call}`);
		}
		const { tools } = await activityOf(log);
		expect(tools.map(({ name }) => name)).toEqual(
			["1-2", "1-3", "2-1", "2-2", "2-3", "3-1", "3-2", "3-3"].map((call) => `tool ${call}`),
		);
	});

	test("of an abandoned branch is not shown, nor answered from there", async () => {
		const log = new SessionLog();
		log.user("go");
		const fork = log.assistant("", { calls: [["shared", "shared"]] });
		log.result("shared");
		log.assistant("", { calls: [["abandoned", "abandoned"]] });
		log.continueFrom(fork);
		log.assistant("on another way", { calls: [["here", "here"]] });
		expect(shortly(await activityOf(log))).toEqual([
			["shared", "running", timeOf(2)],
			["here", "running", timeOf(5)],
		]);
	});

	test("from before a compaction is still shown", async () => {
		const log = new SessionLog();
		log.user("go");
		log.assistant("", { calls: [["a", "bash"]] });
		log.result("a");
		const kept = log.assistant("done");
		log.compaction("all of it", kept);
		expect(shortly(await activityOf(log))).toEqual([["bash", "completed", timeOf(3)]]);
	});

	test("has a name of one printable line of at most 64 characters", async () => {
		const log = new SessionLog();
		log.assistant("", {
			calls: [
				["a", "x".repeat(100)],
				["b", "\u001b[31mred\u0007\n\u202ename"],
			],
		});
		expect((await activityOf(log)).tools.map(({ name }) => name)).toEqual(["x".repeat(64), "red name"]);
	});

	test.each([
		["in another order of keys", (result: object) => Object.fromEntries(Object.entries(result).reverse())],
		["very long", (result: object) => ({ ...result, details: "x".repeat(600_000) })],
		["followed by keys that are not known", (result: object) => ({ ...result, later: { isError: false } })],
	])("is answered by a result that is %s", async (_name, change) => {
		for (const id of ["call_1", 'quote"\\ and é']) {
			const log = new SessionLog();
			log.assistant("", { calls: [[id, "bash"]] });
			const place = { id: "0000000a", parentId: log.leaf, timestamp: new Date(timeOf(2)).toISOString() };
			const content = [{ type: "text", text: "printed" }];
			const message = change({ role: "toolResult", toolCallId: id, toolName: "bash", content, isError: true });
			log.line(JSON.stringify(headFirstEntry("message", place, { message })));
			expect((await activityOf(log)).tools).toEqual([
				{ name: "bash", status: "error", time: timeOf(2), call: callOf(id) },
			]);
		}
	});
});

describe("turn and step", () => {
	const TURNS: Readonly<Record<string, { write(log: SessionLog): void; turn: object; step: object }>> = {
		"of an empty log are unknown": { write: () => {}, turn: { state: "unknown" }, step: { state: "unknown" } },
		"begin with a prompt": {
			write: (log) => log.user("go"),
			turn: { state: "open", number: 1 },
			step: { state: "unknown" },
		},
		"are open while a call has no result": {
			write: (log) => {
				log.user("go");
				log.assistant("", { calls: [["a", "bash"]] });
			},
			turn: { state: "open", number: 1 },
			step: { state: "open", number: 1 },
		},
		"are apart: the step ends with its results, the turn goes on": {
			write: (log) => {
				log.user("go");
				log.assistant("", { calls: [["a", "bash"]] });
				log.result("a");
			},
			turn: { state: "open", number: 1 },
			step: { state: "ended", number: 1 },
		},
		"end with an answer": {
			write: (log) => {
				log.user("go");
				log.assistant("", { calls: [["a", "bash"]] });
				log.result("a");
				log.assistant("done");
			},
			turn: { state: "ended", number: 1, endReason: "completed" },
			step: { state: "ended", number: 2 },
		},
		"end when the answer was too long": {
			write: (log) => {
				log.user("go");
				log.assistant("and so on", { stopReason: "length" });
			},
			turn: { state: "ended", number: 1, endReason: "length" },
			step: { state: "ended", number: 1 },
		},
		"end with an error": {
			write: (log) => {
				log.user("go");
				log.assistant("", { stopReason: "error" });
			},
			turn: { state: "ended", number: 1, endReason: "error" },
			step: { state: "ended", number: 1 },
		},
		"end with an abort": {
			write: (log) => {
				log.user("go");
				log.assistant("", { calls: [["a", "bash"]], stopReason: "aborted" });
			},
			turn: { state: "ended", number: 1, endReason: "aborted" },
			step: { state: "ended", number: 1 },
		},
		"stay open at a word that says no end": {
			write: (log) => {
				log.user("go");
				log.assistant("", { stopReason: "pending" });
			},
			turn: { state: "open", number: 1 },
			step: { state: "open", number: 1 },
		},
		"are counted along the branch": {
			write: (log) => {
				log.user("one");
				const fork = log.assistant("1");
				log.user("abandoned");
				log.assistant("-");
				log.user("abandoned too");
				log.continueFrom(fork);
				log.user("two");
				log.assistant("2");
			},
			turn: { state: "ended", number: 2, endReason: "completed" },
			step: { state: "ended", number: 1 },
		},
		"begin with an extension's message that follows a finished turn": {
			write: (log) => {
				log.user("one");
				log.customMessage("inside");
				log.assistant("1");
				log.customMessage("after");
			},
			turn: { state: "open", number: 2 },
			step: { state: "unknown" },
		},
	};

	test.each(Object.entries(TURNS))("%s", async (_name, { write, turn, step }) => {
		const log = new SessionLog();
		write(log);
		const activity = await activityOf(log, "offline");
		expect(activity).toEqual({ turn, step, tools: expect.any(Array) });
	});
});
