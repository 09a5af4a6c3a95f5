/**
 * Runs what others wrote without letting their failure through.
 *
 * Promise: neither an exception nor a rejected promise of the action reaches the caller or the process.
 */

/** Calls the action; hands what it throws, or what its promise rejects with, to `onError` (default: dropped). */
export function runIsolated(action: () => unknown, onError: (error: unknown) => void = drop): void {
	try {
		observeRejection(action(), onError);
	} catch (error) {
		onError(error);
	}
}

/** Listens for the failure of a result that was declared to be nothing but may be a promise. */
export function observeRejection(result: unknown, onError: (error: unknown) => void): void {
	if (typeof result !== "object" || result === null || !("then" in result)) return;
	Promise.resolve(result).then(undefined, onError);
}

function drop(): void {}
