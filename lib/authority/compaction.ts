/**
 * Whether pi compacts right now, as far as its events tell.
 *
 * A cancelled compaction of the oldest supported pi gives no event at all, so a long enough stretch of idleness ends the
 * state too. An agent that starts, or a prompt that the terminal lets through, shows that it is over.
 */
import type { Instant } from "./turn-events.ts";

/** Uninterrupted idleness, in ms, after which a compaction without an end counts as over. */
export const COMPACTION_IDLE_MS = 120_000;

export class CompactionWindow {
	#open = false;
	/** Start of the present stretch of idleness; null while pi is at work. */
	#idleSince: number | null = null;
	#seenAt = 0;

	get open(): boolean {
		return this.#open;
	}

	/** When to look again; null when nothing is to be waited for. */
	get deadline(): number | null {
		return this.#open ? (this.#idleSince ?? this.#seenAt) + COMPACTION_IDLE_MS : null;
	}

	begin(now: Instant): void {
		this.#open = true;
		this.#seenAt = now.at;
		this.#idleSince = now.idle ? now.at : null;
	}

	/** True when this ended a compaction. */
	end(): boolean {
		const ended = this.#open;
		this.#open = false;
		return ended;
	}

	/** Takes down an instant; true when the idleness has now lasted long enough to end the compaction. */
	observe(now: Instant): boolean {
		if (!this.#open) return false;
		this.#seenAt = now.at;
		if (!now.idle) this.#idleSince = null;
		else this.#idleSince ??= now.at;
		return this.#idleSince !== null && now.at - this.#idleSince >= COMPACTION_IDLE_MS && this.end();
	}
}
