/**
 * Waiting that ends when the caller gives up, also when the host that is waited for does not notice.
 */
import { untilAborted } from "../sessions/abort.ts";
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
	try {
		return await untilAborted(work, signal);
	} catch (failure) {
		throwIfCancelled(signal);
		throw failure;
	}
}
