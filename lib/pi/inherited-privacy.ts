/**
 * A fork holds what its parent held, so it is private when its parent is.
 */
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { LogFile } from "../sessions/log/log-file.ts";
import { readHeaderOf } from "../sessions/log/log-header.ts";
import { type SessionRecords, UnreadableRecordError } from "../sessions/session-records.ts";

type SessionManager = Pick<ExtensionContext["sessionManager"], "getHeader" | "getSessionId">;

/** Makes a fork of a private session private; true when that was done now. Choices made for the fork itself stay. */
export function inheritPrivacy(sessionManager: SessionManager, records: SessionRecords): boolean {
	const parent = sessionManager.getHeader()?.parentSession;
	const sessionId = sessionManager.getSessionId();
	if (parent === undefined || records.read(sessionId).kept) return false;
	const parentId = sessionIdOf(parent);
	if (parentId === null || !records.read(parentId).private) return false;
	return makePrivate(sessionId, records);
}

/** False when its record can't be read: that makes it private as it is, and is not written over. */
function makePrivate(sessionId: string, records: SessionRecords): boolean {
	try {
		records.setPrivate(sessionId, true);
		return true;
	} catch (error) {
		if (error instanceof UnreadableRecordError) return false;
		throw error;
	}
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
