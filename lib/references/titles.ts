/**
 * Titles of many sessions: remembered for as long as a log does not change, and read only while a time budget lasts.
 *
 * A picker asks again with each key that is pressed. A title that was read once is not read again until the log has
 * changed, so each answer knows more titles than the one before it, and none takes longer than the budget.
 */
import { printableTitle } from "../projection/printable.ts";
import type { SessionQuery, SessionSummary } from "../sessions/query.ts";

/** Remembered titles, at most; the ones remembered first are forgotten first. */
export const MAX_REMEMBERED_TITLES = 20_000;

interface RememberedTitle {
	readonly changedAt: number;
	readonly title: string | null;
}

/** The titles that one process has read so far. */
export class TitleMemory {
	readonly #sessions: SessionQuery;
	readonly #titles = new Map<string, RememberedTitle>();

	constructor(sessions: SessionQuery) {
		this.#sessions = sessions;
	}

	/** The title of the log as it is now, null when it has none, undefined when that is not known. */
	recall(session: SessionSummary): string | null | undefined {
		const remembered = this.#titles.get(session.id);
		return remembered?.changedAt === session.changedAt ? remembered.title : undefined;
	}

	/** Reads and remembers a title. Null when there is none, when it can't be read, and when the budget ends first. */
	async read(session: SessionSummary, budget: TitleBudget): Promise<string | null> {
		return Promise.race([this.#readAndRemember(session, budget.signal), budget.ended]);
	}

	async #readAndRemember(session: SessionSummary, signal: AbortSignal): Promise<string | null> {
		try {
			const title = await this.#sessions.readTitle(session.id, signal);
			return this.#remember(session, printableTitle(title));
		} catch {
			// Not remembered: the next listing tries again.
			return null;
		}
	}

	#remember(session: SessionSummary, title: string | null): string | null {
		this.#titles.delete(session.id);
		this.#titles.set(session.id, { changedAt: session.changedAt, title });
		const [oldest] = this.#titles.keys();
		if (oldest !== undefined && this.#titles.size > MAX_REMEMBERED_TITLES) this.#titles.delete(oldest);
		return title;
	}
}

/** The time that one listing may spend on titles. Owns a timer and a listener: close it. */
export class TitleBudget {
	readonly #end = new AbortController();
	readonly #deadline: number;
	readonly #timer: NodeJS.Timeout;
	readonly #caller: AbortSignal | undefined;
	readonly #onEnd = () => this.#end.abort();
	/** Resolves to null, a title that is not known, when the budget ends. */
	readonly ended: Promise<null>;

	/** @param caller ends the budget early */
	constructor(milliseconds: number, caller: AbortSignal | undefined) {
		this.ended = new Promise((resolve) => {
			this.#end.signal.addEventListener("abort", () => resolve(null), { once: true });
		});
		this.#deadline = performance.now() + milliseconds;
		this.#timer = setTimeout(this.#onEnd, milliseconds);
		this.#caller = caller;
		if (caller?.aborted) this.#onEnd();
		caller?.addEventListener("abort", this.#onEnd, { once: true });
	}

	/** Tells a read in progress that it need not go on. */
	get signal(): AbortSignal {
		return this.#end.signal;
	}

	/** Reads that block the event loop also hold up the timer, so the clock is asked too. */
	get spent(): boolean {
		return this.#end.signal.aborted || performance.now() >= this.#deadline;
	}

	/** Releases the timer and the listener and ends what is still being read. */
	close(): void {
		clearTimeout(this.#timer);
		this.#caller?.removeEventListener("abort", this.#onEnd);
		this.#onEnd();
	}
}
