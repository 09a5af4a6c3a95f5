/**
 * How fast one sender may send: a bucket of tokens each, filled again slowly.
 *
 * Promise: holds at most 256 buckets; a bucket that is full again says nothing and is the first to be forgotten.
 */
import type { Clock } from "../peers/clock.ts";

export const BUCKET_TOKENS = 30;
/** Tokens that come back in a second. */
export const BUCKET_REFILL_PER_SECOND = 0.5;
const MAX_BUCKETS = 256;

interface Bucket {
	tokens: number;
	/** Monotonic milliseconds of the last look. */
	at: number;
}

export class SenderBuckets {
	readonly #clock: Pick<Clock, "monotonic">;
	/** By sender, the longest unused first. */
	readonly #buckets = new Map<string, Bucket>();

	constructor(clock: Pick<Clock, "monotonic">) {
		this.#clock = clock;
	}

	/** Whether the sender has a token now. */
	has(sender: string): boolean {
		return this.#refilled(sender).tokens >= 1;
	}

	/** Takes one token; false when the sender has none. */
	take(sender: string): boolean {
		const bucket = this.#refilled(sender);
		if (bucket.tokens < 1) return false;
		bucket.tokens--;
		this.#buckets.delete(sender);
		this.#buckets.set(sender, bucket);
		this.#forgetOldest();
		return true;
	}

	#refilled(sender: string): Bucket {
		const now = this.#clock.monotonic();
		const bucket = this.#buckets.get(sender);
		if (bucket === undefined) return { tokens: BUCKET_TOKENS, at: now };
		bucket.tokens = Math.min(BUCKET_TOKENS, bucket.tokens + ((now - bucket.at) / 1000) * BUCKET_REFILL_PER_SECOND);
		bucket.at = now;
		return bucket;
	}

	/** With a budget of as many admissions, an incarnation can't fill more buckets than are kept. */
	#forgetOldest(): void {
		if (this.#buckets.size <= MAX_BUCKETS) return;
		const [oldest] = this.#buckets.keys();
		if (oldest !== undefined) this.#buckets.delete(oldest);
	}
}
