/**
 * The ids that one incarnation has seen on one topic.
 *
 * Promise: an id can be claimed once, ever; the ledger never holds more than its capacity and never forgets, so it is
 * also the topic's budget: nothing refills it but a new incarnation.
 */
import { DEFAULT_REQUESTS, MAX_REQUESTS } from "../contract/limits.ts";

export class OnceLedger {
	readonly #capacity: number;
	readonly #claimed = new Set<string>();

	/** @param capacity 1 to 4096 ids; a RangeError otherwise. */
	constructor(capacity: number = DEFAULT_REQUESTS) {
		if (!Number.isInteger(capacity) || capacity < 1 || capacity > MAX_REQUESTS) {
			throw new RangeError(`A ledger's capacity is an integer from 1 to ${MAX_REQUESTS}.`);
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
