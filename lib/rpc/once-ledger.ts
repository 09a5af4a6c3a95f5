/**
 * The ids that one incarnation has seen on one topic.
 *
 * Promise: an id can be claimed once, ever; the ledger never holds more than its capacity and never forgets, so it is
 * also the topic's budget: nothing refills it but a new incarnation.
 */

/** Ids a topic unless configured otherwise. */
export const DEFAULT_LEDGER_CAPACITY = 256;
/** The most that may be configured. */
export const MAX_LEDGER_CAPACITY = 4096;

export class OnceLedger {
	readonly #capacity: number;
	readonly #claimed = new Set<string>();

	/** @param capacity 1 to 4096 ids; a RangeError otherwise. */
	constructor(capacity: number = DEFAULT_LEDGER_CAPACITY) {
		if (!Number.isInteger(capacity) || capacity < 1 || capacity > MAX_LEDGER_CAPACITY) {
			throw new RangeError(`A ledger's capacity is an integer from 1 to ${MAX_LEDGER_CAPACITY}.`);
		}
		this.#capacity = capacity;
	}

	/** Whether the id is now the caller's to act on: false when it was claimed before, or when no room is left. */
	claimOnce(id: string): boolean {
		if (this.remaining === 0 || this.#claimed.has(id)) return false;
		this.#claimed.add(id);
		return true;
	}

	/** How many more ids can be claimed. */
	get remaining(): number {
		return this.#capacity - this.#claimed.size;
	}
}
