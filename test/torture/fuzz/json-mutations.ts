/**
 * Mutations that know JSON: one line of the input is parsed, its tree is changed, and it is written again, now and then in
 * another spelling. What does not parse is left to the mutations that know only bytes.
 */
import { PLAIN_STYLE, renderJson } from "../../support/logs/render-json.ts";
import type { SeededRandom } from "../../support/logs/seeded-random.ts";
import { ODD_KEYS, ODD_VALUES } from "./oddities.ts";

const LINE_FEED = 0x0a;
/** Longer lines are left to the other mutations, which cost less. */
const MAX_LINE_BYTES = 32 * 1024;
/** The same for deeper nesting: how deep a tree can be written depends on the stack, and cases must not. */
const MAX_DEPTH = 100;

/** A place in a tree: what holds it, and under which key. */
interface Place {
	readonly holder: Record<string, unknown> | unknown[];
	readonly key: string | number;
	readonly value: unknown;
}

/** The input with one of its lines changed as JSON; null when the line that was drawn is none. */
export function mutateJson(random: SeededRandom, bytes: Buffer, bounds: readonly number[]): Buffer | null {
	const { start, end } = drawLine(random, bytes);
	if (end - start > MAX_LINE_BYTES || depthOf(bytes.subarray(start, end)) > MAX_DEPTH) return null;
	const prefix = bytes.indexOf(0x7b, start);
	if (prefix < 0 || prefix >= end) return null;
	try {
		const root = { value: JSON.parse(bytes.toString("utf8", prefix, end)) as unknown };
		const places = placesIn(root);
		const place = places[random.integer(0, places.length - 1)];
		if (place !== undefined) random.pick(changes)(random, place, bounds);
		return Buffer.concat([bytes.subarray(0, prefix), Buffer.from(write(random, root.value)), bytes.subarray(end)]);
	} catch {
		return null;
	}
}

function drawLine(random: SeededRandom, bytes: Buffer): { start: number; end: number } {
	const near = random.integer(0, Math.max(0, bytes.length - 1));
	const start = near === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, near - 1) + 1;
	const feed = bytes.indexOf(LINE_FEED, near);
	return { start, end: feed < 0 ? bytes.length : feed };
}

/** How deep it is nested, brackets inside of strings counted too. */
function depthOf(line: Buffer): number {
	let depth = 0;
	let deepest = 0;
	for (const byte of line) {
		// Brackets and braces differ from each other in one bit.
		const bracket = byte & ~0x20;
		if (bracket === 0x5b) deepest = Math.max(deepest, ++depth);
		else if (bracket === 0x5d) depth -= 1;
	}
	return deepest;
}

/** All places below the root, the deepest last. */
function placesIn(root: { value: unknown }): Place[] {
	const places: Place[] = [];
	const open: (Record<string, unknown> | unknown[])[] = [root];
	for (let holder = open.pop(); holder !== undefined && places.length < 2000; holder = open.pop()) {
		for (const [key, value] of Object.entries(holder)) {
			if (holder !== root) places.push({ holder, key, value });
			if (typeof value === "object" && value !== null) open.push(value as Record<string, unknown>);
		}
	}
	return places;
}

type Change = (random: SeededRandom, place: Place, bounds: readonly number[]) => void;

const changes: readonly [Change, ...Change[]] = [
	(_random, place) => remove(place),
	(random, place) => set(place, structuredClone(random.pick(ODD_VALUES))),
	(random, place, bounds) => set(place, stretched(random, place.value, bounds)),
	(random, place) => {
		remove(place);
		setKey(place.holder, random.pick(ODD_KEYS), place.value);
	},
	(random, place) => setKey(place.holder, random.pick(ODD_KEYS), structuredClone(random.pick(ODD_VALUES))),
	(_random, place) => set(place, [place.value]),
	(_random, place) => set(place, { value: place.value }),
	(_random, place) => set(place, String(place.value)),
	(random, place) => reorder(random, place.holder),
	(random, place) => set(place, typeof place.value === "number" ? near(random, place.value) : place.value),
];

function set({ holder, key }: Place, value: unknown): void {
	setKey(holder, key, value);
}

/** As JSON.parse does it: `__proto__` is a key like any other. */
function setKey(holder: object, key: string | number, value: unknown): void {
	Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

function remove({ holder, key }: Place): void {
	if (Array.isArray(holder)) holder.splice(Number(key), 1);
	else delete holder[key];
}

/** A text or a list of a length at which a parser decides differently. */
function stretched(random: SeededRandom, value: unknown, bounds: readonly number[]): unknown {
	const bound = bounds[random.integer(0, bounds.length - 1)] ?? 64;
	const length = Math.max(0, bound + random.integer(-1, 1));
	if (Array.isArray(value)) return Array.from({ length: Math.min(length, 4096) }, () => value[0] ?? null);
	const text = typeof value === "string" && value !== "" ? value : random.pick(["x", "é", "🧭", "\u200d", "\ud800"]);
	return text.repeat(Math.ceil(length / text.length)).slice(0, length);
}

function near(random: SeededRandom, value: number): number {
	return random.pick([value + 1, value - 1, -value, value + 0.5, value * 1000, value * 2 ** 32]);
}

function reorder(random: SeededRandom, holder: Record<string, unknown> | unknown[]): void {
	const entries = Object.entries(holder);
	const from = random.integer(0, entries.length - 1);
	const turned = [...entries.slice(from), ...entries.slice(0, from)];
	if (Array.isArray(holder)) {
		holder.splice(0, holder.length, ...turned.map(([, value]) => value));
		return;
	}
	for (const [key] of entries) delete holder[key];
	for (const [key, value] of turned) setKey(holder, key, value);
}

function write(random: SeededRandom, value: unknown): string {
	if (random.chance(0.7)) return JSON.stringify(value);
	return renderJson(value, {
		...PLAIN_STYLE,
		spaced: random.chance(0.3),
		escapes: random.pick(["none", "wide", "every", "everyUpperCase", "slashes"]),
		escapedKeys: random.chance(0.3),
	});
}
