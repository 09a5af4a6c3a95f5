/**
 * Whether a message may come in at all. What it takes (an id, a token, a unit of the budget) is taken at once and never
 * given back, whatever becomes of the message later. Its text's turn is given back when nobody took the message in the
 * end.
 *
 * Promise: a message that is not admitted takes nothing, so that a refused one can be sent again under the same id.
 * Holds no more than the budget admits.
 */
import { createHash } from "node:crypto";
import type { MessageOutcomeCode } from "../contract/message-outcomes.ts";
import type { Clock } from "../peers/clock.ts";
import type { SharedBudget } from "./budget.ts";
import { SenderBuckets } from "./sender-buckets.ts";

/** Milliseconds that a message lives, counted from its own date. */
export const MESSAGE_LIFETIME = 30_000;
/** Milliseconds that a message may be dated in the future. */
export const FUTURE_TOLERANCE = 5_000;
/** Milliseconds in which a sender's same text is a repetition. */
export const REPETITION_WINDOW = 30_000;

/** What admission looks at. `sender` is the authenticated sender's instance id. */
export interface AdmissionRequest {
	readonly sender: string;
	readonly messageId: string;
	readonly text: string;
	/** Epoch milliseconds. */
	readonly sentAt: number;
}

export interface AdmissionOptions {
	readonly clock: Pick<Clock, "now" | "monotonic">;
	readonly budget: SharedBudget;
}

export class Admission {
	readonly #clock: Pick<Clock, "now" | "monotonic">;
	readonly #budget: SharedBudget;
	readonly #buckets: SenderBuckets;
	/** Messages of this incarnation, qualified by their senders. */
	readonly #ids = new Set<string>();
	/** Digests of texts by sender, with the monotonic milliseconds of their admission; the oldest first. */
	readonly #texts = new Map<string, number>();

	constructor(options: AdmissionOptions) {
		this.#clock = options.clock;
		this.#budget = options.budget;
		this.#buckets = new SenderBuckets(options.clock);
	}

	/** Admits a message and takes what it costs, or says why not. Synchronous: two messages can't pass as one. */
	admit(request: AdmissionRequest): MessageOutcomeCode | null {
		const { sender, messageId } = request;
		const id = qualify(sender, messageId);
		if (this.#ids.has(id)) return "duplicate";
		if (!isFresh(request.sentAt, this.#clock.now())) return "expired";
		const text = digestOf(sender, request.text);
		this.#forgetOldTexts();
		if (this.#texts.has(text)) return "duplicate";
		if (!this.#buckets.has(sender)) return "rate_limited";
		if (!this.#budget.take()) return "budget_exhausted";
		this.#buckets.take(sender);
		this.#ids.add(id);
		this.#texts.set(text, this.#clock.monotonic());
		return null;
	}

	/** The message of this text was admitted, and then refused in a way that invites its sender to try again later. */
	giveBackText({ sender, text }: Pick<AdmissionRequest, "sender" | "text">): void {
		this.#texts.delete(digestOf(sender, text));
	}

	#forgetOldTexts(): void {
		const oldest = this.#clock.monotonic() - REPETITION_WINDOW;
		for (const [text, at] of this.#texts) {
			if (at > oldest) return;
			this.#texts.delete(text);
		}
	}
}

/** Whether a message's date lets it live now. */
function isFresh(sentAt: number, now: number): boolean {
	return now - sentAt <= MESSAGE_LIFETIME && sentAt - now <= FUTURE_TOLERANCE;
}

/** A message's id together with its sender, who alone gives it its meaning. */
export function qualify(sender: string, messageId: string): string {
	return `${sender}:${messageId}`;
}

function digestOf(sender: string, text: string): string {
	return createHash("sha256").update(sender).update(text).digest("base64");
}
