/**
 * Whether one logical turn was cancelled, and whether it ended well.
 *
 * An abort counts at once and for good, whatever pi does later in the same turn. Everything else is judged at the end:
 * a turn is safe only when a live signal was seen and the last answer is complete.
 */
import type { CancelCause, SignalView, TurnMessage } from "./turn-events.ts";

type AssistantMessage = Extract<TurnMessage, { role: "assistant" }>;

export class Cancellation {
	#aborted = false;
	#captured: SignalView = "none";
	/** The newest assistant message that ended and was followed by nothing but its tool results. */
	#answer: AssistantMessage | null = null;
	#results = new Set<string>();

	/** An abort was seen. Never false again. */
	get aborted(): boolean {
		return this.#aborted;
	}

	/** A live signal is known: pi's present one, or the captured one while pi shows none between two attempts. */
	get confirmed(): boolean {
		return this.#captured === "active" && !this.#aborted;
	}

	abort(): void {
		this.#aborted = true;
	}

	/** Takes down the signal of an instant. Having none is no news. */
	observe(signal: SignalView): void {
		if (signal === "none") return;
		this.#captured = signal;
		if (signal === "aborted") this.#aborted = true;
	}

	messageStarted(message: TurnMessage): void {
		if (message.role !== "toolResult") this.#answer = null;
	}

	messageEnded(message: TurnMessage): void {
		if (message.role === "toolResult") {
			this.#results.add(message.call);
			return;
		}
		if (message.role !== "assistant") return;
		if (message.stopReason === "aborted") this.#aborted = true;
		this.#answer = message;
		this.#results.clear();
	}

	/** What makes the end of this turn unsafe; null when it is safe. */
	verdict(sourceKnown: boolean): CancelCause | null {
		if (this.#aborted) return "aborted";
		if (!sourceKnown) return "unknown_source";
		if (this.#captured === "none") return "no_signal";
		return this.#endedWell() ? null : "no_good_end";
	}

	/** A complete answer: it stopped, or all its tool calls have a result and a tool chose to end the turn there. */
	#endedWell(): boolean {
		const answer = this.#answer;
		if (answer === null) return false;
		if (answer.stopReason === "stop") return true;
		if (answer.stopReason !== "toolUse" || answer.calls.length === 0) return false;
		return answer.calls.every((call) => this.#results.has(call));
	}
}
