/** Every parser against its corpus, and for a moment against cases that nobody has seen before. */
import { describe, expect, test } from "vitest";
import { checkInputs } from "./fuzz/fuzzer.ts";
import { drawSeed } from "./fuzz/inputs.ts";
import { targets } from "./targets/index.ts";

/** How long each parser is fuzzed here, in ms; `./run-clean.sh torture` does it for longer. */
const MOMENT_MS = 800;

describe.each(targets.map((target) => [target.name, target] as const))("the parser of %s", (name, target) => {
	test("keeps its promises for every input of the corpus", async () => {
		const { checked, finding } = await checkInputs(target, { kind: "corpus", from: 0 });
		expect(finding).toBeNull();
		expect(checked).toBeGreaterThanOrEqual(target.samples.length);
	});

	test("keeps its promises for whatever is made of them", async () => {
		const seed = drawSeed();
		const { checked, finding } = await checkInputs(target, { kind: "cases", seed, from: 0, milliseconds: MOMENT_MS });
		console.log(`${name}: seed ${seed}, ${checked} cases`);
		expect(finding).toBeNull();
		expect(checked).toBeGreaterThan(0);
	});
});
