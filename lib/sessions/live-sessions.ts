/**
 * What the live registry knows of sessions, as a port: this room asks, whoever keeps the registry answers.
 */
import type { RuntimeStatus } from "../contract/peer-context.ts";

export interface LiveSessions {
	/** Whether a session runs now, as its own registration says; `offline` when none answers for it. */
	statusOf(sessionId: string): RuntimeStatus;
	/** Session files that live peers of a workspace registered: hints, to be verified like any other file. */
	filesOf(cwd: string): readonly string[];
}

/** The registry with nobody in it. */
export const nobodyLive: LiveSessions = Object.freeze({
	statusOf: () => "offline" as const,
	filesOf: () => [],
});
