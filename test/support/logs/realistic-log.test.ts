/**
 * What the benchmarks stand on: generated logs are reproducible, look like pi's own, and have the asked-for mixture.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { expectedLog, expectedSurface } from "./expected-surface.ts";
import type { JsonObject } from "./pi-entries.ts";
import { RealisticAppender, type RealisticLogOptions, writeRealisticLog } from "./realistic-log.ts";

vi.setConfig({ testTimeout: 60_000 });

const MIB = 1024 * 1024;
const directory = mkdtempSync(join(tmpdir(), "realistic-log-"));
afterAll(() => rmSync(directory, { recursive: true }));

function generate(name: string, options: Omit<RealisticLogOptions, "seed"> & { seed?: number }) {
	const file = join(directory, `${name}.jsonl`);
	const facts = writeRealisticLog(file, { seed: 7, ...options });
	const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
	return { file, facts, lines, entries: lines.map((line): JsonObject => JSON.parse(line)) };
}

function digest(file: string): string {
	return createHash("sha256").update(readFileSync(file)).digest("hex");
}

describe("a generated log", () => {
	test("is the same file for the same seed and another one for another seed", () => {
		const first = digest(generate("first", { bytes: MIB }).file);
		expect(digest(generate("second", { bytes: MIB }).file)).toBe(first);
		expect(digest(generate("third", { bytes: MIB, seed: 8 }).file)).not.toBe(first);
	});

	test("has the asked-for size, and tells its lines and its leaf", () => {
		const { facts, file, lines, entries } = generate("size", { bytes: 8 * MIB });
		expect(facts.bytes).toBe(readFileSync(file).length);
		expect(facts.bytes).toBeGreaterThanOrEqual(8 * MIB);
		expect(facts.lines).toBe(lines.length);
		expect(facts.leafId).toBe(entries.at(-1)?.id);
	});

	test("is opened by the SDK without a change, and its leaf's branch is most of it", () => {
		const { file, lines } = generate("opened", { bytes: 4 * MIB });
		const before = digest(file);
		const branch = SessionManager.open(file).getBranch();
		expect(digest(file)).toBe(before);
		expect(branch.length).toBeGreaterThan(lines.length * 0.8);
	});

	test("orders the keys of every kind of entry as the SDK does", () => {
		const generated = keyOrders(generate("orders", { bytes: 24 * MIB, surfaceBytes: 4 * MIB }).entries);
		const own = keyOrders(entriesBySdk());
		for (const [type, keys] of own) expect([type, generated.get(type)]).toEqual([type, keys]);
	});

	test.each([
		{ name: "everyday", options: {}, assistant: 0.15, image: 0.05 },
		{ name: "60 % assistant", options: { assistantShare: 0.6 }, assistant: 0.6, image: 0.05 },
		{
			name: "images",
			options: { imageShare: 0.8, imageBytes: MIB, assistantShare: 0.02 },
			assistant: 0.02,
			image: 0.8,
		},
	])("keeps the mixture: $name", ({ options, assistant, image }) => {
		const facts = writeRealisticLog(join(directory, "mixture.jsonl"), { seed: 7, bytes: 64 * MIB, ...options });
		expect(Math.abs(facts.assistantBytes / facts.bytes - assistant)).toBeLessThan(0.06);
		expect(Math.abs(facts.imageBytes / facts.bytes - image)).toBeLessThan(0.06);
	});

	test("holds one long line of odd key order in its middle when asked to", () => {
		const { lines } = generate("odd", { bytes: 24 * MIB, oddLineBytes: 6 * MIB });
		const odd = lines.findIndex((line) => line.startsWith('{"timestamp":'));
		expect(Math.abs((lines[odd]?.length ?? 0) - 6 * MIB)).toBeLessThan(MIB);
		const before = lines.slice(0, odd).reduce((sum, line) => sum + line.length, 0);
		expect(Math.abs(before - 12 * MIB)).toBeLessThan(3 * MIB);
	});

	test.each([3, 2, 1] as const)("of version %i is compacted so that its surface is its last part", (version) => {
		const { file, facts } = generate(`compacted ${version}`, { version, bytes: 6 * MIB, surfaceBytes: 2 * MIB });
		const bytes = readFileSync(file);
		const [checkpoint, oldest] = expectedSurface(bytes);
		expect(checkpoint?.checkpoint).toBe(true);
		const start = offsetOfLine(bytes, oldest?.seq ?? 0);
		expect(Math.abs(facts.bytes - start - 2 * MIB)).toBeLessThan(MIB);
	});

	test("can be appended to, entry by entry", () => {
		const { file, facts } = generate("appended", { bytes: MIB });
		const appender = new RealisticAppender(file, { seed: 9, leafId: facts.leafId });
		onTestFinished(() => appender.close());
		appender.append(4);
		const leafId = appender.append(6);
		const branch = SessionManager.open(file).getBranch();
		expect(branch.at(-1)?.id).toBe(leafId);
		expect(branch.at(-11)?.id).toBe(facts.leafId);
		expect(expectedLog(readFileSync(file)).throughSeq).toBe(facts.lines + 9);
	});
});

function offsetOfLine(bytes: Buffer, line: number): number {
	let offset = 0;
	for (let number = 0; number < line; number += 1) offset = bytes.indexOf(0x0a, offset) + 1;
	return offset;
}

/** The keys that decide how a line begins and ends, by kind of entry; messages by role. */
function keyOrders(entries: readonly JsonObject[]): Map<string, string> {
	const structural = new Set(["type", "id", "parentId", "timestamp", "message", "data", "content", "summary", "name"]);
	return new Map(
		entries.map((entry) => {
			const keys = Object.keys(entry).filter((key) => structural.has(key));
			return [String(entry.type), keys.join(" ")];
		}),
	);
}

function entriesBySdk(): JsonObject[] {
	const manager = SessionManager.inMemory();
	const user = manager.appendMessage({ role: "user", content: "hello", timestamp: 1 });
	manager.appendModelChange("provider", "model");
	manager.appendThinkingLevelChange("high");
	manager.appendCustomEntry("state", {});
	manager.appendCustomMessageEntry("reminder", "text", true);
	manager.appendSessionInfo("name");
	manager.appendLabelChange(user, "label");
	manager.appendContextEdit(user, null);
	manager.branchWithSummary(user, "summary");
	manager.appendCompaction("summary", user, 10);
	return manager.getEntries().map((entry): JsonObject => ({ ...entry }));
}
