/** Peak memory of the first overview of the process. */
import { peakMemoryOf } from "../measures/peak-memory.ts";
import { newReader, readOverview } from "../overview.ts";
import { runJob } from "./job.ts";

await runJob(({ file }: { file: string }) => peakMemoryOf(() => readOverview(newReader(), file)));
