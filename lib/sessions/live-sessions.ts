/**
 * What the live registry knows of sessions, as a port: this room asks, whoever keeps the registry answers.
 */
import type { RuntimeStatus } from "../contract/peer-context.ts";

/** Who was live at one moment. */
export interface LiveSnapshot {
	/** Whether a session ran, as its own registration said; `offline` when none answered for it. */
	statusOf(sessionId: string): RuntimeStatus;
	/** Session files that live peers of a workspace registered: hints, to be verified like any other file. */
	filesOf(cwd: string): readonly string[];
}

export interface LiveSessions {
	/** Everybody who is live now. Never rejects; an abort ends the asking early. */
	snapshot(signal?: AbortSignal): Promise<LiveSnapshot>;
	/** Whether one session runs now. Never rejects; an abort ends the asking early. */
	runtimeStatus(sessionId: string, signal?: AbortSignal): Promise<RuntimeStatus>;
}
