/**
 * The way of admitted messages into pi: at once, after the present turn, or not at all.
 *
 * Promises: pi is handed one message at a time, and only in a moment that whoever knows its turns calls safe; what waits
 * does so in this package's memory, never in pi's own queues. Every message that waited gets a fate, and its state says
 * so.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { CANCEL_SAFE_QUEUE } from "../contract/info.ts";
import type { MessageOutcomeCode } from "../contract/message-outcomes.ts";
import type { Delivery, Inbox, IncomingMessage } from "../inbox/inbox.ts";
import { type DropReason, SafeQueue } from "../inbox/safe-queue.ts";
import { submissionParts, toArrivedMessage } from "./arrived-message.ts";
import type { TurnKeeper, WaitingMessages } from "./turn-keeper.ts";

export interface PiDeliveryOptions {
	readonly sendMessage: ExtensionAPI["sendMessage"];
	/** Who knows what pi is doing. */
	readonly turns: Pick<TurnKeeper, "decide" | "submit" | "settleUp" | "view">;
	/** Aborted when the incarnation is over. */
	readonly fence: AbortSignal;
	/** Called when the session became free or busy. */
	readonly onStatus: () => void;
}

export class PiDelivery implements Delivery, WaitingMessages {
	readonly #options: PiDeliveryOptions;
	readonly #queue: SafeQueue<IncomingMessage>;
	#inbox: Pick<Inbox, "mode" | "states"> | null = null;

	constructor(options: PiDeliveryOptions) {
		this.#options = options;
		this.#queue = new SafeQueue({
			decide: (queues) => options.turns.decide(queues),
			submit: (message) => this.#handOver(message),
			report: ({ sender, messageId }, fate) => this.#inbox?.states.set(sender.instanceId, messageId, fate),
		});
	}

	/** Why messages are not taken until the person says so; null while they are. */
	get stopped(): TurnKeeper["view"]["stopped"] {
		return this.#options.turns.view.stopped;
	}

	get waiting(): number {
		return this.#queue.size;
	}

	get nextDeadline(): number | null {
		return this.#queue.nextDeadline;
	}

	get areTaken(): boolean {
		return this.#inbox !== null && this.#inbox.mode !== "refuse";
	}

	/** The inbox that messages come from: it notes their fates from now on. */
	connect(inbox: Pick<Inbox, "mode" | "states">): void {
		this.#inbox = inbox;
	}

	refusal(message: IncomingMessage): MessageOutcomeCode | null {
		return this.#queue.refusal(mayWait(message), performance.now());
	}

	deliver(message: IncomingMessage): MessageOutcomeCode {
		if (this.#options.fence.aborted) return "not_ready";
		const lifetime = message.expiresAt - Date.now();
		const receipt = this.#queue.offer({ message, lifetime, queues: mayWait(message) }, performance.now());
		this.#options.turns.settleUp();
		return receipt;
	}

	release(): void {
		if (this.#options.fence.aborted) return;
		// A message that starts no turn leaves the moment as it was, for the next one.
		while (this.#queue.release(performance.now()));
		this.#options.turns.settleUp();
	}

	expire(): void {
		this.#queue.expire(performance.now());
	}

	drop(reason: DropReason): void {
		this.#queue.drop(reason);
	}

	note(submission: string, diagnostic: string): void {
		const { source, messageId } = submissionParts(submission);
		this.#inbox?.states.set(source, messageId, "submitted", diagnostic);
	}

	statusChanged(): void {
		this.#options.onStatus();
	}

	#handOver(message: IncomingMessage): void {
		const { sendMessage, turns } = this.#options;
		const arrived = toArrivedMessage(message);
		if (message.mode === "show") sendMessage(arrived, { triggerTurn: false });
		else turns.submit(message, () => sendMessage(arrived, { triggerTurn: true, deliverAs: "steer" }));
	}
}

/** Whether the sender knows that a message may wait. */
function mayWait({ capabilities }: IncomingMessage): boolean {
	return capabilities.includes(CANCEL_SAFE_QUEUE);
}
