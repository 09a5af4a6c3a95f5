/** Milliseconds of the first list of candidates in a process: titles and privacy known, nothing remembered. */
import { defaultSessionDirectory } from "../../../lib/pi/workspace.ts";
import type { ManySessions } from "../many-sessions.ts";
import { millisecondsOf } from "../measures/duration.ts";
import { newReferences } from "../references.ts";
import { runJob } from "./job.ts";

await runJob(async ({ agentDirectory, cwd }: ManySessions) => {
	const references = newReferences(defaultSessionDirectory(agentDirectory, cwd), agentDirectory);
	return millisecondsOf(async () => {
		const candidates = await references.listCandidates({ sessionId: "me", cwd });
		if (candidates.length !== 50) throw new Error(`${candidates.length} candidates`);
	});
});
