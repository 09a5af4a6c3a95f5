/** The fuzzer itself: it finds faults of every kind, and what it found can be seen again. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ingredientsOf } from "./fuzz/corpus.ts";
import { checkInputs } from "./fuzz/fuzzer.ts";
import { caseOf } from "./fuzz/inputs.ts";
import { shrink } from "./fuzz/shrink.ts";
import type { FuzzTarget } from "./fuzz/target.ts";
import { targets as planted } from "./planted-targets.ts";
import { targets } from "./targets/index.ts";

const module = new URL("./planted-targets.ts", import.meta.url).href;

/** Longer than it takes to meet the fault. */
const PATIENCE_MS = 20_000;

function plantedTarget(name: string): FuzzTarget {
	const target = planted.find((candidate) => candidate.name === name);
	if (target === undefined) throw new Error(`There is no planted target ${name}.`);
	return target;
}

async function findingOf(name: string, hangMilliseconds = 30_000) {
	const corpus = mkdtempSync(path.join(tmpdir(), "corpus-"));
	onTestFinished(() => rmSync(corpus, { recursive: true, force: true }));
	const inputs = { kind: "cases", seed: 1, from: 0, milliseconds: PATIENCE_MS } as const;
	const { finding } = await checkInputs(plantedTarget(name), inputs, { module, hangMilliseconds, corpus });
	const directory = path.join(corpus, name);
	const kept = readdirSync(directory).map((file) => readFileSync(path.join(directory, file), "utf8"));
	return { finding: finding ?? "", kept };
}

describe("a parser that", () => {
	test.each([
		["throws", "A parser's own mistake.", "BUG"],
		["rejects", "A parser's own mistake.", "BUG"],
		["pollutes", "Every object has a new property.", "BUG"],
		["is slow", "ms of processor time", null],
		["hangs", "No end after 2000 ms.", null],
		["takes all memory", "ERR_WORKER_OUT_OF_MEMORY", null],
	])("%s is found out, and the input is kept", async (name, error, small) => {
		const { finding, kept } = await findingOf(name, name === "hangs" ? 2000 : undefined);
		expect(finding).toContain(error);
		expect(kept).toEqual([expect.stringContaining("BUG")]);
		if (small !== null) expect(kept).toEqual([small]);
	});
});

test("a finding names the case that gives it again, alone", async () => {
	const { finding } = await findingOf("throws");
	const [, seed, number] = /--target throws --seed (\d+) --case (\d+)/.exec(finding) ?? [];
	const bytes = caseOf(ingredientsOf(plantedTarget("throws")), Number(seed), Number(number));
	expect(bytes.toString()).toContain("BUG");
	const alone = { kind: "cases", seed: Number(seed), from: Number(number), milliseconds: 0 } as const;
	expect((await checkInputs(plantedTarget("throws"), alone, { module, corpus: "/dev/null" })).finding).toContain(
		"It could not be kept in the corpus.",
	);
});

test.each(targets.map((target) => [target.name, target] as const))(
	"seed and number give one case of %s",
	(_, target) => {
		const ingredients = ingredientsOf(target);
		for (let number = 0; number < 200; number += 1) {
			const bytes = caseOf(ingredients, 7, number);
			expect(bytes.length).toBeLessThanOrEqual(target.maxBytes);
			expect(caseOf(ingredients, 7, number).equals(bytes)).toBe(true);
		}
		expect(caseOf(ingredients, 8, 0).equals(caseOf(ingredients, 7, 0))).toBe(false);
	},
);

test("shrinking leaves only what makes a finding", async () => {
	const bytes = Buffer.from(`${"x".repeat(300)}A${"y".repeat(50)}B`);
	const isFinding = async (part: Buffer) => part.includes("A") && part.includes("B");
	expect((await shrink(bytes, isFinding)).toString()).toBe("AB");
});
