/**
 * The one budget of an incarnation: every message it admits and every exchange it begins costs a unit of the same 256.
 *
 * Promise: it only ever shrinks. Nothing inside gives a unit back; a new incarnation starts with a new budget.
 */

export const BUDGET_UNITS = 256;
/** Units left at which the person is told, once. */
export const LOW_BUDGET_UNITS = 32;

export class SharedBudget {
	readonly #onLow: (remaining: number) => void;
	#remaining = BUDGET_UNITS;

	/** `onLow` is called once, when 32 units are left. */
	constructor(onLow: (remaining: number) => void = () => {}) {
		this.#onLow = onLow;
	}

	get remaining(): number {
		return this.#remaining;
	}

	/** Takes one unit; false when there is none left. */
	take(): boolean {
		if (this.#remaining === 0) return false;
		this.#remaining--;
		if (this.#remaining === LOW_BUDGET_UNITS) this.#onLow(this.#remaining);
		return true;
	}
}
