/**
 * Lines that were written to cost as much as they can. Each of these once took seconds, or would have taken for ever.
 */
import { describe, expect, test, vi } from "vitest";
import { EntryIds } from "../../lib/sessions/log/entry-ids.ts";
import { LineFacts } from "../../lib/sessions/log/line-facts.ts";
import { LineFilter } from "../../lib/sessions/log/line-filter.ts";
import { LineStructure } from "../../lib/sessions/log/line-structure.ts";
import { LogFile } from "../../lib/sessions/log/log-file.ts";
import { findTitle } from "../../lib/sessions/log/title-search.ts";
import { Workspace } from "./workspace.ts";

const HEAD = '{"type":"message","id":"aaaaaaaa","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":';

/** Keys that the expressions know, so often, before an ending that they don't know. */
const TAILS: Readonly<Record<string, (count: number) => string>> = {
	"negative numbers": (count) => Array.from({ length: count }, (_, n) => `,"k${n}":-1`).join(""),
	"numbers that are almost none": (count) => `,"k":1${"e+-.".repeat(count)}`,
	"strings of escapes": (count) => `,"k":"${"\\\\".repeat(count)}"`,
	"objects in objects": (count) => Array.from({ length: count }, () => `,"k":{"a":{"b":"c"},"d":-1}`).join(""),
	"open objects": (count) => `,"k":${'{"a":'.repeat(count)}`,
	"quotes and braces": (count) => `,"k":{${'"}{"'.repeat(count)}`,
	"stop reasons": (count) => ',"stopReason":"stop"'.repeat(count),
};

describe("the ends of messages", () => {
	for (const [name, tail] of Object.entries(TAILS)) {
		for (const role of ["user", "assistant"]) {
			for (const measures of [true, false]) {
				test(`${name}, ${role}, ${measures ? "measured" : "not measured"}: time follows the length`, () => {
					const structure = new LineStructure(new EntryIds());
					const line = Buffer.from(`${HEAD}{"role":"${role}","content":"hello"${tail(300)},"z":[]}}`);
					const start = performance.now();
					structure.read(line, 0, line.length, new LineFacts(), measures);
					// A choice of two ways at each of 300 places would be 2^300 steps; a busy machine is not this slow.
					expect(performance.now() - start).toBeLessThan(1000);
				});
			}
		}
	}

	test("a number that JSON does not know makes the line damaged, as for a parse", async () => {
		const workspace = new Workspace();
		const header = {
			type: "session",
			version: 3,
			id: "peer",
			timestamp: "2026-01-01T00:00:00.000Z",
			cwd: "/home/project",
		};
		const user = (id: string, parentId: string | null, time: string) =>
			`{"type":"message","id":"${id}","parentId":${JSON.stringify(parentId)},"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"${id}","timestamp":${time}}}`;
		const lines = [
			JSON.stringify(header),
			user("aaaaaaaa", null, "1"),
			user("bbbbbbbb", "aaaaaaaa", "1.2.3"),
			user("cccccccc", "bbbbbbbb", "-1.5e+3"),
		];
		workspace.add("peer", `${lines.join("\n")}\n`);
		const context = await workspace.read({ sessionId: "peer" });
		expect(context.conversation?.messages.map(({ text }) => text)).toEqual(["cccccccc"]);
		// The line itself, and the parent that is missing with it.
		expect(context.capture.damagedLines).toBe(2);
	});
});

test.each([
	["and a key behind them", ',"api":"a","stopReason":"toolUse","timestamp":0}}'],
	["and nothing behind them", "}}"],
])("tens of thousands of calls in one message, %s: time follows the length", (_, end) => {
	const call = '{"type":"toolCall","id":"","name":"","arguments":{}}';
	const calls = Array.from({ length: 50_000 }, () => call).join(",");
	const line = Buffer.from(`${HEAD}{"role":"assistant","content":[${calls}]${end}`);
	const start = performance.now();
	expect(new LineStructure(new EntryIds()).read(line, 0, line.length, new LineFacts())).toBe(true);
	// A look at all that follows for each of them would take tens of seconds.
	expect(performance.now() - start).toBeLessThan(1000);
});

test("a title is looked for once in a line, however often the line speaks of one", async () => {
	const workspace = new Workspace();
	const line = JSON.stringify({ type: "custom", data: Array.from({ length: 4000 }, () => "session_info") });
	const file = new LogFile(workspace.add("peer", `${`${line}\n`.repeat(50)}`));
	const start = performance.now();
	expect(await findTitle(file, file.state().size)).toBe(null);
	expect(performance.now() - start).toBeLessThan(1000);
	file.closeNow();
});

test("long lines of short strings are worked on in steps, also where several are read at once", async () => {
	const header =
		'{"type":"session","version":3,"id":"peer","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/home/project"}';
	const line = `{"data":[${'"a",'.repeat(200_000)}0],"type":"message"}`;
	const workspace = new Workspace();
	workspace.add("peer", `${[header, line, line, line, line].join("\n")}\n`);
	const take = vi.spyOn(LineFilter.prototype, "take");
	const context = await workspace.read({ sessionId: "peer" });
	const steps = take.mock.calls.map(([, from, end]) => end - from);
	vi.restoreAllMocks();
	expect(context.capture.damagedLines).toBe(4);
	expect(steps.length).toBeGreaterThan(4);
	// A line that is held until its end is known, and a window more, is 512 KiB long.
	expect(Math.max(...steps)).toBeLessThanOrEqual(512 * 1024);
});
