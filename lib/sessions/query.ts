/**
 * The port to a host's sessions: all that the core knows of a harness.
 *
 * Whoever implements it promises that reading does nothing else: it never resumes, wakes, steers, locks, migrates,
 * repairs or touches a session, and never hands out tool arguments, results, reasoning or images.
 */
import type { CapturedSession, CaptureWant } from "../projection/events.ts";

export type { CaptureWant };

export type SessionOrigin = "root" | "fork" | "subagent";

/** Who a session is, by its log's header and by what is kept beside the log: all that decides who may read it. */
export interface CapturedHeader {
	readonly id: string;
	/** The header's working directory, as it is written there; empty for sessions that have none. */
	readonly cwd: string;
	readonly origin: SessionOrigin;
	readonly private: boolean;
}

/** One session for discovery. No bodies, no paths. */
export interface SessionSummary extends CapturedHeader {
	/** Epoch milliseconds; null when the header has no readable timestamp. */
	readonly createdAt: number | null;
	/** Epoch milliseconds of the log's last change. */
	readonly changedAt: number;
	readonly live: boolean;
}

/** One atomic, detached look at a session. Later writes to the log cannot change it. */
export interface SessionCapture extends CapturedSession {
	/** As it was read with the log, for a second look at whose it is. */
	readonly header: CapturedHeader;
}

/** Why a read gave no capture. */
export type CaptureFailureCode = "not_found" | "unavailable" | "cancelled";

export class CaptureError extends Error {
	readonly code: CaptureFailureCode;
	constructor(code: CaptureFailureCode) {
		super(captureFailureText[code]);
		this.name = "CaptureError";
		this.code = code;
	}
}

const captureFailureText: Record<CaptureFailureCode, string> = {
	not_found: "No such session in the catalogue.",
	unavailable: "The session could not be read now.",
	cancelled: "The read was cancelled.",
};

export interface SessionQuery {
	/** Every session of the catalogue, newest first. */
	listSessions(signal?: AbortSignal): Promise<SessionSummary[]>;
	/** The name that the log holds now; null when it has none, or when the session is not in the catalogue. */
	readTitle(id: string, signal?: AbortSignal): Promise<string | null>;
	/** One atomic capture. Throws a {@link CaptureError}. */
	read(id: string, want: CaptureWant, signal?: AbortSignal): Promise<SessionCapture>;
}
