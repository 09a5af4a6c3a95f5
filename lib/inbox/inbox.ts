/**
 * What happens between the wire and pi: the order in which a message is judged, admitted, handed on and remembered.
 *
 * Promise: nothing reaches the delivery that was not admitted; whatever the delivery does, the sender gets one receipt
 * and the message one state.
 */
import { MESSAGE_OUTCOMES, type MessageOutcomeCode, type MessageState } from "../contract/message-outcomes.ts";
import type { Clock } from "../peers/clock.ts";
import type { Registration } from "../peers/registration.ts";
import type { MessageFrame } from "../wire/frames.ts";
import type { AuthenticatedSender } from "../wire/receiver-conversation.ts";
import { Admission, MESSAGE_LIFETIME } from "./admission.ts";
import type { SharedBudget } from "./budget.ts";
import { MessageStates } from "./message-states.ts";

/** What the person lets in. `show`: messages are shown and stored, and start no turn. */
export type InboundMode = "accept" | "show" | "refuse";

/** A message as the delivery gets it. */
export interface IncomingMessage {
	readonly messageId: string;
	readonly text: string;
	/** As the sender wrote it: foreign text. */
	readonly summary: string;
	/** Epoch milliseconds. */
	readonly sentAt: number;
	/** Epoch milliseconds after which the message must not be handed on any more. */
	readonly expiresAt: number;
	/** Who sent it: the registration that was read and vetted for its authentication. */
	readonly sender: Registration;
	/** What the sender's hello said it can do. */
	readonly capabilities: readonly string[];
	/** `accept` or `show`, as it was when the message came. */
	readonly mode: Exclude<InboundMode, "refuse">;
}

/** Where admitted messages go: pi, a queue in front of it, or an extension. */
export interface Delivery {
	/**
	 * A reason to refuse before the message takes anything, so that its sender may try again under the same id: a
	 * stopped inbox, or a busy session when nobody but pi could take the message. Synchronous.
	 */
	refusal(message: IncomingMessage): MessageOutcomeCode | null;
	/**
	 * Takes an admitted message. What it answers, or a throw, gives no id and no quota back; a refusal that invites
	 * another attempt lets the text come again.
	 */
	deliver(message: IncomingMessage): MessageOutcomeCode | Promise<MessageOutcomeCode>;
}

export interface InboxOptions {
	/** This incarnation's instance id. */
	readonly instanceId: string;
	readonly clock: Pick<Clock, "now" | "monotonic">;
	readonly budget: SharedBudget;
	readonly delivery: Delivery;
	readonly mode: InboundMode;
}

/** What an admitted message becomes by its receipt; `dropped` where nothing is said. */
const receiptStates: Partial<Record<MessageOutcomeCode, MessageState>> = {
	submitted: "submitted",
	queued: "queued",
	accepted: "accepted",
	expired: "expired",
	injection_failed: "injection_failed",
	stopped: "dropped_cancelled",
	not_ready: "dropped_shutdown",
};

export class Inbox {
	readonly states: MessageStates;
	readonly #options: InboxOptions;
	readonly #admission: Admission;
	#mode: InboundMode;

	constructor(options: InboxOptions) {
		this.#options = options;
		this.#mode = options.mode;
		this.states = new MessageStates(options.clock);
		this.#admission = new Admission({ clock: options.clock, budget: options.budget });
	}

	get mode(): InboundMode {
		return this.#mode;
	}

	/** Changes what is let in, for messages that come from now on. */
	setMode(mode: InboundMode): void {
		this.#mode = mode;
	}

	/** Judges, admits and hands on one message of an authenticated sender; the code is its receipt. Never throws. */
	async take(frame: MessageFrame, sender: AuthenticatedSender<Registration>): Promise<MessageOutcomeCode> {
		const source = sender.registration.instanceId;
		if (this.#mode === "refuse" || source === this.#options.instanceId) return "refused";
		const message = incoming(frame, sender, this.#mode);
		return this.#refusal(message) ?? this.#admission.admit({ ...message, sender: source }) ?? this.#deliver(message);
	}

	/** What is known of a message of the asking sender. Costs nothing. */
	stateOf(messageId: string, sender: AuthenticatedSender<Registration>): MessageState {
		return this.states.get(sender.registration.instanceId, messageId);
	}

	#refusal(message: IncomingMessage): MessageOutcomeCode | null {
		try {
			return this.#options.delivery.refusal(message);
		} catch {
			return "injection_failed";
		}
	}

	async #deliver(message: IncomingMessage): Promise<MessageOutcomeCode> {
		const code = await this.#attempt(message);
		const source = message.sender.instanceId;
		if (MESSAGE_OUTCOMES[code].retryable) this.#admission.giveBackText({ sender: source, text: message.text });
		const noted = this.states.get(source, message.messageId);
		// A queue that already moved the message on knows better than the receipt that announces it.
		if (noted === "unknown") this.states.set(source, message.messageId, receiptStates[code] ?? "dropped");
		return code;
	}

	async #attempt(message: IncomingMessage): Promise<MessageOutcomeCode> {
		try {
			return await this.#options.delivery.deliver(message);
		} catch {
			return "injection_failed";
		}
	}
}

function incoming(
	frame: MessageFrame,
	sender: AuthenticatedSender<Registration>,
	mode: IncomingMessage["mode"],
): IncomingMessage {
	const { messageId, text, summary, sentAt } = frame;
	const expiresAt = sentAt + MESSAGE_LIFETIME;
	const { registration, capabilities } = sender;
	return Object.freeze({ messageId, text, summary, sentAt, expiresAt, sender: registration, capabilities, mode });
}
