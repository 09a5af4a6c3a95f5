/**
 * Entry ids as small integers ("symbols"), and the newest line of each.
 *
 * pi's ids are 8 hex digits: they are kept as 32-bit numbers in an open-addressing table, so that a hundred thousand
 * entries cost no strings. Every other id goes into a map. A repeated id means its last line, as in the SDK.
 */
import { randomInt } from "node:crypto";

/** Longer ids belong to nobody's writer; the entry counts as damaged. */
const MAX_ENTRY_ID_LENGTH = 512;
/** No id: a root's parent. */
export const NO_ID = -1;

const FREE = -1;
const NO_LINE = -1;

/** Keeps the author of a log from choosing ids that all fall into one slot. */
const HASH_SEED = randomInt(2 ** 32 - 1);

function hash(value: number): number {
	let mixed = Math.imul(value ^ HASH_SEED, 0x85ebca6b);
	mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35);
	return mixed ^ (mixed >>> 16);
}

export class EntryIds {
	#count = 0;
	#hexCount = 0;
	/** Symbol by hash slot. */
	#slots = new Int32Array(1024).fill(FREE);
	/** The 32-bit id by symbol; meaningless for named ones. */
	#hexIds = new Uint32Array(512);
	#rows = new Int32Array(512).fill(NO_LINE);
	#marks = new Uint8Array(512);
	readonly #named = new Map<string, number>();
	#namedBytes = 0;

	/** @param expected how many ids there will be, roughly */
	constructor(expected = 0) {
		if (expected <= this.#rows.length) return;
		const length = 2 ** Math.ceil(Math.log2(expected));
		this.#grow(length);
		this.#slots = new Int32Array(length * 2).fill(FREE);
	}

	/** Bytes held, roughly. */
	get size(): number {
		return (
			this.#slots.byteLength +
			this.#hexIds.byteLength +
			this.#rows.byteLength +
			this.#marks.byteLength +
			this.#namedBytes
		);
	}

	/** A symbol that no id stands for: for entries of version 1, which have none. */
	fresh(): number {
		if (this.#count === this.#rows.length) this.#grow();
		return this.#count++;
	}

	/** The symbol of an id; NO_ID when it can't be one. */
	intern(id: string): number {
		return /^[0-9a-f]{8}$/.test(id) ? this.internHex(Number.parseInt(id, 16)) : this.#internName(id);
	}

	/** The symbol of an id of 8 hex digits, given as their number. */
	internHex(value: number): number {
		const mask = this.#slots.length - 1;
		let slot = hash(value) & mask;
		while (this.#slots[slot] !== FREE) {
			const known = this.#slots[slot] ?? FREE;
			if (this.#hexIds[known] === value) return known;
			slot = (slot + 1) & mask;
		}
		const symbol = this.fresh();
		this.#hexIds[symbol] = value;
		this.#slots[slot] = symbol;
		if (++this.#hexCount * 2 > this.#slots.length) this.#rehash();
		return symbol;
	}

	/** The newest row with this id, or -1. */
	rowOf(symbol: number): number {
		return symbol < 0 ? NO_LINE : (this.#rows[symbol] ?? NO_LINE);
	}

	/** Makes `row` the one that this id means; returns the row that it meant before, or -1. */
	setRow(symbol: number, row: number): number {
		const before = this.#rows[symbol] ?? NO_LINE;
		this.#rows[symbol] = row;
		return before;
	}

	/** The attestation marks seen for this id, as a bit set. */
	marksOf(symbol: number): number {
		return this.#marks[symbol] ?? 0;
	}

	/** Adds mark bits; returns true when that changed the set. */
	addMarks(symbol: number, bits: number): boolean {
		const before = this.#marks[symbol] ?? 0;
		this.#marks[symbol] = before | bits;
		return (before | bits) !== before;
	}

	#internName(id: string): number {
		if (id.length === 0 || id.length > MAX_ENTRY_ID_LENGTH) return NO_ID;
		const known = this.#named.get(id);
		if (known !== undefined) return known;
		const symbol = this.fresh();
		this.#named.set(id, symbol);
		this.#namedBytes += id.length * 2 + 64;
		return symbol;
	}

	#grow(length = this.#rows.length * 2): void {
		const hexIds = new Uint32Array(length);
		hexIds.set(this.#hexIds);
		this.#hexIds = hexIds;
		const rows = new Int32Array(length).fill(NO_LINE);
		rows.set(this.#rows);
		this.#rows = rows;
		const marks = new Uint8Array(length);
		marks.set(this.#marks);
		this.#marks = marks;
	}

	#rehash(): void {
		const old = this.#slots;
		const slots = new Int32Array(old.length * 2).fill(FREE);
		const mask = slots.length - 1;
		for (const symbol of old) {
			if (symbol === FREE) continue;
			let slot = hash(this.#hexIds[symbol] ?? 0) & mask;
			while (slots[slot] !== FREE) slot = (slot + 1) & mask;
			slots[slot] = symbol;
		}
		this.#slots = slots;
	}
}
