/**
 * A temporary agent directory with one session directory in it, and readers that look at it for a caller.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { PeerContext, RuntimeStatus } from "../../lib/contract/peer-context.ts";
import type { Caller } from "../../lib/sessions/authorization.ts";
import type { CatalogueSources } from "../../lib/sessions/catalogue.ts";
import type { LiveSessions } from "../../lib/sessions/live-sessions.ts";
import { type PeerContextQuestion, PeerContextReader } from "../../lib/sessions/peer-context-reader.ts";
import { PiSessionQuery } from "../../lib/sessions/pi-session-query.ts";
import type { SessionQuery } from "../../lib/sessions/query.ts";
import { SessionRecords } from "../../lib/sessions/session-records.ts";
import { nobodyLive } from "../support/logs/nobody-live.ts";
import { temporaryDirectory } from "./log-directory.ts";
import type { SessionLog } from "./session-log.ts";

export const CWD = "/home/project";

/** A session that may read others of the workspace. */
export const HOST: Caller = { sessionId: "me", cwd: CWD, isHost: true };

/** A registry in which every session has this status. */
export function everybodyIs(status: RuntimeStatus): LiveSessions {
	return {
		snapshot: async () => ({ statusOf: () => status, filesOf: () => [] }),
		runtimeStatus: async () => status,
	};
}

export interface ReaderSetting {
	readonly caller?: Caller;
	readonly live?: LiveSessions;
	readonly sources?: CatalogueSources;
}

export class Workspace {
	readonly agentDirectory = temporaryDirectory();
	/** Where the sessions of {@link CWD} are, and those of every other directory with the same name in pi's spelling. */
	readonly sessionDirectory = path.join(this.agentDirectory, "sessions", "--work-project--");
	readonly records = new SessionRecords(this.agentDirectory);

	constructor() {
		mkdirSync(this.sessionDirectory, { recursive: true });
	}

	/** Where a log with this name is, or would be. */
	path(name: string): string {
		return path.join(this.sessionDirectory, `${name}.jsonl`);
	}

	/** Writes a log into the session directory; returns its path. */
	add(name: string, log: SessionLog | string | Uint8Array): string {
		const file = this.path(name);
		writeFileSync(file, typeof log === "string" || log instanceof Uint8Array ? log : log.toBuffer());
		return file;
	}

	query({ live = nobodyLive, sources }: ReaderSetting = {}): PiSessionQuery {
		const own = { directories: [this.sessionDirectory], files: [] };
		return new PiSessionQuery({ sources: () => sources ?? own, records: this.records, live });
	}

	/** Reads for a caller; through `sessions`, when a test looks at what is asked of it. */
	reader(setting: ReaderSetting = {}, sessions: SessionQuery = this.query(setting)): PeerContextReader {
		const { caller = HOST, live = nobodyLive } = setting;
		return new PeerContextReader({ sessions, live, caller: () => caller });
	}

	/** One look by a host of the workspace. */
	read(question: PeerContextQuestion, setting: ReaderSetting = {}): Promise<PeerContext> {
		return this.reader(setting).read(question);
	}
}

/** The texts of a context's conversation. */
export function textsOf(context: PeerContext): string[] {
	return (context.conversation?.messages ?? []).map(({ text }) => text);
}
