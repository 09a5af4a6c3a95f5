/** Milliseconds of one cold overview: the first read of the process, or the first after five of another file. */
import { millisecondsOf } from "../measures/duration.ts";
import { newReader, readOverview } from "../overview.ts";
import { runJob, WARM_UP_READS } from "./job.ts";

await runJob(async ({ file, warmUpFile }: { file: string; warmUpFile?: string }) => {
	if (warmUpFile !== undefined) {
		// A new reader each time: with one index only the first of them would read anything.
		for (let reads = 0; reads < WARM_UP_READS; reads += 1) await readOverview(newReader(), warmUpFile);
	}
	const reader = newReader();
	return millisecondsOf(() => readOverview(reader, file));
});
