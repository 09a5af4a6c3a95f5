/**
 * Work for a person that takes a while, and a session that may end meanwhile by a reload, a switch or a shutdown.
 */

/**
 * Does the work of a command. Once its session is over its context can't be used and nobody is left to be told:
 * whatever it throws then is dropped.
 * @param fence aborted when the session is over
 */
export async function unlessEnded(fence: AbortSignal, work: () => unknown): Promise<void> {
	try {
		await work();
	} catch (error) {
		if (!fence.aborted) throw error;
	}
}
