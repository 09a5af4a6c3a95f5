/**
 * Sessions to cite, in the editor, beside whatever else completes an `@` there.
 *
 * Promise: what others offer is not kept waiting for long.
 */
import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from "@earendil-works/pi-tui";
import { printableLine } from "../../projection/printable.ts";
import { formatSessionReferenceMention, type ReferenceCandidate } from "../../references/index.ts";
import { formatAge } from "../foreign-text.ts";
import { MentionCompletion, type Offered } from "../mention-completion.ts";

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

export class SessionCompletion extends MentionCompletion {
	readonly #options: SessionCompletionOptions;

	/** @param others the completion that was there before */
	constructor(others: AutocompleteProvider, options: SessionCompletionOptions) {
		super(others, mention, options.fence);
		this.#options = options;
	}

	/** When others have something to offer, sessions that take too long are left out: the next key finds them. */
	protected async find(typed: string, signal: AbortSignal, offered: Promise<Offered>): Promise<AutocompleteItem[]> {
		const { listCandidates, fence, now = Date.now } = this.#options;
		const late = new AbortController();
		const listed = listCandidates(typed, AbortSignal.any([signal, fence, late.signal])).catch(() => []);
		const timer = (await offered) === null ? undefined : setTimeout(() => late.abort(), PATIENCE_MS);
		const sessions: readonly ReferenceCandidate[] = await listed;
		clearTimeout(timer);
		return sessions.map((session) => toItem(session, now()));
	}

	/** What replaces another stretch of the text can't stand in the same list; then the sessions' own `@` is the narrower. */
	protected merge(prefix: string, items: AutocompleteItem[], offered: Offered): AutocompleteSuggestions {
		const others = offered?.prefix === prefix ? offered.items : [];
		return { prefix, items: [...others.slice(0, OTHERS_FIRST), ...items, ...others.slice(OTHERS_FIRST)] };
	}
}

function toItem({ sessionId, label, cwd, changedAt }: ReferenceCandidate, now: number): AutocompleteItem {
	const place = cwd === null ? "no directory" : printableLine(cwd, PLACE_CODE_POINTS);
	return {
		value: formatSessionReferenceMention({ sessionId, label }),
		label: `@${label}`,
		description: `session · ${formatAge(now - changedAt)} · ${place}`,
	};
}
