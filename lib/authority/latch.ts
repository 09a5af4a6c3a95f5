/**
 * The cancel latch: once a turn was cancelled, this session receives nothing until the person opens it again.
 *
 * It knows nothing of turns. It only promises that it closes once per closing, and that nothing but `open` opens it.
 */
import type { CancelCause } from "./turn-events.ts";

export class CancelLatch {
	#cause: CancelCause | null = null;

	/** Why it is closed; null while it is open. */
	get cause(): CancelCause | null {
		return this.#cause;
	}

	get closed(): boolean {
		return this.#cause !== null;
	}

	/** Closes it. False when it was closed already: then the person was told before, and the first cause stays. */
	close(cause: CancelCause): boolean {
		if (this.#cause !== null) return false;
		this.#cause = cause;
		return true;
	}

	/** The person's own act. */
	open(): void {
		this.#cause = null;
	}
}
