/** Longest event-loop block of the first overview of the process. */
import { longestBlockOf } from "../measures/event-loop-block.ts";
import { newReader, readOverview } from "../overview.ts";
import { runJob } from "./job.ts";

await runJob(({ file }: { file: string }) => longestBlockOf(() => readOverview(newReader(), file)));
