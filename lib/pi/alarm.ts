/**
 * One timer for the next moment at which time alone matters. It never keeps the process alive.
 */

/** Longest wait in one go, in ms: timers of more than 24 days ring at once. */
const LONGEST_WAIT_MS = 86_400_000;

export class Alarm {
	readonly #ring: () => void;
	readonly #now: () => number;
	#timer: NodeJS.Timeout | null = null;

	/** `ring` is called at the moment that was set, or somewhat earlier when that is far away. */
	constructor(ring: () => void, now: () => number) {
		this.#ring = ring;
		this.#now = now;
	}

	/** Sets it in place of what was set before, in the clock of `now`; null sets none. */
	set(at: number | null): void {
		this.clear();
		if (at === null) return;
		const wait = Math.min(Math.max(Math.ceil(at - this.#now()), 1), LONGEST_WAIT_MS);
		this.#timer = setTimeout(this.#ring, wait);
		this.#timer.unref();
	}

	clear(): void {
		if (this.#timer !== null) clearTimeout(this.#timer);
		this.#timer = null;
	}
}
