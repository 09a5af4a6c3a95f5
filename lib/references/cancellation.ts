/**
 * Waiting that ends when the caller gives up, also when the host that is waited for does not notice.
 */
import { SessionReferenceError } from "./errors.ts";

/** @throws SessionReferenceError `SESSION_REFERENCE_CANCELLED` when the signal is aborted. */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
	if (signal?.aborted) throw new SessionReferenceError("SESSION_REFERENCE_CANCELLED");
}

/**
 * What the work gives, or at once `SESSION_REFERENCE_CANCELLED` when the signal is aborted before or meanwhile. Work
 * that goes on after that is left to its own end: nothing of it is used, and its failure is nobody's news.
 */
export async function untilCancelled<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
	if (signal === undefined) return work;
	let stopWaiting = () => {};
	const cancelled = new Promise<never>((_resolve, reject) => {
		const cancel = () => reject(new SessionReferenceError("SESSION_REFERENCE_CANCELLED"));
		if (signal.aborted) return cancel();
		signal.addEventListener("abort", cancel, { once: true });
		stopWaiting = () => signal.removeEventListener("abort", cancel);
	});
	try {
		return await Promise.race([cancelled, work]);
	} finally {
		stopWaiting();
	}
}
