/**
 * Waiting that ends with a signal, whatever becomes of the work.
 */

/** The work's result; rejects with the signal's reason as soon as it is aborted. The work behind it ends by itself. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
	if (!signal) return await work;
	// Whoever looks at it first, a rejection of the work is never left unhandled.
	work.catch(() => {});
	signal.throwIfAborted();
	const { promise, reject } = Promise.withResolvers<never>();
	const end = () => reject(signal.reason);
	signal.addEventListener("abort", end, { once: true });
	try {
		return await Promise.race([work, promise]);
	} finally {
		signal.removeEventListener("abort", end);
	}
}
