/** How long an action takes, in milliseconds; an asynchronous one until its promise is settled. */
export async function millisecondsOf(action: () => unknown): Promise<number> {
	const start = performance.now();
	await action();
	return performance.now() - start;
}
