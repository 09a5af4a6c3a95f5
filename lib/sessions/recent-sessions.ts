/**
 * The sessions of a workspace that do not run now and may be looked at: where a model finds whom to ask about.
 */
import type { RecentSession } from "../contract/peers-rpc.ts";
import { printableTitle } from "../projection/printable.ts";
import { type Caller, mayRead } from "./authorization.ts";
import type { SessionQuery } from "./query.ts";

/** Sessions of one listing. */
export const MAX_RECENT_SESSIONS = 20;

/** Time for all titles of a listing, in ms. A title that is not found until then counts as none. */
const TITLES_MS = 1500;

/**
 * The newest cold sessions that `caller` may read.
 * @throws the signal's reason when it is aborted
 */
export async function listRecentSessions(
	sessions: Pick<SessionQuery, "listSessions" | "readTitle">,
	caller: Caller,
	signal?: AbortSignal,
): Promise<RecentSession[]> {
	const catalogue = await sessions.listSessions(signal);
	const cold = catalogue.filter((session) => !session.live && mayRead(caller, session)).slice(0, MAX_RECENT_SESSIONS);
	const inTime = AbortSignal.timeout(TITLES_MS);
	const ended = signal ? AbortSignal.any([signal, inTime]) : inTime;
	const recent = await Promise.all(
		cold.map(async ({ id, changedAt }) => {
			const title = await sessions.readTitle(id, ended).catch(() => null);
			return { sessionId: id, title: printableTitle(title), changedAt: Math.round(changedAt) };
		}),
	);
	signal?.throwIfAborted();
	return recent;
}
