/**
 * A list of sessions that serves for some seconds: whoever completes what is typed asks again with every key.
 *
 * Only for what is offered. What is read and sent is always looked up anew.
 */
import type { SessionQuery, SessionSummary } from "../../sessions/query.ts";

/** How long one list serves, in ms. */
const SERVES_MS = 3000;

export class BriefMemory implements SessionQuery {
	readonly #sessions: SessionQuery;
	readonly #now: () => number;
	#list: { servesUntil: number; readonly sessions: Promise<SessionSummary[]> } | null = null;

	/** @param now monotonic milliseconds */
	constructor(sessions: SessionQuery, now: () => number = () => performance.now()) {
		this.#sessions = sessions;
		this.#now = now;
	}

	/** The signal is not passed on: who asks next, some milliseconds later, waits for the same list. */
	listSessions(): Promise<SessionSummary[]> {
		if (this.#list !== null && this.#now() < this.#list.servesUntil) return this.#list.sessions;
		const list = { servesUntil: Number.POSITIVE_INFINITY, sessions: this.#sessions.listSessions() };
		this.#list = list;
		list.sessions.then(
			() => {
				list.servesUntil = this.#now() + SERVES_MS;
			},
			() => {
				list.servesUntil = Number.NEGATIVE_INFINITY;
			},
		);
		return list.sessions;
	}

	readTitle(...question: Parameters<SessionQuery["readTitle"]>) {
		return this.#sessions.readTitle(...question);
	}

	read(...question: Parameters<SessionQuery["read"]>) {
		return this.#sessions.read(...question);
	}
}
