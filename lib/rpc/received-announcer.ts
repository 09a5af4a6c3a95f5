/**
 * Tells trusted extensions of a message that arrived, and takes the claim of the first that wants it.
 *
 * Promise: what listeners get is frozen to its depth and holds no secret; a claim counts only while the event is being
 * emitted; nothing that listeners or the bus do comes out of here.
 */
import type { BridgeEnvelope } from "../contract/bridge.ts";
import type { Bus } from "../contract/bus.ts";
import { type Incarnation, RPC_VERSION } from "../contract/identifiers.ts";
import { CANCEL_SAFE_QUEUE } from "../contract/info.ts";
import { runIsolated } from "../contract/isolation.ts";
import { RECEIVED_TOPIC, type ReceivedMessage } from "../contract/received.ts";
import type { IncomingMessage } from "../inbox/inbox.ts";
import { publishPeer } from "../peers/published-peer.ts";

/** What is told of a message. */
export type AnnouncedMessage = Pick<
	IncomingMessage,
	"messageId" | "text" | "summary" | "sentAt" | "sender" | "capabilities"
>;

/** Whether the sender of a message knows that listeners may take it. */
export function isClaimable({ capabilities }: Pick<IncomingMessage, "capabilities">): boolean {
	return capabilities.includes(CANCEL_SAFE_QUEUE);
}

export class ReceivedAnnouncer {
	readonly #bus: Bus;
	readonly #local: Incarnation;

	constructor(bus: Bus, local: Incarnation) {
		this.#bus = bus;
		this.#local = Object.freeze({ sessionId: local.sessionId, instanceId: local.instanceId });
	}

	/**
	 * Emits `cross-session:received`. Synchronous, so that whoever calls knows the answer before anything else happens.
	 * @param bridge the message's envelope, frozen to its depth, when its text is one
	 * @returns whether a listener claimed the message
	 */
	announce(message: AnnouncedMessage, bridge?: BridgeEnvelope): boolean {
		const canHandle = isClaimable(message);
		const claim = new ClaimWindow(canHandle);
		const { messageId, text, summary, sentAt, sender } = message;
		const received: ReceivedMessage = {
			version: RPC_VERSION,
			local: this.#local,
			source: publishPeer(sender),
			messageId,
			text,
			summary,
			sentAt,
			...(bridge === undefined ? {} : { bridge }),
			canHandle,
			reply: Object.freeze((answer: unknown) => claim.take(answer)),
		};
		runIsolated(() => this.#bus.emit(RECEIVED_TOPIC, Object.freeze(received)));
		return claim.close();
	}
}

/** The moment in which a message can be claimed, once. */
class ClaimWindow {
	#state: "open" | "claimed" | "closed";

	constructor(canHandle: boolean) {
		this.#state = canHandle ? "open" : "closed";
	}

	take(answer: unknown): boolean {
		// Read first: what is read may itself claim.
		if (!isClaim(answer) || this.#state !== "open") return false;
		this.#state = "claimed";
		return true;
	}

	/** Ends it; tells whether somebody claimed. */
	close(): boolean {
		if (this.#state === "open") this.#state = "closed";
		return this.#state === "claimed";
	}
}

function isClaim(answer: unknown): boolean {
	try {
		return (answer as { handled?: unknown } | null)?.handled === true;
	} catch {
		return false;
	}
}
