/**
 * `@name [ref]` of live peers in the editor, beside whatever else completes an `@` there.
 */
import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from "@earendil-works/pi-tui";
import { peerLabel } from "../peers/published-peer.ts";
import type { Registration } from "../peers/registration.ts";
import { printableLine } from "../projection/printable.ts";
import { MentionCompletion, type Offered } from "./mention-completion.ts";

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

export class PeerCompletion extends MentionCompletion {
	readonly #options: PeerCompletionOptions;
	#look: { readonly at: number; readonly peers: Promise<readonly NamedPeer[]> } | null = null;

	/** @param others the completion that was there before */
	constructor(others: AutocompleteProvider, options: PeerCompletionOptions) {
		super(others, mention, options.fence);
		this.#options = options;
	}

	protected async find(typed: string): Promise<AutocompleteItem[]> {
		const peers = await this.#readPeers();
		return peers
			.filter((peer) => matches(peer, typed))
			.slice(0, MAX_OFFERED)
			.map(toItem);
	}

	/** Peers, which are few, come first. What replaces another stretch of the text can't stand in the same list. */
	protected merge(prefix: string, items: AutocompleteItem[], offered: Offered): AutocompleteSuggestions {
		if (offered === null) return { prefix, items };
		return offered.prefix === prefix ? { prefix, items: [...items, ...offered.items] } : offered;
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
