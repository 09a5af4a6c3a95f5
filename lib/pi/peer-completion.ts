/**
 * `@name [ref]` of live peers in the editor, beside whatever else completes an `@` there.
 *
 * Promise: an answer for a text that is no longer there is never given, what others offer is never lost, and after the
 * end of the incarnation only the others answer.
 */
import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from "@earendil-works/pi-tui";
import { peerLabel } from "../peers/published-peer.ts";
import type { Registration } from "../peers/registration.ts";
import { printableLine } from "../projection/printable.ts";

/** How long one look at the live peers serves, in ms: a person types several characters a second. */
const LOOK_SERVES_MS = 1000;
/** Peers that are offered at a time. */
const MAX_OFFERED = 20;
const PLACE_CODE_POINTS = 120;

/** An `@` where a word may begin, and what is typed after it. */
const mention = /(?:^|[\s([{<"'`])@([^\s@"]*)$/u;

type NamedPeer = Pick<Registration, "name" | "instanceId" | "cwd" | "status">;

export interface PeerCompletionOptions {
	/** Reads the live peers. Never rejects. */
	readonly readPeers: () => Promise<readonly NamedPeer[]>;
	/** Aborted when the incarnation is over. */
	readonly fence: AbortSignal;
	/** Monotonic milliseconds. */
	readonly now?: () => number;
}

type Place = Parameters<AutocompleteProvider["getSuggestions"]>;

export class PeerCompletion implements AutocompleteProvider {
	readonly triggerCharacters?: string[];
	readonly #others: AutocompleteProvider;
	readonly #options: PeerCompletionOptions;
	#look: { readonly at: number; readonly peers: Promise<readonly NamedPeer[]> } | null = null;

	/** @param others the completion that was there before */
	constructor(others: AutocompleteProvider, options: PeerCompletionOptions) {
		this.#others = others;
		this.#options = options;
		if (others.triggerCharacters) this.triggerCharacters = others.triggerCharacters;
	}

	async getSuggestions(...place: Place): Promise<AutocompleteSuggestions | null> {
		const [lines, line, column, { signal }] = place;
		const typed = mention.exec((lines[line] ?? "").slice(0, column))?.[1];
		if (typed === undefined || this.#options.fence.aborted) return this.#others.getSuggestions(...place);
		const [peers, offered] = await Promise.all([this.#readPeers(), this.#others.getSuggestions(...place)]);
		if (signal.aborted) return null;
		if (this.#options.fence.aborted) return offered;
		const prefix = `@${typed}`;
		const items = peers
			.filter((peer) => matches(peer, typed))
			.slice(0, MAX_OFFERED)
			.map(toItem);
		if (items.length === 0) return offered;
		if (offered === null) return { prefix, items };
		// What replaces another stretch of the text can't stand in the same list.
		return offered.prefix === prefix ? { prefix, items: [...items, ...offered.items] } : offered;
	}

	applyCompletion(...choice: Parameters<AutocompleteProvider["applyCompletion"]>) {
		return this.#others.applyCompletion(...choice);
	}

	shouldTriggerFileCompletion(...place: Parameters<NonNullable<AutocompleteProvider["shouldTriggerFileCompletion"]>>) {
		return this.#others.shouldTriggerFileCompletion?.(...place) ?? true;
	}

	#readPeers(): Promise<readonly NamedPeer[]> {
		const { readPeers, now = () => performance.now() } = this.#options;
		if (this.#look !== null && now() - this.#look.at < LOOK_SERVES_MS) return this.#look.peers;
		this.#look = { at: now(), peers: readPeers() };
		return this.#look.peers;
	}
}

/** Whether a peer is meant by what is typed so far: part of its name, or the first digits of its id. */
function matches({ name, instanceId }: NamedPeer, typed: string): boolean {
	const wanted = typed.toLowerCase();
	return name.toLowerCase().includes(wanted) || instanceId.startsWith(wanted);
}

function toItem(peer: NamedPeer): AutocompleteItem {
	const label = `@${peerLabel(peer)}`;
	return { value: label, label, description: `${peer.status} · ${printableLine(peer.cwd, PLACE_CODE_POINTS)}` };
}
