/**
 * Pools of text as it stands in real logs, made once per seed; pieces of any length are slices of them.
 *
 * Slicing is what makes generated files cheap: no text is put together word by word while a file is written.
 */
import type { SeededRandom } from "./seeded-random.ts";

const POOL_CHARACTERS = 512 * 1024;
const BASE64_POOL_BYTES = 1024 * 1024;

const WORDS = [
	...["the", "test", "fails", "because", "session", "reader", "keeps", "an", "offset", "of", "each", "line", "and"],
	...["we", "should", "look", "at", "retry", "logic", "before", "changing", "queue", "order", "in", "this", "module"],
	...["function", "returns", "null", "when", "header", "is", "missing", "so", "caller", "must", "check", "first"],
] as const satisfies readonly [string, ...string[]];

const WIDE_WORDS = [
	"naïve",
	"größer",
	"→",
	"✓",
	"…",
	"“quoted”",
	"日本語",
	"проверка",
	"🙂",
	"👩‍💻",
	"é",
	"–",
] as const;

type LineMaker = (random: SeededRandom) => string;

/** What tools print: numbered source lines, search hits, coloured test reports, paths, JSON. */
const TOOL_LINES: readonly [LineMaker, ...LineMaker[]] = [
	(random) =>
		`${random.integer(1, 900)}\tconst ${words(random, 1)} = await ${words(random, 1)}("${words(random, 2)}");`,
	(random) => `lib/${words(random, 1)}/${words(random, 1)}.ts:${random.integer(1, 400)}:\treturn ${words(random, 3)};`,
	(random) => `\u001b[32mok\u001b[39m ${words(random, 6)} \u001b[2m(${random.integer(1, 90)} ms)\u001b[22m`,
	(random) => `-rw-r--r-- 1 user user ${random.integer(100, 90_000)} ${words(random, 1)}.json`,
	(random) =>
		`{"name":"${words(random, 1)}","path":"C:\\\\work\\\\${words(random, 1)}","count":${random.integer(0, 99)}}`,
	(random) => `    at ${words(random, 1)} (file:///srv/app/${words(random, 1)}.js:${random.integer(1, 999)}:17)`,
	() => "",
];

/** Which pool a piece is cut from. */
export type TextKind = "prose" | "wideProse" | "toolOutput" | "base64";

export class TextPool {
	readonly #random: SeededRandom;
	readonly #pools: Readonly<Record<TextKind, string>>;

	constructor(random: SeededRandom) {
		this.#random = random;
		this.#pools = {
			prose: fillPool(() => `${words(random, random.integer(6, 18))}.${random.chance(0.2) ? "\n\n" : " "}`),
			wideProse: fillPool(() => `${words(random, random.integer(3, 9))} ${random.pick(WIDE_WORDS)} `),
			toolOutput: fillPool(() => `${random.pick(TOOL_LINES)(random)}\n`),
			base64: base64Pool(random),
		};
	}

	/** A piece of exactly `length` UTF-16 units (one less where that would split a surrogate pair). */
	piece(kind: TextKind, length: number): string {
		const pool = this.#pools[kind];
		let piece = "";
		while (piece.length + pool.length / 2 < length) piece += this.#slice(pool, pool.length / 2);
		return piece + this.#slice(pool, length - piece.length);
	}

	#slice(pool: string, length: number): string {
		let start = this.#random.integer(0, pool.length - length);
		let end = start + length;
		if (isLowSurrogate(pool.charCodeAt(start))) start += 1;
		if (isLowSurrogate(pool.charCodeAt(end))) end -= 1;
		return pool.slice(start, end);
	}
}

function words(random: SeededRandom, count: number): string {
	let text: string = random.pick(WORDS);
	for (let index = 1; index < count; index += 1) text += ` ${random.pick(WORDS)}`;
	return text;
}

function fillPool(makePart: () => string): string {
	const parts: string[] = [];
	for (let length = 0; length < POOL_CHARACTERS; ) {
		const part = makePart();
		parts.push(part);
		length += part.length;
	}
	return parts.join("");
}

function base64Pool(random: SeededRandom): string {
	const numbers = new Uint32Array(BASE64_POOL_BYTES / 4).map(() => random.uint32());
	return Buffer.from(numbers.buffer).toString("base64");
}

function isLowSurrogate(unit: number): boolean {
	return unit >= 0xdc00 && unit <= 0xdfff;
}
