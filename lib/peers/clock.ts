/**
 * Time, as everything with a deadline or a lifetime in these rooms sees it. Injected, so that tests move it by hand.
 *
 * Promise: no timer started here keeps a process alive.
 */

/** Stops a timer; does nothing when it has run or was stopped before. */
export type CancelTimer = () => void;

export interface Clock {
	/** Epoch milliseconds: for what other processes read. May jump. */
	now(): number;
	/** Milliseconds since some moment; never goes back: for deadlines and lifetimes. */
	monotonic(): number;
	/** Runs `task` once after at least `milliseconds`. */
	after(milliseconds: number, task: () => void): CancelTimer;
}

export const systemClock: Clock = Object.freeze({
	now: () => Date.now(),
	monotonic: () => performance.now(),
	after(milliseconds: number, task: () => void): CancelTimer {
		const timer = setTimeout(task, milliseconds);
		timer.unref();
		return () => clearTimeout(timer);
	},
});
