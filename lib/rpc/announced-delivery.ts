/**
 * What stands before pi when a message was admitted: trusted listeners first, and for bridge envelopes nobody else.
 *
 * Promise: a text that is reserved for envelopes never gets any further than here, right or wrong, with the RPC on or
 * off. A claimed message is `accepted` and pi gets nothing of it; every other one goes on as if nobody had been asked.
 */
import { type BridgeEnvelope, isBridgeText, parseBridge } from "../contract/bridge.ts";
import type { MessageOutcomeCode } from "../contract/message-outcomes.ts";
import type { Delivery, IncomingMessage } from "../inbox/inbox.ts";
import type { Clock } from "../peers/clock.ts";
import { isClaimable, type ReceivedAnnouncer } from "./received-announcer.ts";

export interface AnnouncedDeliveryOptions {
	/** Where messages go that nobody claims. */
	readonly pi: Delivery;
	/** Asked for each message; null while the RPC is off. */
	readonly announcer: () => Pick<ReceivedAnnouncer, "announce"> | null;
	/** Whether the person stopped the exchange of messages. That holds for listeners too. */
	readonly isStopped: () => boolean;
	readonly clock: Pick<Clock, "now">;
}

export class AnnouncedDelivery implements Delivery {
	readonly #options: AnnouncedDeliveryOptions;

	constructor(options: AnnouncedDeliveryOptions) {
		this.#options = options;
	}

	refusal(message: IncomingMessage): MessageOutcomeCode | null {
		const { pi, announcer, isStopped } = this.#options;
		const canBeClaimed = announcer() !== null && isClaimable(message);
		if (!canBeClaimed) return isBridgeText(message.text) ? "unsupported" : pi.refusal(message);
		// How busy pi is can't refuse what a listener may take.
		return isStopped() ? "stopped" : null;
	}

	deliver(message: IncomingMessage): MessageOutcomeCode | Promise<MessageOutcomeCode> {
		const { pi, announcer } = this.#options;
		if (isBridgeText(message.text)) return this.#deliverBridge(message);
		return announcer()?.announce(message) ? "accepted" : pi.deliver(message);
	}

	// An envelope is read only when its sender has paid for it.
	#deliverBridge(message: IncomingMessage): MessageOutcomeCode {
		const { clock } = this.#options;
		const announcer = this.#options.announcer();
		if (announcer === null || !isClaimable(message)) return "unsupported";
		const bridge = readBridge(message.text, clock.now());
		if (bridge === null) return "invalid_bridge";
		return announcer.announce(message, bridge) ? "accepted" : "no_handler";
	}
}

function readBridge(text: string, now: number): BridgeEnvelope | null {
	try {
		return parseBridge(text, now);
	} catch {
		return null;
	}
}
