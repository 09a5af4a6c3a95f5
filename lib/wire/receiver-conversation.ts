/**
 * The receiver's side of one connection, without the connection: frames in, answers out.
 *
 * Promise: nothing but a probe's answer comes back to somebody who didn't prove who it is; a message is handed on only
 * for an authenticated sender; whatever goes wrong is answered after, and never instead of, what was asked before it.
 */
import { CANCEL_SAFE_QUEUE } from "../contract/info.ts";
import { isTaken, type MessageOutcomeCode, type MessageState, outcomeOf } from "../contract/message-outcomes.ts";
import { parseJson } from "../contract/parse-json.ts";
import type { FrameFault, FrameItem } from "./frame-reader.ts";
import {
	fieldOf,
	type HelloFrame,
	helloFrameSchema,
	type MessageFrame,
	messageFrameSchema,
	type ResponseFrame,
	requestIdOf,
	statusFrameSchema,
	UNKNOWN_REQUEST_ID,
} from "./frames.ts";
import { WIRE_LIMITS } from "./limits.ts";
import { isSameSecret } from "./secrets.ts";

/** Who the receiver is. */
export interface ReceiverIdentity {
	readonly id: string;
	readonly instanceId: string;
	readonly pid: number;
	readonly token: string;
}

/** What is needed of a sender's own registration to recognise it. */
export interface SenderIdentity {
	readonly id: string;
	readonly instanceId: string;
	readonly token: string;
}

/** A sender that proved to be who it says. */
export interface AuthenticatedSender<Registered extends SenderIdentity> {
	/** From its own registration file, never from what it sent. */
	readonly registration: Registered;
	readonly capabilities: readonly string[];
}

/** What the rooms behind the wire decide. */
export interface ReceiverPorts<Registered extends SenderIdentity> {
	readonly identity: ReceiverIdentity;
	/** False while the incarnation starts or ends. */
	isReady(): boolean;
	/** The vetted registration of an incarnation; null when there is none. */
	readSenderRegistration(instanceId: string): Promise<Registered | null>;
	/** What becomes of a message. A rejection is answered as `injection_failed`. */
	takeMessage(
		message: MessageFrame,
		sender: AuthenticatedSender<Registered>,
	): MessageOutcomeCode | Promise<MessageOutcomeCode>;
	/** What is known of a message of this very sender. */
	messageState(messageId: string, sender: AuthenticatedSender<Registered>): MessageState;
}

export interface Answer {
	readonly response: ResponseFrame;
	/** Whether the connection ends with this answer. */
	readonly close: boolean;
}

const faultCodes: Record<FrameFault, MessageOutcomeCode> = {
	too_large: "message_too_large",
	bad_utf8: "invalid_frame",
	unfinished: "invalid_frame",
};

export class ReceiverConversation<Registered extends SenderIdentity> {
	readonly #ports: ReceiverPorts<Registered>;
	#frames = 0;
	#sender: AuthenticatedSender<Registered> | null = null;

	constructor(ports: ReceiverPorts<Registered>) {
		this.#ports = ports;
	}

	/** Answers the next item. To be called for one item after the other. */
	async answer(item: FrameItem): Promise<Answer> {
		if (item.type === "fault") return refuse(UNKNOWN_REQUEST_ID, faultCodes[item.fault]);
		this.#frames++;
		const value = parseJson(item.text);
		const requestId = requestIdOf(value);
		if (value === undefined || this.#frames > WIRE_LIMITS.framesPerConnection)
			return refuse(requestId, "invalid_frame");
		if (this.#frames === 1) return this.#greet(value, requestId);
		if (this.#sender === null) return refuse(requestId, "authentication_failed");
		if (!this.#ports.isReady()) return refuse(requestId, "not_ready");
		return this.#question(value, requestId, this.#sender);
	}

	async #greet(value: unknown, requestId: string): Promise<Answer> {
		if (fieldOf(value, "type") !== "hello") return refuse(requestId, "authentication_failed");
		const hello = helloFrameSchema.safeParse(value);
		if (!hello.success) return refuse(requestId, "invalid_frame");
		const refusal = this.#checkRecipient(hello.data);
		if (refusal !== null) return refuse(requestId, refusal);
		if (hello.data.from !== undefined && !(await this.#authenticate(hello.data))) {
			return refuse(requestId, "authentication_failed");
		}
		const { id, instanceId, pid } = this.#ports.identity;
		const next = "Send one message or status frame.";
		return {
			response: { ...respond(requestId, true, "ready", "ready", "ready", next), peer: { id, instanceId, pid } },
			close: false,
		};
	}

	/** The secret comes first: without it, not even who is meant is worth an answer. */
	#checkRecipient(hello: HelloFrame): MessageOutcomeCode | null {
		const { identity } = this.#ports;
		if (!isSameSecret(hello.token, identity.token)) return "authentication_failed";
		if (hello.target.id !== identity.id || hello.target.instanceId !== identity.instanceId) return "wrong_endpoint";
		return this.#ports.isReady() ? null : "not_ready";
	}

	async #authenticate(hello: HelloFrame): Promise<boolean> {
		const { from, capabilities = [] } = hello;
		if (from === undefined) return false;
		const registration = await this.#ports.readSenderRegistration(from.instanceId);
		if (registration === null || registration.id !== from.id || registration.instanceId !== from.instanceId)
			return false;
		if (!isSameSecret(from.token, registration.token)) return false;
		this.#sender = { registration, capabilities };
		return true;
	}

	async #question(value: unknown, requestId: string, sender: AuthenticatedSender<Registered>): Promise<Answer> {
		const type = fieldOf(value, "type");
		if (type === "message") return this.#message(value, requestId, sender);
		const status = statusFrameSchema.safeParse(value);
		if (!status.success) return refuse(requestId, "invalid_frame");
		const state = this.#ports.messageState(status.data.messageId, sender);
		const next = "Nothing to do. A state that is unknown does not mean that the message was not delivered.";
		return { response: respond(requestId, true, state, "status", state, next), close: false };
	}

	async #message(value: unknown, requestId: string, sender: AuthenticatedSender<Registered>): Promise<Answer> {
		const message = messageFrameSchema.safeParse(value);
		if (!message.success) {
			const text = fieldOf(value, "text");
			const tooLong = typeof text === "string" && text.length > WIRE_LIMITS.textUnits;
			return { ...refuse(requestId, tooLong ? "message_too_large" : "invalid_message"), close: false };
		}
		let code: MessageOutcomeCode;
		try {
			code = await this.#ports.takeMessage(message.data, sender);
		} catch {
			code = "injection_failed";
		}
		return { response: outcomeResponse(requestId, code), close: false };
	}
}

/** The answer that says `code`, and ends the connection. */
export function refuse(requestId: string, code: MessageOutcomeCode): Answer {
	return { response: outcomeResponse(requestId, code), close: true };
}

function outcomeResponse(requestId: string, code: MessageOutcomeCode): ResponseFrame {
	const { state, retryable, next } = outcomeOf(code);
	return { ...respond(requestId, isTaken({ state }), code, code, state, next), retryable };
}

function respond(
	requestId: string,
	ok: boolean,
	status: string,
	code: string,
	state: string,
	next: string,
): ResponseFrame {
	const head = { v: 1, type: "response", requestId, ok, status } as const;
	return { ...head, capabilities: [CANCEL_SAFE_QUEUE], code, state, retryable: false, next };
}
