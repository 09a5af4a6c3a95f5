/**
 * The sender's side of one exchange, without the connection: answers in, the next frame or the end out.
 *
 * Promise: a question is sent once, only after a proper hello answer from the very incarnation that is meant; every
 * answer must carry the id of the frame it answers; what the other side says about itself is checked against this
 * package's own table and permits nothing.
 */
import { CANCEL_SAFE_QUEUE } from "../contract/info.ts";
import {
	findOutcome,
	isTaken,
	type MessageOutcome,
	type MessageOutcomeCode,
	type MessageState,
	messageStateSchema,
	outcomeOf,
} from "../contract/message-outcomes.ts";
import { parseJson } from "../contract/parse-json.ts";
import type { FrameItem } from "./frame-reader.ts";
import {
	encodeFrame,
	type HelloFrame,
	type MessageFrame,
	type ResponseFrame,
	responseFrameSchema,
	type StatusFrame,
} from "./frames.ts";

/** How an exchange ended. `answer` is the receiver's own word; `failure` is what this side makes of something else. */
export type Settlement =
	| { readonly type: "ready" }
	| { readonly type: "answer"; readonly outcome: MessageOutcome }
	| { readonly type: "message_state"; readonly state: MessageState }
	| { readonly type: "failure"; readonly outcome: MessageOutcome };

export type Step =
	| { readonly type: "send"; readonly line: string }
	| { readonly type: "settle"; readonly settlement: Settlement };

/** One side of an exchange as a connection drives it. */
export interface Conversation {
	/** The first line to send. */
	opening(): string;
	/** What to do about the next thing that came in. */
	take(item: FrameItem): Step;
}

export type Question = MessageFrame | StatusFrame;

export class SenderConversation implements Conversation {
	readonly #hello: HelloFrame;
	/** Null: a probe, which ends with the hello answer. */
	readonly #question: Question | null;
	#asked = false;

	constructor(hello: HelloFrame, question: Question | null) {
		this.#hello = hello;
		this.#question = question;
	}

	opening(): string {
		return encodeFrame(this.#hello);
	}

	take(item: FrameItem): Step {
		if (item.type === "fault") return fail("invalid_response");
		const parsed = responseFrameSchema.safeParse(parseJson(item.text));
		if (!parsed.success) return fail("invalid_response");
		const response = parsed.data;
		const current = this.#asked ? this.#question : this.#hello;
		if (response.requestId !== current?.requestId) return fail("invalid_receipt");
		if (!response.ok) return judgeRefusal(response);
		return this.#asked ? this.#judgeReceipt(response) : this.#judgeHello(response);
	}

	#judgeHello(response: ResponseFrame): Step {
		if (response.status !== "ready") return fail("invalid_response");
		const { target } = this.#hello;
		if (response.peer?.id !== target.id || response.peer.instanceId !== target.instanceId)
			return fail("wrong_endpoint");
		if (this.#question === null) return { type: "settle", settlement: { type: "ready" } };
		if (!response.capabilities.includes(CANCEL_SAFE_QUEUE)) return fail("unsupported");
		this.#asked = true;
		return { type: "send", line: encodeFrame(this.#question) };
	}

	#judgeReceipt(response: ResponseFrame): Step {
		return this.#question?.type === "status" ? judgeState(response) : judgeTaken(response);
	}
}

/** An answer that contradicts itself is no answer: nothing may be concluded from it. */
function judgeTaken(response: ResponseFrame): Step {
	const outcome = findOutcome(response.status);
	if (outcome === undefined || !isTaken(outcome) || response.state !== outcome.state) return fail("invalid_response");
	const claimed = findOutcome(response.code);
	if (claimed !== undefined && claimed.code !== outcome.code) return fail("invalid_response");
	return { type: "settle", settlement: { type: "answer", outcome } };
}

function judgeRefusal(response: ResponseFrame): Step {
	const outcome = findOutcome(response.code);
	if (outcome === undefined || isTaken(outcome) || response.state !== outcome.state) return fail("invalid_response");
	return { type: "settle", settlement: { type: "answer", outcome } };
}

function judgeState(response: ResponseFrame): Step {
	if (response.status !== response.state) return fail("invalid_response");
	// Another implementation may know further states. Taking them for unknown claims nothing.
	const known = messageStateSchema.safeParse(response.state);
	return { type: "settle", settlement: { type: "message_state", state: known.success ? known.data : "unknown" } };
}

function fail(code: MessageOutcomeCode): Step {
	return { type: "settle", settlement: { type: "failure", outcome: outcomeOf(code) } };
}
