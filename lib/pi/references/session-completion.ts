/**
 * Sessions to cite, in the editor, beside whatever else completes an `@` there.
 *
 * Promise: what others offer is neither lost nor kept waiting for long, an answer for a text that is no longer there is
 * never given, and after the end of the incarnation only the others answer.
 */
import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from "@earendil-works/pi-tui";
import { printableLine } from "../../projection/printable.ts";
import { formatSessionReferenceMention, type ReferenceCandidate } from "../../references/index.ts";
import { formatAge } from "../foreign-text.ts";

/** How long what others offer is held back for the sessions, in ms. */
const PATIENCE_MS = 500;
/** Of what others offer, this many stay above the sessions: a person who types a file's name means the file. */
const OTHERS_FIRST = 3;
const PLACE_CODE_POINTS = 120;

/** An `@` that is not in the middle of an address or a name, and what is typed after it. Scripts without spaces count. */
const mention = /(?<![A-Za-z0-9_.+\-/\\"])@([^\s@"]*)$/u;

export interface SessionCompletionOptions {
	/** Reads the sessions that match. */
	readonly listCandidates: (search: string, signal: AbortSignal) => Promise<readonly ReferenceCandidate[]>;
	/** Aborted when the incarnation is over. */
	readonly fence: AbortSignal;
	/** Epoch milliseconds. */
	readonly now?: () => number;
}

type Place = Parameters<AutocompleteProvider["getSuggestions"]>;

export class SessionCompletion implements AutocompleteProvider {
	readonly triggerCharacters?: string[];
	readonly #others: AutocompleteProvider;
	readonly #options: SessionCompletionOptions;

	/** @param others the completion that was there before */
	constructor(others: AutocompleteProvider, options: SessionCompletionOptions) {
		this.#others = others;
		this.#options = options;
		if (others.triggerCharacters) this.triggerCharacters = others.triggerCharacters;
	}

	async getSuggestions(...place: Place): Promise<AutocompleteSuggestions | null> {
		const [lines, line, column, { signal }] = place;
		const typed = mention.exec((lines[line] ?? "").slice(0, column))?.[1];
		if (typed === undefined || this.#options.fence.aborted) return this.#others.getSuggestions(...place);
		const { offered, sessions } = await this.#ask(typed, place);
		if (signal.aborted) return null;
		if (this.#options.fence.aborted || sessions.length === 0) return offered;
		const { now = Date.now } = this.#options;
		return merge(
			`@${typed}`,
			sessions.map((session) => toItem(session, now())),
			offered,
		);
	}

	applyCompletion(...choice: Parameters<AutocompleteProvider["applyCompletion"]>) {
		return this.#others.applyCompletion(...choice);
	}

	shouldTriggerFileCompletion(...place: Parameters<NonNullable<AutocompleteProvider["shouldTriggerFileCompletion"]>>) {
		return this.#others.shouldTriggerFileCompletion?.(...place) ?? true;
	}

	/** Asks both. When others have something to offer, sessions that take too long are left out: the next key finds them. */
	async #ask(typed: string, place: Place) {
		const { listCandidates, fence } = this.#options;
		const late = new AbortController();
		const ended = AbortSignal.any([place[3].signal, fence, late.signal]);
		const listed = listCandidates(typed, ended).catch(() => []);
		const offered = await this.#others.getSuggestions(...place);
		const timer = offered === null ? undefined : setTimeout(() => late.abort(), PATIENCE_MS);
		const sessions: readonly ReferenceCandidate[] = await listed;
		clearTimeout(timer);
		return { offered, sessions };
	}
}

/** What replaces another stretch of the text can't stand in the same list; then the sessions' own `@` is the narrower one. */
function merge(
	prefix: string,
	sessions: readonly AutocompleteItem[],
	offered: AutocompleteSuggestions | null,
): AutocompleteSuggestions {
	const others = offered?.prefix === prefix ? offered.items : [];
	return { prefix, items: [...others.slice(0, OTHERS_FIRST), ...sessions, ...others.slice(OTHERS_FIRST)] };
}

function toItem({ sessionId, label, cwd, changedAt }: ReferenceCandidate, now: number): AutocompleteItem {
	const place = cwd === null ? "no directory" : printableLine(cwd, PLACE_CODE_POINTS);
	return {
		value: formatSessionReferenceMention({ sessionId, label }),
		label: `@${label}`,
		description: `session · ${formatAge(now - changedAt)} · ${place}`,
	};
}
