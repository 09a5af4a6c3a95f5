/**
 * The port to pi's sessions: catalogue, records and logs put together.
 *
 * It looks only where its sources say, and reads by ids that the catalogue found there.
 */
import { Catalogue, type CataloguedLog, type CatalogueSources } from "./catalogue.ts";
import type { LiveSessions, LiveSnapshot } from "./live-sessions.ts";
import { LogFile } from "./log/log-file.ts";
import type { LogHeader } from "./log/log-index.ts";
import { LogReader } from "./log/log-reader.ts";
import { findTitle } from "./log/title-search.ts";
import {
	type CapturedHeader,
	CaptureError,
	type CaptureWant,
	type SessionCapture,
	type SessionOrigin,
	type SessionQuery,
	type SessionSummary,
} from "./query.ts";
import type { SessionRecord, SessionRecords } from "./session-records.ts";

export interface PiSessionQueryOptions {
	/** Where the logs are, given who is live; asked anew for every listing. */
	readonly sources: (live: LiveSnapshot) => CatalogueSources;
	readonly records: SessionRecords;
	readonly live: LiveSessions;
	/** Queries over different sources may share their memory of files. Default: one of its own. */
	readonly catalogue?: Catalogue;
	readonly reader?: LogReader;
}

/** Forks of forks are followed this far; headers may lie, and go round in circles. */
const MAX_GENERATIONS = 16;

type RecordOf = (sessionId: string) => SessionRecord;

export class PiSessionQuery implements SessionQuery {
	readonly #options: PiSessionQueryOptions;
	readonly #catalogue: Catalogue;
	readonly #reader: LogReader;
	/** Paths by session id, from the last listing. */
	#paths = new Map<string, string>();

	constructor(options: PiSessionQueryOptions) {
		this.#options = options;
		this.#catalogue = options.catalogue ?? new Catalogue();
		this.#reader = options.reader ?? new LogReader();
	}

	async listSessions(signal?: AbortSignal): Promise<SessionSummary[]> {
		const live = await this.#options.live.snapshot(signal);
		const logs = await this.#catalogue.list(this.#options.sources(live), signal);
		this.#paths = new Map(logs.map((log) => [log.header.id, log.path]));
		const recordOf = this.#options.records.lookup();
		return logs.map((log) => this.#summarize(log, recordOf, live));
	}

	async readTitle(id: string, signal?: AbortSignal): Promise<string | null> {
		const path = await this.#pathOf(id, signal);
		if (path === undefined) return null;
		const file = new LogFile(path);
		try {
			return await findTitle(file, file.state().size, signal);
		} finally {
			await file.close();
		}
	}

	async read(id: string, want: CaptureWant, signal?: AbortSignal): Promise<SessionCapture> {
		const path = await this.#pathOf(id, signal);
		if (path === undefined) throw new CaptureError("not_found");
		const { header, ...capture } = await this.#reader.read(path, want, signal);
		// The record is looked at after the read: a session that became private meanwhile is private.
		return { header: this.#identify(header, (sessionId) => this.#options.records.read(sessionId)), ...capture };
	}

	#summarize({ header, changedAt }: CataloguedLog, recordOf: RecordOf, live: LiveSnapshot): SessionSummary {
		return {
			...this.#identify(header, recordOf),
			createdAt: header.createdAt,
			changedAt,
			live: live.statusOf(header.id) !== "offline",
		};
	}

	#identify(header: LogHeader, recordOf: RecordOf): CapturedHeader {
		const { id, cwd } = header;
		return { id, cwd, origin: originOf(header, recordOf(id)), private: this.#isPrivate(header, recordOf) };
	}

	/** A fork about which nothing was ever said holds what its parent held, and is as private. */
	#isPrivate(header: LogHeader, recordOf: RecordOf): boolean {
		let session: LogHeader | null = header;
		for (let generation = 0; session && generation < MAX_GENERATIONS; generation++) {
			const record = recordOf(session.id);
			if (record.kept || record.private) return record.private;
			session = session.parentSession === null ? null : this.#catalogue.headerAt(session.parentSession);
		}
		return false;
	}

	async #pathOf(id: string, signal: AbortSignal | undefined): Promise<string | undefined> {
		const known = this.#paths.get(id);
		if (known !== undefined) return known;
		await this.listSessions(signal);
		return this.#paths.get(id);
	}
}

function originOf(header: LogHeader, record: SessionRecord): SessionOrigin {
	if (record.subagent) return "subagent";
	return header.parentSession ? "fork" : "root";
}
