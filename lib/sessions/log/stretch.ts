/**
 * Long work in stretches: between two of them the event loop gets its turn, and the work may be cancelled.
 *
 * All that is done for one question, one after the other, shares one of these: two stretches without a turn between them
 * would be one long one.
 */
import { performance } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";

/** Time of one stretch, in ms: short enough for a keystroke, long enough that the turns between cost little. */
const STRETCH_MS = 3;

/** Cheap steps between two looks at the clock: a fraction of a millisecond, in a new process too. */
const STEPS_PER_LOOK = 256;

export class Stretch {
	/** When it is over: performance.now() in ms. */
	end = performance.now() + STRETCH_MS;
	/** Cancels the work. */
	readonly signal: AbortSignal | undefined;
	#steps = 0;

	constructor(signal?: AbortSignal) {
		this.signal = signal;
	}

	get isOver(): boolean {
		return performance.now() >= this.end;
	}

	/** Counts one cheap step; true when it is time to give way. */
	step(): boolean {
		return ++this.#steps % STEPS_PER_LOOK === 0 && this.isOver;
	}

	/** Gives other work its turn, and begins the next stretch. @throws the signal's reason when it is aborted */
	async giveWay(): Promise<void> {
		await setImmediate();
		this.signal?.throwIfAborted();
		this.end = performance.now() + STRETCH_MS;
	}
}
