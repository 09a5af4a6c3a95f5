/**
 * A fork holds what its parent held, so it is private when its parent is.
 */
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { LogFile } from "../sessions/log/log-file.ts";
import { readHeaderOf } from "../sessions/log/log-header.ts";
import type { SessionRecords } from "../sessions/session-records.ts";

type SessionManager = Pick<ExtensionContext["sessionManager"], "getHeader" | "getSessionId">;

/** Makes a fork of a private session private; true when that was done now. Choices made for the fork itself stay. */
export function inheritPrivacy(sessionManager: SessionManager, records: SessionRecords): boolean {
	const parent = sessionManager.getHeader()?.parentSession;
	const sessionId = sessionManager.getSessionId();
	const own = records.read(sessionId);
	// A record that can't be read makes the fork private as it is, and must not be written over.
	if (parent === undefined || own.kept || own.private) return false;
	const parentId = sessionIdOf(parent);
	if (parentId === null || !records.read(parentId).private) return false;
	records.setPrivate(sessionId, true);
	return true;
}

/** Null when the parent's log is gone: then nobody can know. */
function sessionIdOf(path: string): string | null {
	try {
		const file = new LogFile(path);
		try {
			return readHeaderOf(file)?.id ?? null;
		} finally {
			file.closeNow();
		}
	} catch {
		return null;
	}
}
