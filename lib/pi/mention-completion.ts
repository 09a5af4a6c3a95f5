/**
 * What completes an `@` in the editor, in front of whatever else completes there.
 *
 * Promise: an answer for a text that is no longer there is never given, what others offer is never lost, and after the
 * end of the incarnation only the others answer.
 */
import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from "@earendil-works/pi-tui";

/** What others offer; null when they offer nothing. */
export type Offered = AutocompleteSuggestions | null;

type Place = Parameters<AutocompleteProvider["getSuggestions"]>;

export abstract class MentionCompletion implements AutocompleteProvider {
	readonly triggerCharacters?: string[];
	readonly #others: AutocompleteProvider;
	readonly #mention: RegExp;
	readonly #fence: AbortSignal;

	/**
	 * @param others the completion that was there before
	 * @param mention matches the text up to the cursor when it ends in such an `@`; its first group is what is typed after it
	 * @param fence aborted when the incarnation is over
	 */
	constructor(others: AutocompleteProvider, mention: RegExp, fence: AbortSignal) {
		this.#others = others;
		this.#mention = mention;
		this.#fence = fence;
		if (others.triggerCharacters) this.triggerCharacters = others.triggerCharacters;
	}

	/**
	 * What there is to offer for what is typed.
	 * @param signal aborted when nobody waits for it any more
	 * @param offered what others offer, as soon as they have answered
	 */
	protected abstract find(typed: string, signal: AbortSignal, offered: Promise<Offered>): Promise<AutocompleteItem[]>;

	/** One list out of both. */
	protected abstract merge(prefix: string, items: AutocompleteItem[], offered: Offered): AutocompleteSuggestions;

	async getSuggestions(...place: Place): Promise<Offered> {
		const [lines, line, column, { signal }] = place;
		const typed = this.#mention.exec((lines[line] ?? "").slice(0, column))?.[1];
		if (typed === undefined || this.#fence.aborted) return this.#others.getSuggestions(...place);
		const asked = this.#others.getSuggestions(...place);
		const [offered, items] = await Promise.all([asked, this.find(typed, signal, asked)]);
		if (signal.aborted) return null;
		return this.#fence.aborted || items.length === 0 ? offered : this.merge(`@${typed}`, items, offered);
	}

	applyCompletion(...choice: Parameters<AutocompleteProvider["applyCompletion"]>) {
		return this.#others.applyCompletion(...choice);
	}

	shouldTriggerFileCompletion(...place: Parameters<NonNullable<AutocompleteProvider["shouldTriggerFileCompletion"]>>) {
		return this.#others.shouldTriggerFileCompletion?.(...place) ?? true;
	}
}
