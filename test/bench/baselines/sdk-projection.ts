/**
 * What pi itself does to know a session's context: open the file and project it.
 *
 * `open()` repairs and migrates files in place. The generated ones are of the newest version and end with a newline, so
 * that it has nothing to write.
 */
import { SessionManager } from "@earendil-works/pi-coding-agent";

/** Opens and projects a session file; returns how many messages its context has. */
export function projectBySdk(file: string): number {
	return SessionManager.open(file).buildSessionProjection().messages.length;
}
