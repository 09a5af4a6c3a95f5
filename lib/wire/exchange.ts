/**
 * Asking another incarnation something: one message, one question about a message, or only whether it is there.
 *
 * Promise: each call is one attempt. Nothing here tries again, whatever came back.
 */
import { randomUUID } from "node:crypto";
import { CANCEL_SAFE_QUEUE } from "../contract/info.ts";
import { type MessageOutcome, type MessageState, outcomeOf } from "../contract/message-outcomes.ts";
import type { Clock } from "../peers/clock.ts";
import type { Probe, ProbeResult } from "../peers/discovery.ts";
import { type EndpointVerdict, vetEndpoint } from "../peers/endpoint.ts";
import type { PeerPaths } from "../peers/paths.ts";
import type { Registration } from "../peers/registration.ts";
import { converse } from "./connection.ts";
import { frameFits, type HelloFrame, type MessageFrame, type StatusFrame } from "./frames.ts";
import { WIRE_LIMITS } from "./limits.ts";
import type { SenderIdentity } from "./receiver-conversation.ts";
import { type Question, SenderConversation, type Settlement } from "./sender-conversation.ts";

/** Decides about an endpoint; may take its time, which counts. */
export type EndpointVetting = (
	path: string,
	paths: Pick<PeerPaths, "platform" | "userId">,
) => EndpointVerdict | Promise<EndpointVerdict>;

export interface ExchangeOptions {
	readonly paths: Pick<PeerPaths, "platform" | "userId">;
	readonly from: SenderIdentity;
	/** The vetted registration of the incarnation that is meant. */
	readonly recipient: Pick<Registration, "id" | "instanceId" | "socketPath" | "token">;
	readonly signal?: AbortSignal;
	readonly clock?: Clock;
	/** Looks at the endpoint before it is connected to. */
	readonly vet?: EndpointVetting;
}

export type MessageContent = Pick<MessageFrame, "messageId" | "text" | "summary" | "sentAt">;

/** Sends one message, once, and says what is known then. At most five seconds; never rejects. */
export async function sendMessage(content: MessageContent, options: ExchangeOptions): Promise<MessageOutcome> {
	const { messageId, text, summary, sentAt } = content;
	const message: MessageFrame = { v: 1, type: "message", requestId: randomUUID(), messageId, text, summary, sentAt };
	if (!frameFits(message)) return outcomeOf("message_too_large");
	const settlement = await ask(message, options);
	return settlement.type === "answer" || settlement.type === "failure"
		? settlement.outcome
		: outcomeOf("invalid_response");
}

export type StatusAnswer =
	| { readonly ok: true; readonly state: MessageState }
	| { readonly ok: false; readonly outcome: MessageOutcome };

/** Asks the receiver of a message what became of it. At most five seconds; never rejects. */
export async function askMessageState(messageId: string, options: ExchangeOptions): Promise<StatusAnswer> {
	const question: StatusFrame = { v: 1, type: "status", requestId: randomUUID(), messageId };
	const settlement = await ask(question, options);
	if (settlement.type === "message_state") return { ok: true, state: settlement.state };
	return { ok: false, outcome: settlement.type === "ready" ? outcomeOf("invalid_response") : settlement.outcome };
}

/** A probe for discovery: a hello that proves nothing about the asker and asks nothing. */
export function createProbe(options: Pick<ExchangeOptions, "paths" | "clock" | "vet">): Probe {
	return async (registration, signal) => {
		const conversation = new SenderConversation(helloTo(registration), null);
		const settlement = await converse(conversation, {
			...connectionTo({ ...options, ...(signal === undefined ? {} : { signal }) }, registration.socketPath),
			timeoutMilliseconds: WIRE_LIMITS.probeMilliseconds,
		});
		return judgeProbe(settlement);
	};
}

/** Failures in which nothing at the endpoint said anything. */
const silence = new Set(["timeout", "transport_error", "connection_closed", "not_found"]);

function judgeProbe(settlement: Settlement): ProbeResult {
	if (settlement.type === "ready") return "ready";
	return settlement.type === "failure" && silence.has(settlement.outcome.code) ? "silent" : "unready";
}

function ask(question: Question, options: ExchangeOptions): Promise<Settlement> {
	const { id, instanceId, token } = options.from;
	const hello: HelloFrame = { ...helloTo(options.recipient), from: { id, instanceId, token } };
	return converse(new SenderConversation(hello, question), {
		...connectionTo(options, options.recipient.socketPath),
		timeoutMilliseconds: WIRE_LIMITS.exchangeMilliseconds,
	});
}

function helloTo(recipient: ExchangeOptions["recipient"]): HelloFrame {
	const { id, instanceId, token } = recipient;
	const head = { v: 1, type: "hello", requestId: randomUUID() } as const;
	return { ...head, token, target: { id, instanceId }, capabilities: [CANCEL_SAFE_QUEUE] };
}

function connectionTo(options: Pick<ExchangeOptions, "paths" | "signal" | "clock" | "vet">, path: string) {
	const { paths, signal, clock, vet = vetEndpoint } = options;
	return {
		path,
		vet: async (endpoint: string) => vet(endpoint, paths),
		...(signal === undefined ? {} : { signal }),
		...(clock === undefined ? {} : { clock }),
	};
}
