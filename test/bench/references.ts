/**
 * What is measured of session references: the list that an `@` needs, and the snapshot of one session.
 */
import path from "node:path";
import { SessionReferences } from "../../lib/references/index.ts";
import { PiSessionQuery } from "../../lib/sessions/pi-session-query.ts";
import { SessionRecords } from "../../lib/sessions/session-records.ts";
import { nobodyLive } from "../support/logs/nobody-live.ts";

/** Session references over the logs of one directory, with nothing remembered. */
export function newReferences(directory: string, agentDirectory: string): SessionReferences {
	const sources = () => ({ directories: [directory], files: [] });
	return new SessionReferences(
		new PiSessionQuery({ sources, records: new SessionRecords(agentDirectory), live: nobodyLive }),
	);
}

/** Cites the one session of a directory; returns the size of the context. */
export async function citeOnlySession(directory: string, cwd: string): Promise<number> {
	const references = newReferences(directory, path.join(directory, "no-agent"));
	const caller = { sessionId: "me", cwd };
	const [candidate] = await references.listCandidates(caller);
	if (candidate === undefined) throw new Error("There is no session to cite.");
	const { additionalContext } = await references.prepare(caller, null, [candidate]);
	return additionalContext?.text.length ?? 0;
}
