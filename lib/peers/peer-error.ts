/**
 * Why this session could not take its place among the peers.
 *
 * Promise: the text holds no path, token or foreign text; it says what was wrong and what to do now.
 */

const texts = {
	endpoint_too_long:
		"The socket path of this session is longer than the system allows. Messages are off; use a shorter temporary directory.",
	unsafe_directory:
		"A directory for peers is not a private directory of this user. Messages are off; remove it or correct its owner, then reload.",
	unusable_directory:
		"The directories for peers could not be prepared. Messages are off; check the agent directory's disk and permissions, then reload.",
	unregistrable:
		"The session's id or working directory can't be registered. Messages are off; use a directory name without control characters.",
	endpoint_unavailable: "The session's socket could not be opened. Messages are off; reload to try again.",
	registration_failed:
		"The session's registration could not be written. Messages are off; check the disk and permissions, then reload.",
	session_stale: "The session can no longer be asked for its state. Messages are off; reload to register again.",
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
