/**
 * What a process may hold after all that happened, by what it held before.
 */
import type { SeatSession } from "./seat-session.ts";
import type { Measure } from "./soak-extension.ts";
import { untilDefined } from "./until.ts";

/** How long connections and timers may need to run out, in ms. */
const PATIENCE_MS = 15_000;

/** What the heap may grow by for good, in bytes: caches that have a bound fill up, and code is compiled again. */
const HEAP_GROWTH = 16 * 1024 * 1024;
/** The same for all of the process's memory, of which the allocator gives little back. */
const RESIDENT_GROWTH = 96 * 1024 * 1024;

/** What the process at a seat holds when nothing goes on: in a new session, which holds no old entries. */
export async function measureAtRest(seat: SeatSession): Promise<Measure> {
	await seat.newSession();
	return seat.measure();
}

/** What is more than it was; empty when the process has come back to its base in time. */
export async function growthOf(seat: SeatSession, base: Measure): Promise<string[]> {
	let grown: string[] = [];
	await seat.newSession();
	await untilDefined(
		async () => {
			grown = beyond(base, await seat.measure());
			return grown.length === 0 ? true : undefined;
		},
		PATIENCE_MS,
		500,
	);
	return grown.map((what) => `The process at ${seat.seat} holds more than before: ${what}.`);
}

/** What is more than the base allows, in words. */
export function beyond(base: Measure, now: Measure): string[] {
	return [
		...more("bytes of heap", base.heap + HEAP_GROWTH, now.heap),
		...more("bytes of memory", base.resident + RESIDENT_GROWTH, now.resident),
		...more("descriptors", base.descriptors, now.descriptors),
		...more("timers", base.timers, now.timers),
		...moreOfEach(base.resources, now.resources),
		...moreOfEach(base.listeners, now.listeners),
	];
}

function moreOfEach(before: Readonly<Record<string, number>>, now: Readonly<Record<string, number>>): string[] {
	return Object.entries(now).flatMap(([name, count]) => more(name, before[name] ?? 0, count));
}

function more(name: string, most: number, now: number): string[] {
	return now > most ? [`${name}: ${now}, at most ${most}`] : [];
}
