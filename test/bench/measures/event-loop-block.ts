/**
 * The longest time for which the event loop could not do anything else.
 *
 * Looks at the clock in every round of the loop (`setImmediate`). `monitorEventLoopDelay` would miss the first interval
 * after it was started, which is where a reader's first chunk falls.
 */
export interface BlockFigures {
	/** Milliseconds, while the action ran. */
	readonly longest: number;
	/** The same over an equally long time without the action: what the machine alone does. */
	readonly idle: number;
}

export async function longestBlockOf(action: () => Promise<unknown>): Promise<BlockFigures> {
	const probe = new BlockProbe();
	const start = performance.now();
	await action();
	const longest = probe.stop();
	const end = performance.now();
	return { longest, idle: await idleBlock(end - start) };
}

function idleBlock(milliseconds: number): Promise<number> {
	const probe = new BlockProbe();
	const end = performance.now() + milliseconds;
	return new Promise((resolve) => {
		const look = () => {
			if (performance.now() < end) setImmediate(look);
			else resolve(probe.stop());
		};
		setImmediate(look);
	});
}

class BlockProbe {
	#last = performance.now();
	#longest = 0;
	#stopped = false;

	constructor() {
		setImmediate(this.#look);
	}

	/** Ends the probe; the time since its last look counts too. */
	stop(): number {
		this.#note();
		this.#stopped = true;
		return this.#longest;
	}

	readonly #look = (): void => {
		if (this.#stopped) return;
		this.#note();
		setImmediate(this.#look);
	};

	#note(): void {
		const now = performance.now();
		this.#longest = Math.max(this.#longest, now - this.#last);
		this.#last = now;
	}
}
