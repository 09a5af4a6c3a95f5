/**
 * The most resident memory that an action needs, by the kernel's own high-water mark.
 *
 * Linux only: writing 5 to `clear_refs` sets the mark back to what is resident now.
 */
import { readFileSync, writeFileSync } from "node:fs";

export interface MemoryFigures {
	/** MiB resident before the action, after a garbage collection. */
	readonly idle: number;
	/** MiB above that at the action's peak. */
	readonly above: number;
}

/** Needs `--expose-gc`. */
export async function peakMemoryOf(action: () => Promise<unknown>): Promise<MemoryFigures> {
	if (globalThis.gc === undefined) throw new Error("Peak memory needs node --expose-gc.");
	// The thorough kind gives freed pages back: reused ones would hide what the action needs.
	globalThis.gc({ type: "major", execution: "sync", flavor: "last-resort" });
	writeFileSync("/proc/self/clear_refs", "5");
	const idle = residentMiB("VmRSS");
	await action();
	return { idle, above: residentMiB("VmHWM") - idle };
}

function residentMiB(field: "VmRSS" | "VmHWM"): number {
	const match = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(readFileSync("/proc/self/status", "utf8"));
	if (match === null) throw new Error(`/proc/self/status has no ${field}.`);
	return Number(match[1]) / 1024;
}
