/** A clock that tests move by hand. Timers run in order while it moves, and only then. */
import type { CancelTimer, Clock } from "../../lib/peers/clock.ts";

interface Timer {
	readonly at: number;
	readonly task: () => void;
}

export class ManualClock implements Clock {
	#epoch: number;
	#elapsed = 0;
	readonly #timers = new Set<Timer>();

	constructor(epoch = Date.now()) {
		this.#epoch = epoch;
	}

	/** Timers that wait. */
	get pending(): number {
		return this.#timers.size;
	}

	/** Milliseconds until the next timer is due; null when none waits. */
	nextIn(): number | null {
		const dues = [...this.#timers].map((timer) => timer.at - this.#elapsed);
		return dues.length === 0 ? null : Math.min(...dues);
	}

	now(): number {
		return this.#epoch + this.#elapsed;
	}

	monotonic(): number {
		return this.#elapsed;
	}

	after(milliseconds: number, task: () => void): CancelTimer {
		const timer = { at: this.#elapsed + milliseconds, task };
		this.#timers.add(timer);
		return () => this.#timers.delete(timer);
	}

	/** Lets time pass, with every timer that becomes due. */
	advance(milliseconds: number): void {
		const end = this.#elapsed + milliseconds;
		for (let due = this.#next(end); due !== undefined; due = this.#next(end)) {
			this.#timers.delete(due);
			this.#elapsed = due.at;
			due.task();
		}
		this.#elapsed = end;
	}

	/** Lets monotonic time pass as a blocked event loop does: no timer runs. */
	stall(milliseconds: number): void {
		this.#elapsed += milliseconds;
	}

	/** Moves the wall clock alone, as a person or a time server does. */
	shiftEpoch(milliseconds: number): void {
		this.#epoch += milliseconds;
	}

	#next(end: number): Timer | undefined {
		const due = [...this.#timers].filter((timer) => timer.at <= end);
		return due.sort((left, right) => left.at - right.at)[0];
	}
}
