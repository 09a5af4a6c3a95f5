/**
 * Why this session could not take its place among the peers.
 *
 * Promise: the text holds no path, token or foreign text; it says what was wrong and what to do now.
 */

const texts = {
	endpoint_too_long:
		"The path of this session's socket is longer than the system allows. Nothing in the session can shorten it; please report this.",
	unsafe_directory:
		"A directory for peers is not a private directory of this user. Remove it or correct its owner and mode, then /reload.",
	unusable_directory:
		"The directories for peers could not be prepared. Check the agent directory's disk and permissions, then /reload.",
	unregistrable:
		"The session's id or working directory can't be registered. Use a directory whose name has no control characters.",
	endpoint_unavailable: "The session's socket could not be opened. Use /reload to try again.",
	registration_failed:
		"The session's registration could not be written. Check the agent directory's disk and permissions, then /reload.",
	session_stale: "The session can no longer be asked for its state. Use /reload to register again.",
	superseded: "Another start of this session came in between. Nothing to do.",
} as const;

export type PeerErrorCode = keyof typeof texts;

export class PeerError extends Error {
	readonly code: PeerErrorCode;
	constructor(code: PeerErrorCode, cause?: unknown) {
		super(texts[code], cause === undefined ? undefined : { cause });
		this.name = "PeerError";
		this.code = code;
	}
}
