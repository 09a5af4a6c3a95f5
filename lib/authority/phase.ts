/**
 * Where in a turn pi is: nothing going on, something asked for, or the agent at work.
 *
 * A preflight may come to nothing without any event (a swallowed prompt, a missing key), so it has an exit of its own: a
 * stretch of idleness in which pi neither announces a run nor shows a signal.
 */
import type { Instant } from "./turn-events.ts";

export type PhaseName = "idle" | "preflight" | "busy";

/** Uninterrupted quiet, in ms, after which a preflight counts as come to nothing. */
const PREFLIGHT_IDLE_MS = 5_000;

export class Phase {
	#name: PhaseName = "idle";
	/** pi has announced the run (`before_agent_start`): however long it is held, it is on its way. */
	#announced = false;
	/** Start of the present stretch of quiet; null while there is none. */
	#quietSince: number | null = null;
	#seenAt = 0;

	get name(): PhaseName {
		return this.#name;
	}

	/** When a preflight is to be looked at again; null when nothing is to be waited for. */
	get deadline(): number | null {
		if (this.#name !== "preflight" || this.#announced) return null;
		return (this.#quietSince ?? this.#seenAt) + PREFLIGHT_IDLE_MS;
	}

	/** Something was asked for. An agent at work stays at work, and a run that was announced stays announced. */
	ask(now: Instant): void {
		if (this.#name === "busy") return;
		this.#name = "preflight";
		this.#restart(now);
	}

	announce(): void {
		if (this.#name === "busy") return;
		this.#name = "preflight";
		this.#announced = true;
	}

	start(): void {
		this.#name = "busy";
		this.#announced = false;
	}

	/** The turn is over. `asked`: another prompt was announced before and may still come. */
	settle(asked: boolean): void {
		this.#name = asked ? "preflight" : "idle";
		this.#announced = false;
		this.#quietSince = null;
	}

	/** Takes down an instant; true when the quiet has now lasted long enough to end the preflight. */
	observe(now: Instant, compacting: boolean): boolean {
		this.#seenAt = now.at;
		if (compacting || !isQuiet(now)) this.#quietSince = null;
		else this.#quietSince ??= now.at;
		if (this.#name !== "preflight" || this.#announced || this.#quietSince === null) return false;
		if (now.at - this.#quietSince < PREFLIGHT_IDLE_MS) return false;
		this.#name = "idle";
		return true;
	}

	#restart(now: Instant): void {
		this.#seenAt = now.at;
		this.#quietSince = isQuiet(now) ? now.at : null;
	}
}

/** Idle and without a live signal. */
export function isQuiet(now: Instant): boolean {
	return now.idle && now.signal === "none";
}
