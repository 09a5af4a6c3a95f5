/**
 * The one message of ours that is on its way into pi.
 *
 * pi says nothing when it takes a message, so this watches for the signs: the agent starts, and the message's own
 * `message_end` comes. Until that one is seen nothing else is submitted.
 */

/** How long the signs may take, in ms. Preparations that are seen restart it. */
const CONFIRMATION_MS = 5_000;

export class SubmissionWatch {
	#submission: string | null = null;
	#started = false;
	/** When to give up waiting; null while nothing is in flight, or when it was given up already. */
	#deadline: number | null = null;

	get submission(): string | null {
		return this.#submission;
	}

	get inFlight(): boolean {
		return this.#submission !== null;
	}

	get deadline(): number | null {
		return this.#deadline;
	}

	begin(submission: string, at: number): void {
		this.#submission = submission;
		this.#started = false;
		this.#deadline = at + CONFIRMATION_MS;
	}

	agentStarted(): void {
		if (this.inFlight) this.#started = true;
	}

	/** pi prepares the run: the wait begins anew. */
	restart(at: number): void {
		if (this.#deadline !== null) this.#deadline = at + CONFIRMATION_MS;
	}

	/** The submission's own `message_end` came. */
	confirm(submission: string): void {
		if (this.#submission === submission) this.clear();
	}

	clear(): void {
		this.#submission = null;
		this.#deadline = null;
	}

	/** The submission whose signs did not come in time, told once. */
	expire(at: number): { readonly submission: string; readonly started: boolean } | null {
		if (this.#submission === null || this.#deadline === null || at < this.#deadline) return null;
		this.#deadline = null;
		return { submission: this.#submission, started: this.#started };
	}
}
