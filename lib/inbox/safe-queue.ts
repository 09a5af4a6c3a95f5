/**
 * Messages on their way from admission to pi: handed over at once, kept for the end of the present turn, or refused.
 *
 * The queue is volatile memory of this package and never pi's own: what waits here can still be dropped. Its bounds:
 * 50 messages, 30 s each, one submission at a time, and whoever decides about the turn decides about every submission.
 */

/** What whoever knows the present turn says about one message. */
export type QueueDecision = "submit" | "queue" | "busy" | "stopped";

/** Messages that may wait. */
export const QUEUE_CAPACITY = 50;
/** How long a message may wait at most, in ms. */
export const QUEUE_LIFETIME_MS = 30_000;

/** What a sender is told at once. */
export type QueueReceipt = "submitted" | "queued" | "expired" | "injection_failed" | QueueRefusal;

/** Why a message is not taken. */
export type QueueRefusal = "busy" | "stopped" | "queue_full";

/** What becomes of a message that was told `queued`. */
export type QueuedFate =
	| "submitted"
	| "expired"
	| "injection_failed"
	| "dropped"
	| "dropped_cancelled"
	| "dropped_shutdown"
	| "dropped_user_reset";

export type DropReason = Extract<QueuedFate, `dropped${string}`>;

export interface QueuePorts<Message> {
	/** What may happen with a message at this very moment; `queues`: its sender knows that it may wait. */
	decide(queues: boolean): QueueDecision;
	/** Tells the turn, then calls pi. Throws when pi did. */
	submit(message: Message): void;
	/** The fate of a message that waited. */
	report(message: Message, fate: QueuedFate): void;
}

export interface OfferedMessage<Message> {
	readonly message: Message;
	/** How long it may still live, in ms: at most {@link QUEUE_LIFETIME_MS}. */
	readonly lifetime: number;
	/** Its sender knows that a message may wait here. */
	readonly queues: boolean;
}

interface WaitingMessage<Message> {
	readonly message: Message;
	readonly expiresAt: number;
}

export class SafeQueue<Message> {
	readonly #ports: QueuePorts<Message>;
	#waiting: readonly WaitingMessage<Message>[] = [];

	constructor(ports: QueuePorts<Message>) {
		this.#ports = ports;
	}

	/** Messages that wait. */
	get size(): number {
		return this.#waiting.length;
	}

	/** When to call {@link expire} next, in the clock of the calls; null while nothing waits. */
	get nextDeadline(): number | null {
		return this.#waiting.length === 0 ? null : Math.min(...this.#waiting.map((waiting) => waiting.expiresAt));
	}

	/** Why a message would not be taken at this moment; null when it would. Asks only. */
	refusal(queues: boolean, at: number): QueueRefusal | null {
		const way = this.#wayFor(queues, at);
		return way === "submit" || way === "queue" ? null : way;
	}

	/** Takes a message that was admitted. `at`: ms of a clock that never goes back. */
	offer(offered: OfferedMessage<Message>, at: number): QueueReceipt {
		if (offered.lifetime <= 0) return "expired";
		const way = this.#wayFor(offered.queues, at);
		if (way === "submit") return this.#submit(offered.message);
		if (way !== "queue") return way;
		const expiresAt = at + Math.min(offered.lifetime, QUEUE_LIFETIME_MS);
		this.#waiting = [...this.#waiting, { message: offered.message, expiresAt }];
		// Others may wait for a moment that has just come: they go first.
		this.release(at);
		return "queued";
	}

	/**
	 * Submits the message that waited longest, if this is the moment for it. True when one was submitted.
	 *
	 * To be called on a fresh turn of the event loop after a safe end, and whenever an obstacle went away. A message
	 * that pi refuses does not hold up those behind it.
	 */
	release(at: number): boolean {
		this.expire(at);
		for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
			if (this.#ports.decide(true) !== "submit") return false;
			this.#waiting = this.#waiting.slice(1);
			const fate = this.#submit(next.message);
			this.#ports.report(next.message, fate);
			if (fate === "submitted") return true;
		}
		return false;
	}

	/** Lets go of what has waited too long. */
	expire(at: number): void {
		const expired = this.#waiting.filter((waiting) => waiting.expiresAt <= at);
		if (expired.length === 0) return;
		this.#waiting = this.#waiting.filter((waiting) => waiting.expiresAt > at);
		for (const { message } of expired) this.#ports.report(message, "expired");
	}

	/** Empties the queue; nothing of it ever comes back. */
	drop(reason: DropReason): void {
		const dropped = this.#waiting;
		this.#waiting = [];
		for (const { message } of dropped) this.#ports.report(message, reason);
	}

	#wayFor(queues: boolean, at: number): "submit" | "queue" | QueueRefusal {
		this.expire(at);
		const decision = this.#ports.decide(queues);
		if (decision === "stopped" || decision === "busy") return decision;
		if (decision === "submit" && this.size === 0) return "submit";
		if (!queues) return "busy";
		return this.size >= QUEUE_CAPACITY ? "queue_full" : "queue";
	}

	#submit(message: Message): "submitted" | "injection_failed" {
		try {
			this.#ports.submit(message);
			return "submitted";
		} catch {
			return "injection_failed";
		}
	}
}
