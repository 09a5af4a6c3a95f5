/**
 * Where a run's inputs come from, by their numbers: seed and number give a case, whatever came before it, so that every
 * finding can be seen again alone.
 */
import { SeededRandom } from "../../support/logs/seeded-random.ts";
import { corpusFiles, ingredientsOf } from "./corpus.ts";
import { type Ingredients, mutate } from "./mutator.ts";
import type { FuzzTarget } from "./target.ts";

/** Seeds are whole numbers below this. */
export const SEED_BOUND = 2 ** 31;

/** Cases made by mutation, or the target's samples and its corpus as they are. */
export type Inputs =
	| {
			readonly kind: "cases";
			readonly seed: number;
			readonly from: number;
			/** No further case once this much time has passed; the first one comes in any case. */
			readonly milliseconds: number;
	  }
	| { readonly kind: "corpus"; readonly from: 0 };

/** Gives the input of a number, from `inputs.from` on; null when there are no more. */
export function inputAt(target: FuzzTarget, inputs: Inputs): (number: number) => Buffer | null {
	if (inputs.kind === "corpus") {
		const all = [...target.samples, ...corpusFiles(target).map(({ bytes }) => bytes)];
		return (number) => all[number] ?? null;
	}
	const ingredients = ingredientsOf(target);
	const until = performance.now() + inputs.milliseconds;
	return (number) =>
		number > inputs.from && performance.now() >= until ? null : caseOf(ingredients, inputs.seed, number);
}

/** The case `number` of the run with this seed. */
export function caseOf(from: Ingredients, seed: number, number: number): Buffer {
	return mutate(new SeededRandom(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35)), from);
}

/** A seed that nobody chose. */
export function drawSeed(): number {
	return Math.floor(Math.random() * SEED_BOUND);
}
