/**
 * Deterministic random numbers for generated files: the same seed gives the same file on every machine.
 *
 * The generator is xorshift128 with a splitmix32-filled state: fast, and good enough for sizes and choices.
 */
export class SeededRandom {
	#a: number;
	#b: number;
	#c: number;
	#d: number;

	constructor(seed: number) {
		const fill = splitmix32(seed);
		this.#a = fill();
		this.#b = fill();
		this.#c = fill();
		this.#d = fill() | 1;
	}

	/** An unsigned 32-bit integer. */
	uint32(): number {
		let t = this.#d;
		const s = this.#a;
		this.#d = this.#c;
		this.#c = this.#b;
		this.#b = s;
		t ^= t << 11;
		t ^= t >>> 8;
		this.#a = t ^ s ^ (s >>> 19);
		return this.#a >>> 0;
	}

	/** A number from 0 (inclusive) to 1 (exclusive). */
	fraction(): number {
		return this.uint32() / 0x1_0000_0000;
	}

	/** An integer from `low` to `high`, both included. */
	integer(low: number, high: number): number {
		return low + Math.floor(this.fraction() * (high - low + 1));
	}

	/** True with the given probability. */
	chance(probability: number): boolean {
		return this.fraction() < probability;
	}

	/** A size with the given mean: mostly smaller, sometimes several times larger (exponential). */
	size(mean: number): number {
		return Math.ceil(-Math.log(1 - this.fraction()) * mean);
	}

	pick<T>(choices: readonly [T, ...T[]]): T {
		return choices[this.integer(0, choices.length - 1)] ?? choices[0];
	}

	/** Lower-case hex digits, at most 8. */
	hex(digits: number): string {
		return this.uint32().toString(16).padStart(8, "0").slice(0, digits);
	}
}

function splitmix32(seed: number): () => number {
	let state = seed | 0;
	return () => {
		state = (state + 0x9e3779b9) | 0;
		let mixed = state ^ (state >>> 16);
		mixed = Math.imul(mixed, 0x21f0aaad);
		mixed ^= mixed >>> 15;
		mixed = Math.imul(mixed, 0x735a2d97);
		return (mixed ^ (mixed >>> 15)) | 0;
	};
}
