/**
 * Holds on to the abort signal of the agent that last started.
 *
 * pi shows no signal between two attempts of a retry, and an abort may fall between two events, so one listener on the
 * captured signal tells it at once. This object owns that listener.
 */
import type { SignalView } from "./turn-events.ts";

export class SignalWatch {
	readonly #onAbort: () => void;
	#captured: AbortSignal | null = null;

	/** `onAbort` is called once for each captured signal that is aborted, synchronously. */
	constructor(onAbort: () => void) {
		this.#onAbort = onAbort;
	}

	/** Watches this signal instead of the one before. */
	capture(signal: AbortSignal): void {
		if (signal === this.#captured) return;
		this.release();
		this.#captured = signal;
		if (signal.aborted) this.#onAbort();
		else signal.addEventListener("abort", this.#onAbort, { once: true });
	}

	/** Lets go of the captured signal. */
	release(): void {
		this.#captured?.removeEventListener("abort", this.#onAbort);
		this.#captured = null;
	}
}

/** What pi's present signal shows. */
export function viewSignal(signal: AbortSignal | undefined): SignalView {
	if (signal === undefined) return "none";
	return signal.aborted ? "aborted" : "active";
}
