/** Milliseconds of the SDK's cold open and projection; loading the SDK itself does not count. */
import { projectBySdk } from "../baselines/sdk-projection.ts";
import { millisecondsOf } from "../measures/duration.ts";
import { runJob } from "./job.ts";

await runJob(({ file }: { file: string }) => millisecondsOf(() => projectBySdk(file)));
