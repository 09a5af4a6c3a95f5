/**
 * A live registry with nobody in it: for readers of logs whose sessions do not run.
 */
import type { LiveSessions } from "../../../lib/sessions/live-sessions.ts";

export const nobodyLive: LiveSessions = Object.freeze({
	snapshot: async () => ({ statusOf: () => "offline" as const, filesOf: () => [] }),
	runtimeStatus: async () => "offline" as const,
});
