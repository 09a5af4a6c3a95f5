/**
 * What pi is doing, as far as a prompt that waits must know: whether it compacts, and how the run ended.
 *
 * A run ended well when its last answer is complete and nothing was cancelled in it; whatever pi says after a
 * cancelled part of a run, it stays cancelled until it has settled. Pure.
 */
import { COMPACTION_IDLE_MS } from "../../authority/compaction.ts";

/** How a run ended. */
export type RunEnd = "well" | "cancelled" | "failed";

const completed: ReadonlySet<string> = new Set(["stop", "length", "toolUse"]);

export class RunWatch {
	#compacting = false;
	#idleSince: number | null = null;
	#cancelled = false;
	#answered = false;

	get compacting(): boolean {
		return this.#compacting;
	}

	/** An agent starts; so whatever was compacted is. */
	started(): void {
		this.#compacting = false;
	}

	cancelled(): void {
		this.#cancelled = true;
	}

	/** An answer of the model has ended, for this reason. */
	answered(stopReason: string): void {
		this.#answered = completed.has(stopReason);
		if (stopReason === "aborted") this.#cancelled = true;
	}

	/** The run has settled. */
	settled(): RunEnd {
		const end = this.#cancelled ? "cancelled" : this.#answered ? "well" : "failed";
		this.#cancelled = false;
		this.#answered = false;
		return end;
	}

	compactionBegan(): void {
		this.#compacting = true;
		this.#idleSince = null;
	}

	compactionEnded(): void {
		this.#compacting = false;
	}

	/** Takes down whether pi is idle. True when a compaction of which no end was seen must be over by now. */
	look(idle: boolean, now: number): boolean {
		if (!this.#compacting || !idle) {
			this.#idleSince = null;
			return false;
		}
		this.#idleSince ??= now;
		if (now - this.#idleSince < COMPACTION_IDLE_MS) return false;
		this.#compacting = false;
		return true;
	}
}
