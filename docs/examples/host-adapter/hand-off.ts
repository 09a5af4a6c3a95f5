/**
 * What is known of a hand-off, as three facts that nothing turns into each other.
 *
 * `accepted`: the other session's adapter claimed the envelope; that is what a receipt proves. `stored`: that adapter
 * said so itself, in an envelope of its own. `answered`: somebody over there decided. Each may stay open for ever.
 */

/** What adapters of this kind say to each other, in the payload of an envelope. */
export type HandOffPayload =
	| { readonly kind: "hand-off"; readonly title: string }
	| { readonly kind: "stored" }
	| { readonly kind: "answered"; readonly answer: string };

/** What the receipt of the one attempt to send says; `unknown` is neither yes nor no. */
export type Acceptance = "yes" | "no" | "unknown";

export interface HandOff {
	/** Also the correlation of its envelopes. */
	readonly id: string;
	/** The one message that carries it. Stays the same, so that its status can be asked for. */
	readonly messageId: string;
	readonly remoteInstanceId: string;
	readonly title: string;
	readonly accepted: Acceptance;
	readonly stored: boolean;
	/** Null while nobody answered. */
	readonly answer: string | null;
	/** What to do now, by the last receipt. */
	readonly next: string;
}

const MAX_TEXT = 2_000;

/** Reads a payload; undefined for everything else, since anybody may put anything into an envelope. */
export function readPayload(payload: unknown): HandOffPayload | undefined {
	if (typeof payload !== "object" || payload === null) return undefined;
	const { kind, title, answer } = payload as Record<string, unknown>;
	if (kind === "hand-off" && isText(title)) return { kind, title };
	if (kind === "answered" && isText(answer)) return { kind, answer };
	return kind === "stored" ? { kind } : undefined;
}

function isText(value: unknown): value is string {
	return typeof value === "string" && value.trim() !== "" && value.length <= MAX_TEXT;
}
