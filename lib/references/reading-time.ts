/**
 * How long a host may take to answer, so that a prompt comes back also from a disk that never does.
 */
import { untilAborted } from "../sessions/abort.ts";
import { throwIfCancelled } from "./cancellation.ts";
import { SessionReferenceError } from "./errors.ts";

/** Time for one listing of all sessions, and for reading all that a prompt cites, in ms: far more than a log of GiBs takes. */
const MAX_READING_MS = 30_000;

/**
 * What the reading gives. Its signal is aborted with the given one, when the time is over, and when one part of the
 * reading has failed, which makes the others needless.
 *
 * @throws SessionReferenceError `SESSION_REFERENCE_CANCELLED`; `SESSION_REFERENCE_READ_FAILED` when the time is over
 */
export async function withinReadingTime<T>(
	read: (signal: AbortSignal) => Promise<T>,
	signal: AbortSignal | undefined,
): Promise<T> {
	const end = new AbortController();
	const timer = setTimeout(() => end.abort(), MAX_READING_MS);
	const ended = signal === undefined ? end.signal : AbortSignal.any([signal, end.signal]);
	try {
		return await untilAborted(read(ended), ended);
	} catch (failure) {
		throwIfCancelled(signal);
		if (!end.signal.aborted) throw failure;
		const detail = `It took longer than ${MAX_READING_MS / 1000} seconds.`;
		throw new SessionReferenceError("SESSION_REFERENCE_READ_FAILED", null, detail);
	} finally {
		clearTimeout(timer);
		end.abort();
	}
}
