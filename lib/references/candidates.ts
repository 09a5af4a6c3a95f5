/**
 * Which sessions a person may choose from when citing one.
 *
 * The answer is quick however many sessions there are: headers decide who is offered and in what order, titles are
 * read in that order while a small time budget lasts, and reading stops as soon as enough sessions match.
 */
import type { SessionQuery, SessionSummary } from "../sessions/query.ts";
import { throwIfCancelled } from "./cancellation.ts";
import { isCitable, type ReferenceCaller, readCatalogue } from "./catalogue.ts";
import { MAX_CANDIDATES } from "./config.ts";
import { SessionReferenceError } from "./errors.ts";
import { TitleBudget, TitleMemory } from "./titles.ts";

/** A session that may be cited. */
export interface ReferenceCandidate {
	readonly sessionId: string;
	/** The title as one printable line; the id when there is none or when it is not known yet. */
	readonly label: string;
	/** Null for a session without a working directory. */
	readonly cwd: string | null;
	/** Epoch milliseconds of the log's last change. */
	readonly changedAt: number;
	readonly live: boolean;
}

/** Milliseconds that one listing may spend on titles. */
const TITLE_BUDGET = 150;

/** Titles being read at the same time: one huge log must not keep the others waiting. */
const PARALLEL_TITLES = 8;

/** Lists candidates and remembers titles between listings. */
export class CandidateList {
	readonly #sessions: SessionQuery;
	readonly #titles: TitleMemory;

	constructor(sessions: SessionQuery) {
		this.#sessions = sessions;
		this.#titles = new TitleMemory(sessions);
	}

	/** See `SessionReferences.listCandidates`. */
	async list(
		caller: ReferenceCaller,
		search: string,
		limit: number,
		signal?: AbortSignal,
	): Promise<ReferenceCandidate[]> {
		if (!Number.isInteger(limit) || limit < 1) {
			throw new SessionReferenceError(
				"SESSION_REFERENCE_INVALID_CONFIG",
				null,
				"limit must be a whole number above 0.",
			);
		}
		const catalogue = await readCatalogue(this.#sessions, signal);
		const offered = catalogue.filter((session) => session.id !== caller.sessionId && isCitable(session));
		const matcher = new CandidateSearch(inListedOrder(offered, caller.cwd), search, Math.min(limit, MAX_CANDIDATES));
		const budget = new TitleBudget(TITLE_BUDGET, signal);
		try {
			await matcher.searchWithTitles(this.#titles, budget);
		} finally {
			budget.close();
		}
		throwIfCancelled(signal);
		return matcher.finish(this.#titles);
	}
}

/** The own workspace first, then sessions without one, then the others; the newest first in each. */
function inListedOrder(sessions: readonly SessionSummary[], cwd: string): SessionSummary[] {
	const group = (session: SessionSummary) => (session.cwd === "" ? 1 : session.cwd === cwd ? 0 : 2);
	return sessions.toSorted(
		(a, b) => group(a) - group(b) || b.changedAt - a.changedAt || (a.id < b.id ? -1 : Number(a.id > b.id)),
	);
}

/** One pass over the sessions in their listed order, until enough of them match. */
class CandidateSearch {
	readonly #sessions: readonly SessionSummary[];
	readonly #search: string;
	readonly #limit: number;
	readonly #matches: { place: number; candidate: ReferenceCandidate }[] = [];
	#next = 0;

	constructor(sessions: readonly SessionSummary[], search: string, limit: number) {
		this.#sessions = sessions;
		this.#search = search.trim().toLowerCase();
		this.#limit = limit;
	}

	/** Looks at sessions, reading the titles that are not remembered, until the budget is spent. */
	async searchWithTitles(titles: TitleMemory, budget: TitleBudget): Promise<void> {
		const readers = Array.from({ length: PARALLEL_TITLES }, () => this.#readTitles(titles, budget));
		await Promise.all(readers);
	}

	/** Looks at the sessions that are left, with the titles that are remembered, and gives the first matches. */
	finish(titles: TitleMemory): ReferenceCandidate[] {
		while (this.#wantsMore()) {
			const place = this.#next++;
			const session = this.#sessions[place];
			if (session !== undefined) this.#lookAt(place, session, titles.recall(session) ?? null);
		}
		// Titles arrive in any order. Every session before the last match was looked at, so the first ones are complete.
		const matches = this.#matches.toSorted((a, b) => a.place - b.place);
		return matches.slice(0, this.#limit).map((match) => match.candidate);
	}

	async #readTitles(titles: TitleMemory, budget: TitleBudget): Promise<void> {
		while (!budget.spent && this.#wantsMore()) {
			const place = this.#next++;
			const session = this.#sessions[place];
			if (session === undefined) break;
			const remembered = titles.recall(session);
			this.#lookAt(place, session, remembered === undefined ? await titles.read(session, budget) : remembered);
		}
	}

	#wantsMore(): boolean {
		return this.#matches.length < this.#limit && this.#next < this.#sessions.length;
	}

	#lookAt(place: number, session: SessionSummary, title: string | null): void {
		const { id, cwd, changedAt, live } = session;
		const searched = [id, cwd, title ?? ""];
		if (!searched.some((text) => text.toLowerCase().includes(this.#search))) return;
		const candidate = { sessionId: id, label: title ?? id, cwd: cwd === "" ? null : cwd, changedAt, live };
		this.#matches.push({ place, candidate });
	}
}
