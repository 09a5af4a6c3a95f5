/**
 * The child's side of one measurement: its arguments come as JSON on the command line, its figures go out as one line
 * of JSON.
 */
export async function runJob<Job, Figures>(measure: (job: Job) => Promise<Figures> | Figures): Promise<void> {
	const job = JSON.parse(process.argv[2] ?? "{}") as Job;
	process.stdout.write(`${JSON.stringify(await measure(job))}\n`);
}

/** How often a WARM process has read another file before. */
export const WARM_UP_READS = 5;
