/**
 * Hands admitted messages to pi, one at a time and only while it does nothing else.
 *
 * Promise: nothing is handed over while an agent runs, while pi compacts, or while a message handed over before has not
 * started its turn yet; whoever sends then is told `busy` before the message costs anything.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { MessageOutcomeCode } from "../contract/message-outcomes.ts";
import type { Delivery, IncomingMessage } from "../inbox/inbox.ts";
import { toArrivedMessage } from "./arrived-message.ts";

/** How long a turn of ours may take to start before it counts as one that never will, in ms. */
const START_MS = 5000;

/** The events of pi that tell what it is doing, and whether it compacts after them; null where they don't tell. */
const compactsAfter = {
	agent_start: false,
	// A run may settle in the middle of a compaction.
	agent_settled: null,
	session_before_compact: true,
	session_compact: false,
	session_compact_failed: false,
} as const;

export type ActivityEvent = keyof typeof compactsAfter;

export interface PiDeliveryOptions {
	readonly sendMessage: ExtensionAPI["sendMessage"];
	/** pi's own word; throws when the session is over. */
	readonly isIdle: () => boolean;
	/** Monotonic milliseconds. */
	readonly now?: () => number;
}

export class PiDelivery implements Delivery {
	readonly #sendMessage: ExtensionAPI["sendMessage"];
	readonly #isIdle: () => boolean;
	readonly #now: () => number;
	#compacting = false;
	/** Until then a turn of ours may still be starting. */
	#startsUntil = Number.NEGATIVE_INFINITY;

	constructor({ sendMessage, isIdle, now = () => performance.now() }: PiDeliveryOptions) {
		this.#sendMessage = sendMessage;
		this.#isIdle = isIdle;
		this.#now = now;
	}

	/** Whether a message can be handed over now. Throws when the session is over. */
	get isFree(): boolean {
		return this.#isIdle() && !this.#compacting && this.#now() >= this.#startsUntil;
	}

	/** Takes down what pi does. */
	observe(event: ActivityEvent): void {
		this.#compacting = compactsAfter[event] ?? this.#compacting;
		if (event === "agent_start" || event === "agent_settled") this.#startsUntil = Number.NEGATIVE_INFINITY;
	}

	refusal(): MessageOutcomeCode | null {
		return this.isFree ? null : "busy";
	}

	deliver(message: IncomingMessage): MessageOutcomeCode {
		if (message.mode === "show") {
			this.#sendMessage(toArrivedMessage(message), { triggerTurn: false });
			return "submitted";
		}
		// Before pi gets it: the turn may start inside the call.
		this.#startsUntil = this.#now() + START_MS;
		try {
			this.#sendMessage(toArrivedMessage(message), { triggerTurn: true, deliverAs: "steer" });
		} catch (error) {
			this.#startsUntil = Number.NEGATIVE_INFINITY;
			throw error;
		}
		return "submitted";
	}
}
