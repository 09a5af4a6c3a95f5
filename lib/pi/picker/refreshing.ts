/**
 * A piece of work that is done again and again while something is open.
 *
 * Promise: it never runs twice at the same time, and after `stop()`, or the end of the incarnation, no timer is left,
 * what runs is told to end, and nothing of what it still brings is used.
 */
import type { CancelTimer, Clock } from "../../peers/clock.ts";

export interface RefreshingOptions {
	/** Done at once, and again `every` milliseconds after it ended. Must not reject. */
	readonly work: (signal: AbortSignal) => Promise<void>;
	readonly every: number;
	readonly clock: Clock;
	/** Aborted when the incarnation is over. */
	readonly fence: AbortSignal;
}

export class Refreshing {
	readonly #options: RefreshingOptions;
	readonly #end = new AbortController();
	readonly #stop = () => this.stop();
	#cancelTimer: CancelTimer | null = null;

	constructor(options: RefreshingOptions) {
		this.#options = options;
		options.fence.addEventListener("abort", this.#stop, { once: true });
		if (options.fence.aborted) this.stop();
		void this.#run();
	}

	stop(): void {
		this.#options.fence.removeEventListener("abort", this.#stop);
		this.#cancelTimer?.();
		this.#cancelTimer = null;
		this.#end.abort();
	}

	async #run(): Promise<void> {
		if (this.#end.signal.aborted) return;
		await this.#options.work(this.#end.signal);
		if (this.#end.signal.aborted) return;
		this.#cancelTimer = this.#options.clock.after(this.#options.every, () => void this.#run());
	}
}
