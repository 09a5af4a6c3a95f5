/**
 * The two things that a harness does with session references: offer sessions to cite, and prepare a prompt that cites.
 */
import type { SessionQuery } from "../sessions/query.ts";
import { CandidateList, type ReferenceCandidate } from "./candidates.ts";
import type { ReferenceCaller } from "./catalogue.ts";
import { resolveSessionReferenceConfig, type SessionReferenceConfig, type SessionReferenceLimits } from "./config.ts";
import type { SessionReference } from "./mention.ts";
import { type PreparedPrompt, type PreparingCaller, preparePrompt } from "./prepare.ts";

/** One for each running harness: it remembers titles between listings and holds nothing else. */
export class SessionReferences {
	readonly #sessions: SessionQuery;
	readonly #limits: SessionReferenceLimits;
	readonly #candidates: CandidateList;

	/**
	 * @param sessions reads sessions of all workspaces, not of the caller's alone
	 * @throws SessionReferenceError `SESSION_REFERENCE_INVALID_CONFIG`
	 */
	constructor(sessions: SessionQuery, config: SessionReferenceConfig = {}) {
		this.#sessions = sessions;
		this.#limits = resolveSessionReferenceConfig(config);
		this.#candidates = new CandidateList(sessions);
	}

	/**
	 * Sessions that the caller may cite: not its own, no subagent's, no private one. Its own workspace comes first, then
	 * sessions without a working directory, then the others; the newest first in each.
	 *
	 * @param query matched against id, working directory and title, whatever the case; empty matches all. A title that is
	 * not known yet (150 ms a call are spent on reading titles) matches nothing; the next call knows more of them.
	 * @param limit at most that many, 1 to 1,000; default: the configured `candidateLimit` (50)
	 * @throws SessionReferenceError `SESSION_REFERENCE_INVALID_CONFIG` for a limit that is no whole number above 0,
	 * `SESSION_REFERENCE_READ_FAILED` when there is no catalogue, `SESSION_REFERENCE_CANCELLED`
	 */
	listCandidates(
		caller: ReferenceCaller,
		query = "",
		limit = this.#limits.candidateLimit,
		signal?: AbortSignal,
	): Promise<ReferenceCandidate[]> {
		return this.#candidates.list(caller, query, limit, signal);
	}

	/**
	 * The prompt's content as it came and, when it cites sessions, one context with a snapshot of each, to be given to the
	 * model right before the prompt.
	 *
	 * @param references as parsed from the prompt, duplicates included
	 * @throws SessionReferenceError with any code but `…INVALID_CONFIG`. One failure fails the whole prompt: send nothing.
	 */
	prepare<Content>(
		caller: PreparingCaller,
		content: Content,
		references: readonly SessionReference[],
		signal?: AbortSignal,
	): Promise<PreparedPrompt<Content>> {
		return preparePrompt(this.#sessions, this.#limits, caller, { content, references }, signal);
	}
}
