/** Milliseconds of the SDK's list of the same sessions; loading the SDK itself does not count. */
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { defaultSessionDirectory } from "../../../lib/pi/workspace.ts";
import { MANY_SESSIONS, type ManySessions } from "../many-sessions.ts";
import { millisecondsOf } from "../measures/duration.ts";
import { runJob } from "./job.ts";

await runJob(({ agentDirectory, cwd }: ManySessions) =>
	millisecondsOf(async () => {
		const sessions = await SessionManager.list(cwd, defaultSessionDirectory(agentDirectory, cwd));
		if (sessions.length !== MANY_SESSIONS) throw new Error(`${sessions.length} sessions`);
	}),
);
