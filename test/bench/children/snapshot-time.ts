/**
 * Milliseconds of citing a session of few messages and one of many, each with nothing remembered.
 *
 * The process is warm: it has cited the small one before. Each figure is the median of several.
 */
import { millisecondsOf } from "../measures/duration.ts";
import { median } from "../measures/median.ts";
import { citeOnlySession } from "../references.ts";
import { runJob, WARM_UP_READS } from "./job.ts";

const SAMPLES = 5;

interface SnapshotJob {
	readonly few: string;
	readonly many: string;
	readonly cwd: string;
}

await runJob(async ({ few, many, cwd }: SnapshotJob) => {
	for (let reads = 0; reads < WARM_UP_READS; reads += 1) await citeOnlySession(few, cwd);
	const samples = { few: [] as number[], many: [] as number[] };
	for (let sample = 0; sample < SAMPLES; sample += 1) {
		samples.few.push(await millisecondsOf(() => citeOnlySession(few, cwd)));
		samples.many.push(await millisecondsOf(() => citeOnlySession(many, cwd)));
	}
	return { few: median(samples.few), many: median(samples.many) };
});
