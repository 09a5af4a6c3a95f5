/**
 * What is still to be done when the process runs out of work without having said so.
 *
 * Promise: one listener for all sessions of the process, there only while somebody needs it. A task that fails stops no
 * other.
 */

const tasks = new Set<() => Promise<void>>();

function runAll(): void {
	for (const task of tasks) void task().catch(() => {});
}

/** Runs `task` once the event loop is empty. Returns what takes it back. */
export function atProcessEnd(task: () => Promise<void>): () => void {
	const own = (): Promise<void> => task();
	tasks.add(own);
	if (tasks.size === 1) process.on("beforeExit", runAll);
	return () => {
		if (tasks.delete(own) && tasks.size === 0) process.off("beforeExit", runAll);
	};
}
