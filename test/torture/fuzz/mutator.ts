/**
 * Makes cases out of good inputs: the same random numbers give the same case, on every machine.
 */
import type { SeededRandom } from "../../support/logs/seeded-random.ts";
import { mutateJson } from "./json-mutations.ts";
import { ODD_BYTES, ODD_NUMBERS, ODD_SPELLINGS } from "./oddities.ts";

/** What mutations may draw from. */
export interface Ingredients {
	/** Good inputs and earlier findings; at least one. */
	readonly corpus: readonly Buffer[];
	readonly tokens: readonly string[];
	readonly bounds: readonly number[];
	readonly maxBytes: number;
}

/** Null: the mutation can't be made of this input. */
type Mutation = (random: SeededRandom, bytes: Buffer, from: Ingredients) => Buffer | null;

const NESTINGS: readonly [readonly [string, string], ...(readonly [string, string])[]] = [
	["[", "]"],
	['{"a":', "}"],
	['[{"":', "}]"],
	["@[", "]"],
	["(", ")"],
];
const NESTING_DEPTHS: readonly [number, ...number[]] = [2, 31, 32, 33, 200, 5000];

/** Mutations and how often each is drawn. */
const mutations: readonly (readonly [weight: number, mutation: Mutation])[] = [
	[12, (random, bytes, { bounds }) => mutateJson(random, bytes, bounds)],
	[3, flipBits],
	[2, (random, bytes) => replaceRange(random, bytes, randomBytes(random, random.size(4)))],
	[2, (random, bytes) => replaceRange(random, bytes, Buffer.alloc(0))],
	[2, repeatRange],
	[3, splice],
	[
		4,
		(random, bytes, { tokens }) =>
			insert(random, bytes, Buffer.from(tokens[random.integer(0, tokens.length - 1)] ?? "")),
	],
	[3, (random, bytes) => insert(random, bytes, random.pick(ODD_BYTES))],
	[2, (random, bytes) => insert(random, bytes, Buffer.from(random.pick(ODD_SPELLINGS)))],
	[3, replaceNumber],
	[2, stretch],
	[1, nest],
	[1, (random, bytes) => bytes.subarray(0, random.integer(0, bytes.length))],
];
const totalWeight = mutations.reduce((sum, [weight]) => sum + weight, 0);

/** One case: an input of the corpus after a few mutations. */
export function mutate(random: SeededRandom, from: Ingredients): Buffer {
	let bytes = drawInput(random, from);
	const steps = Math.min(8, random.size(2));
	for (let step = 0; step < steps; step += 1) bytes = drawMutation(random)(random, bytes, from) ?? bytes;
	// A copy: the parser gets no view of the corpus's own bytes.
	return Buffer.from(bytes.subarray(0, from.maxBytes));
}

function drawInput(random: SeededRandom, { corpus }: Ingredients): Buffer {
	return corpus[random.integer(0, corpus.length - 1)] ?? Buffer.alloc(0);
}

function drawMutation(random: SeededRandom): Mutation {
	let rest = random.integer(0, totalWeight - 1);
	for (const [weight, mutation] of mutations) {
		if (rest < weight) return mutation;
		rest -= weight;
	}
	return flipBits;
}

function flipBits(random: SeededRandom, bytes: Buffer): Buffer {
	const flipped = Buffer.from(bytes);
	for (let count = random.integer(1, 4); count > 0 && flipped.length > 0; count -= 1) {
		const index = random.integer(0, flipped.length - 1);
		flipped[index] = (flipped[index] ?? 0) ^ (1 << random.integer(0, 7));
	}
	return flipped;
}

function drawRange(random: SeededRandom, bytes: Buffer): readonly [start: number, end: number] {
	const start = random.integer(0, bytes.length);
	return [start, Math.min(bytes.length, start + random.size(random.pick([1, 8, 64])))];
}

function replaceRange(random: SeededRandom, bytes: Buffer, by: Buffer): Buffer {
	const [start, end] = drawRange(random, bytes);
	return Buffer.concat([bytes.subarray(0, start), by, bytes.subarray(end)]);
}

function insert(random: SeededRandom, bytes: Buffer, inserted: Buffer): Buffer {
	const at = random.integer(0, bytes.length);
	return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]);
}

function randomBytes(random: SeededRandom, length: number): Buffer {
	return Buffer.from(Array.from({ length }, () => random.integer(0, 255)));
}

function repeatRange(random: SeededRandom, bytes: Buffer, { maxBytes }: Ingredients): Buffer {
	const [start, end] = drawRange(random, bytes);
	const range = bytes.subarray(start, end);
	const times = Math.min(random.pick([2, 3, 50, 2000]), Math.floor(maxBytes / Math.max(1, range.length)));
	const repeated = Buffer.concat(Array.from({ length: times }, () => range));
	return Buffer.concat([bytes.subarray(0, start), repeated, bytes.subarray(end)]);
}

/** The beginning of one input and the end of another. */
function splice(random: SeededRandom, bytes: Buffer, from: Ingredients): Buffer {
	const other = drawInput(random, from);
	return Buffer.concat([
		bytes.subarray(0, random.integer(0, bytes.length)),
		other.subarray(random.integer(0, other.length)),
	]);
}

function replaceNumber(random: SeededRandom, bytes: Buffer): Buffer | null {
	const text = bytes.toString("latin1");
	const numbers = [...text.matchAll(/-?\d+/g)];
	const found = numbers[random.integer(0, numbers.length - 1)];
	if (found === undefined) return null;
	const by = random.chance(0.7) ? random.pick(ODD_NUMBERS) : String(Number(found[0]) + random.pick([-1, 1]));
	return Buffer.from(text.slice(0, found.index) + by + text.slice(found.index + found[0].length), "latin1");
}

/** One byte repeated until something is as long as a bound, or nearly. */
function stretch(random: SeededRandom, bytes: Buffer, { bounds, maxBytes }: Ingredients): Buffer {
	const bound = bounds[random.integer(0, bounds.length - 1)] ?? 64;
	const at = random.integer(0, bytes.length);
	const byte = bytes[Math.max(0, at - 1)] ?? 0x78;
	const missing = random.chance(0.5) ? bound : bound - bytes.length;
	const length = Math.min(maxBytes, Math.max(0, missing + random.integer(-1, 1)));
	return Buffer.concat([bytes.subarray(0, at), Buffer.alloc(length, byte), bytes.subarray(at)]);
}

function nest(random: SeededRandom, bytes: Buffer): Buffer {
	const [start, end] = drawRange(random, bytes);
	const [open, close] = random.pick(NESTINGS);
	const depth = random.pick(NESTING_DEPTHS);
	return Buffer.concat([
		bytes.subarray(0, start),
		Buffer.from(open.repeat(depth)),
		bytes.subarray(start, end),
		Buffer.from(random.chance(0.7) ? close.repeat(depth) : ""),
		bytes.subarray(end),
	]);
}
