/**
 * Milliseconds of reading a session again: when nothing changed, and when ten entries were added.
 *
 * The process is warm: it has read and re-read another file before. Each figure is the median of many such reads of one
 * file, since a single one is shorter than the clock's and the machine's unrest.
 */
import { copyFileSync, rmSync } from "node:fs";
import { RealisticAppender } from "../../support/logs/realistic-log.ts";
import { millisecondsOf } from "../measures/duration.ts";
import { median } from "../measures/median.ts";
import { newReader, readOverview } from "../overview.ts";
import { runJob, WARM_UP_READS } from "./job.ts";

const SAMPLES = 25;
const NEW_ENTRIES = 10;
/** Not that of the log: the same seed would give the same ids, and a repeated id has the branch folded anew. */
const APPENDED_SEED = 101;

interface SecondReadJob {
	readonly file: string;
	readonly leafId: string | null;
	readonly warmUpFile: string;
	/** Where the private copy goes that is appended to. */
	readonly copy: string;
}

await runJob(async ({ file, leafId, warmUpFile, copy }: SecondReadJob) => {
	for (let reads = 0; reads < WARM_UP_READS; reads += 1) {
		const reader = newReader();
		await readOverview(reader, warmUpFile);
		await readOverview(reader, warmUpFile);
	}
	copyFileSync(file, copy);
	const appender = new RealisticAppender(copy, { seed: APPENDED_SEED, leafId });
	try {
		const reader = newReader();
		await readOverview(reader, copy);
		const unchanged = await medianOf(() => readOverview(reader, copy));
		const grown = await medianOf(
			() => readOverview(reader, copy),
			() => appender.append(NEW_ENTRIES),
		);
		return { unchanged, grown };
	} finally {
		appender.close();
		rmSync(copy);
	}
});

/** `prepare` runs before each sample and does not count. */
async function medianOf(action: () => Promise<unknown>, prepare: () => unknown = () => {}): Promise<number> {
	const samples: number[] = [];
	for (let sample = 0; sample < SAMPLES; sample += 1) {
		prepare();
		samples.push(await millisecondsOf(action));
	}
	return median(samples);
}
