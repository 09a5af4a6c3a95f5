/** Milliseconds of a bare newline scan: the first of the process, or the first after five of another file. */
import { countNewlines } from "../baselines/newline-scan.ts";
import { millisecondsOf } from "../measures/duration.ts";
import { runJob, WARM_UP_READS } from "./job.ts";

await runJob(({ file, warmUpFile }: { file: string; warmUpFile?: string }) => {
	if (warmUpFile !== undefined) {
		for (let scans = 0; scans < WARM_UP_READS; scans += 1) countNewlines(warmUpFile);
	}
	return millisecondsOf(() => countNewlines(file));
});
