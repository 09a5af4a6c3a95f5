/**
 * Who cites, and which sessions there are to cite.
 *
 * What may be cited is decided here alone, from headers, so that the list of candidates and the reading of a cited
 * session can't disagree.
 */
import type { SessionQuery, SessionSummary } from "../sessions/query.ts";
import { throwIfCancelled } from "./cancellation.ts";
import { SessionReferenceError } from "./errors.ts";
import { withinReadingTime } from "./reading-time.ts";

/** The session in whose prompt others are cited. */
export interface ReferenceCaller {
	readonly sessionId: string;
	/** Its header's working directory; empty when it has none. */
	readonly cwd: string;
}

/** Whether a prompt may cite that session at all. */
export function isCitable(session: Pick<SessionSummary, "origin" | "private">): boolean {
	return session.origin !== "subagent" && !session.private;
}

/**
 * Every session of the catalogue.
 *
 * @throws SessionReferenceError `SESSION_REFERENCE_READ_FAILED`, `SESSION_REFERENCE_CANCELLED`
 */
export async function readCatalogue(sessions: SessionQuery, signal?: AbortSignal): Promise<SessionSummary[]> {
	throwIfCancelled(signal);
	try {
		return await withinReadingTime((ended) => sessions.listSessions(ended), signal);
	} catch (failure) {
		throw failure instanceof SessionReferenceError
			? failure
			: new SessionReferenceError("SESSION_REFERENCE_READ_FAILED");
	}
}
