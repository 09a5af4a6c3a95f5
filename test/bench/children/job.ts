/**
 * The child's side of one measurement: its arguments come as JSON on the command line, its figures go out as one line
 * of JSON.
 */
import { setTimeout } from "node:timers/promises";

/**
 * How long a new process is left alone first, in ms: loading modules leads to a garbage collection on other threads,
 * which takes the processor from whatever runs meanwhile. It is over after some 40.
 */
const SETTLING_MS = 100;

export async function runJob<Job, Figures>(measure: (job: Job) => Promise<Figures> | Figures): Promise<void> {
	const job = JSON.parse(process.argv[2] ?? "{}") as Job;
	await setTimeout(SETTLING_MS);
	process.stdout.write(`${JSON.stringify(await measure(job))}\n`);
}

/** How often a WARM process has read another file before. */
export const WARM_UP_READS = 5;
