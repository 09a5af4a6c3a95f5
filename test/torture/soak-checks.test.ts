/** The soak's own judgement: what it calls broken is broken, and what it calls kept is kept. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { beyond } from "./soak/holdings.ts";
import { foreignMarkers, marker } from "./soak/markers.ts";
import { MessageLedger, type Receiver } from "./soak/message-ledger.ts";
import type { Measure } from "./soak/soak-extension.ts";

/** A log in which these messages arrived. */
function logWith(...messageIds: readonly string[]): string {
	const directory = mkdtempSync(path.join(tmpdir(), "ledger-"));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	const log = path.join(directory, "log.jsonl");
	const lines = messageIds.map((messageId) => ({ customType: "cross-session", details: { messageId } }));
	const entries = lines.map((line) => JSON.stringify({ type: "custom_message", ...line }));
	writeFileSync(log, `${entries.join("\n")}\n`);
	return log;
}

const submitted = { messageId: "m", code: "submitted", state: "submitted" };
const queued = { messageId: "m", code: "queued", state: "queued" };
const unknown = async () => undefined;

async function judge(log: string, tell: (ledger: MessageLedger, receiver: Receiver) => void): Promise<string[]> {
	const ledger = new MessageLedger({ logs: () => [log] }, { storing: 50, waiting: 50 });
	tell(ledger, { disturbances: 2, log });
	await ledger.settled();
	return ledger.broken();
}

describe("a message that was", () => {
	test.each([
		["submitted, and is there once", submitted, ["m"], 0],
		["submitted, and is not there", submitted, [], 1],
		["submitted, and is there twice", submitted, ["m", "m"], 1],
		["refused, and is not there", { ...submitted, code: "busy", state: "refused" }, ["other"], 0],
		["refused, and is there", { ...submitted, code: "busy", state: "refused" }, ["m"], 1],
		["of unknown fate, and is there", { ...submitted, code: "timeout", state: "receipt_unknown" }, ["m"], 0],
		["of unknown fate, and is there twice", { ...submitted, code: "timeout", state: "receipt_unknown" }, ["m", "m"], 1],
	])("%s: %#", async (_, receipt, arrived, faults) => {
		const broken = await judge(logWith(...arrived), (ledger, receiver) => ledger.follow(receipt, receiver, 2, unknown));
		expect(broken).toHaveLength(faults);
	});

	test("submitted to a session that was disturbed since may be lost", async () => {
		expect(await judge(logWith(), (ledger, receiver) => ledger.follow(submitted, receiver, 0, unknown))).toEqual([]);
		const amidst = (ledger: MessageLedger) => ledger.follow(submitted, { disturbances: 1, log: logWith() }, 1, unknown);
		expect(await judge(logWith(), amidst)).toEqual([]);
	});

	test.each([
		["submitted", ["m"], 0],
		["submitted", [], 1],
		["dropped_cancelled", ["m"], 1],
		["expired", [], 0],
	])("queued and then %s is judged by that: %j", async (state, arrived, faults) => {
		const told = (ledger: MessageLedger, receiver: Receiver) => ledger.follow(queued, receiver, 2, async () => state);
		expect(await judge(logWith(...arrived), told)).toHaveLength(faults);
	});
});

test("markers of other seats are found, and one's own are not", () => {
	const text = JSON.stringify({ own: marker("a", "thinking"), text: `x${marker("b", "tool-result")}x` });
	expect(foreignMarkers("a", text)).toEqual(["CANARY-b-tool-resultx"]);
	expect(foreignMarkers("b", marker("b", "argument"))).toEqual([]);
});

test("a process that holds one thing more than before is found out", () => {
	const base: Measure = {
		heap: 40e6,
		resident: 170e6,
		descriptors: 24,
		timers: 2,
		resources: { PipeWrap: 3 },
		listeners: { beforeExit: 1 },
	};
	expect(beyond(base, { ...base, heap: 41e6, descriptors: 20, resources: {} })).toEqual([]);
	const grown: [Partial<Measure>, string][] = [
		[{ heap: 60e6 }, "bytes of heap"],
		[{ resident: 300e6 }, "bytes of memory"],
		[{ descriptors: 25 }, "descriptors: 25"],
		[{ timers: 3 }, "timers: 3"],
		[{ resources: { PipeWrap: 3, Pipe: 1 } }, "Pipe: 1"],
		[{ listeners: { beforeExit: 2 } }, "beforeExit: 2"],
	];
	for (const [more, what] of grown) {
		expect(beyond(base, { ...base, ...more })).toEqual([expect.stringContaining(what)]);
	}
});
