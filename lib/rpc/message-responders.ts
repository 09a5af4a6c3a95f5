/**
 * Answers `cross-session:rpc:send` and `cross-session:rpc:status` for one incarnation.
 *
 * Promise: the same exchange as the model's tool makes, to the very peer that is named and to no other; each refusal
 * names the message and the peer that it is about, and what the peer may already have is never called refused.
 */
import * as z from "zod";
import type { Bus } from "../contract/bus.ts";
import { RefusalError } from "../contract/errors.ts";
import { type Incarnation, requestIdSchema } from "../contract/identifiers.ts";
import type { MessageOutcome } from "../contract/message-outcomes.ts";
import { instanceIdSchema } from "../contract/peer-identifiers.ts";
import { SEND_TOPIC, STATUS_TOPIC } from "../contract/topics.ts";
import type { Outbox } from "../inbox/outbox.ts";
import type { OnceLedger } from "./once-ledger.ts";
import { readFields } from "./request-fields.ts";
import { Responder } from "./responder.ts";

/** How an incarnation talks to its peers. */
export type MessagePort = Pick<Outbox, "send" | "askState">;

export interface MessageResponderOptions {
	readonly bus: Bus;
	readonly local: Incarnation;
	readonly ledger: OnceLedger;
	readonly messages: MessagePort;
}

const aboutMessage = {
	remoteInstanceId: { schema: instanceIdSchema, expected: "a whole instance id: 32 lower-case hex digits, no name" },
	messageId: { schema: requestIdSchema, expected: "1 to 128 letters, digits, _ or -" },
};

// How long and how well-formed a text may be is judged where the tool's texts are judged.
const withText = {
	...aboutMessage,
	text: { schema: z.string(), expected: "a text" },
	summary: { schema: z.string().optional(), expected: "a text, where it is given" },
};

/** A responder for `send` that is not started yet. */
export function createSendResponder(options: MessageResponderOptions): Responder<typeof SEND_TOPIC> {
	const { messages, ...rest } = options;
	return new Responder({
		...rest,
		topic: SEND_TOPIC,
		unansweredCode: "receipt_unknown",
		read(request) {
			const { remoteInstanceId, messageId, text, summary } = readFields(request, withText);
			const content = { messageId, text, ...(summary === undefined ? {} : { summary }) };
			return {
				subject: { messageId, remoteInstanceId },
				async run(signal) {
					const { ok, receipt, peer } = await messages.send({ target: remoteInstanceId, ...content, signal });
					if (!ok || peer === null) throw refusalFor(receipt);
					return { messageId, target: peer, receipt: { ...receipt } };
				},
			};
		},
	});
}

/** A responder for `status` that is not started yet. */
export function createStatusResponder(options: MessageResponderOptions): Responder<typeof STATUS_TOPIC> {
	const { messages, ...rest } = options;
	return new Responder({
		...rest,
		topic: STATUS_TOPIC,
		unansweredCode: "unavailable",
		read(request) {
			const { remoteInstanceId, messageId } = readFields(request, aboutMessage);
			return {
				subject: { messageId, remoteInstanceId },
				async run(signal) {
					const { state, failure } = await messages.askState({ target: remoteInstanceId, messageId, signal });
					if (failure !== null) throw refusalFor(failure);
					return { messageId, state: state ?? "unknown" };
				},
			};
		},
	});
}

/** What was wrong, by what is known of the other side. */
const failures: Readonly<Record<string, string>> = {
	refused: "The peer did not get this.",
	receipt_unknown: "It is not known whether the peer got this.",
};

function refusalFor({ code, state, retryable, next }: MessageOutcome): RefusalError {
	const message = failures[state] ?? "The peer did not answer as expected.";
	return new RefusalError(code, { state, retryable, next, message });
}
