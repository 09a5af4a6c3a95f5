/**
 * Sending from this incarnation, for the tool and for adapters alike.
 *
 * Promise: text, budget and target are checked before anything is opened to the recipient; each attempt costs one unit
 * and is made once; a fence ends every attempt under way. Always a receipt, never a throw.
 */
import { randomUUID } from "node:crypto";
import { requestIdSchema } from "../contract/identifiers.ts";
import { MAX_GIVEN_SUMMARY_UNITS } from "../contract/limits.ts";
import {
	isTaken,
	type MessageOutcome,
	type MessageOutcomeCode,
	type MessageState,
	outcomeOf,
	type Receipt,
} from "../contract/message-outcomes.ts";
import type { PublicPeer } from "../contract/public-peer.ts";
import type { Clock } from "../peers/clock.ts";
import type { PeerDirectory } from "../peers/directory.ts";
import { peerLabel, publishPeer } from "../peers/published-peer.ts";
import type { Registration } from "../peers/registration.ts";
import { exactInstanceId, isTarget } from "../peers/target.ts";
import { printableLine } from "../projection/printable.ts";
import { askMessageState, type ExchangeOptions, type MessageContent, sendMessage } from "../wire/exchange.ts";
import { messageTextSchema } from "../wire/frames.ts";
import { WIRE_LIMITS } from "../wire/limits.ts";
import type { SenderIdentity } from "../wire/receiver-conversation.ts";
import type { SharedBudget } from "./budget.ts";

export interface OutboxOptions {
	readonly from: SenderIdentity;
	readonly paths: ExchangeOptions["paths"];
	readonly directory: PeerDirectory;
	readonly budget: SharedBudget;
	readonly clock: Clock;
	/** Aborted when this incarnation is fenced. */
	readonly fence: AbortSignal;
}

export interface SendRequest {
	/** A name, session id, instance id, hex prefix or `name [ref]`. */
	readonly target: string;
	readonly text: string;
	/** By default the text's first line. */
	readonly summary?: string;
	/** By default a new one. */
	readonly messageId?: string;
	readonly signal?: AbortSignal;
}

export interface StatusRequest {
	readonly target: string;
	readonly messageId: string;
	readonly signal?: AbortSignal;
}

interface Addressed {
	/** The recipient; null when none was determined. */
	readonly peer: PublicPeer | null;
	/** The peers that an ambiguous target can mean, as `name [ref]`; else empty. */
	readonly candidates: readonly string[];
}

export interface SendResult extends Addressed {
	/** Whether the peer took the message. */
	readonly ok: boolean;
	readonly receipt: Receipt;
}

export interface StatusResult extends Addressed {
	readonly messageId: string;
	/** What the peer knows of the message; null when there was no answer. */
	readonly state: MessageState | null;
	/** Why there was no answer; null when there was one. */
	readonly failure: Receipt | null;
}

/** The one peer that a target means. */
interface Recipient {
	readonly registration: Registration;
}

/** Why a target is nobody to talk to. */
interface Nobody {
	readonly registration: null;
	readonly refusal: MessageOutcomeCode;
	readonly candidates: readonly string[];
}

export class Outbox {
	readonly #options: OutboxOptions;

	constructor(options: OutboxOptions) {
		this.#options = options;
	}

	/** Sends one message to one peer, once. */
	async send(request: SendRequest): Promise<SendResult> {
		const { budget, clock, fence } = this.#options;
		const messageId = request.messageId ?? randomUUID();
		const content = composeContent(request, messageId);
		if (typeof content === "string") return unsent(messageId, nobody(content));
		if (budget.remaining === 0) return unsent(messageId, nobody("budget_exhausted"));
		const signal = joinSignals(fence, request.signal);
		const recipient = await this.#address(request.target, signal);
		if (recipient.registration === null) return unsent(messageId, recipient);
		const { registration } = recipient;
		if (registration.inbound === "refuse") return sendResult(outcomeOf("refused"), messageId, recipient);
		if (!budget.take()) return sendResult(outcomeOf("budget_exhausted"), messageId, recipient);
		const outcome = await sendMessage({ ...content, sentAt: clock.now() }, this.#exchange(registration, signal));
		return sendResult(outcome, messageId, recipient);
	}

	/** Asks a peer what became of a message that this incarnation sent to it. Costs no budget. */
	async askState(request: StatusRequest): Promise<StatusResult> {
		const { messageId } = request;
		if (!requestIdSchema.safeParse(messageId).success) return unasked(messageId, nobody("invalid_message"));
		const signal = joinSignals(this.#options.fence, request.signal);
		const recipient = await this.#address(request.target, signal);
		if (recipient.registration === null) return unasked(messageId, recipient);
		const { registration } = recipient;
		const answer = await askMessageState(messageId, this.#exchange(registration, signal));
		if (!answer.ok) return unanswered(answer.outcome, messageId, recipient);
		return { messageId, state: answer.state, failure: null, peer: publishPeer(registration), candidates: [] };
	}

	async #address(target: string, signal: AbortSignal): Promise<Recipient | Nobody> {
		const { directory, from } = this.#options;
		if (!isTarget(target) || exactInstanceId(target) === from.instanceId) return nobody("invalid_target");
		const matches = await directory.resolve(target, signal);
		if (signal.aborted) return nobody("cancelled");
		const [registration, ...others] = matches;
		if (registration === undefined) return nobody("not_found");
		return others.length === 0 ? { registration } : nobody("ambiguous", matches.map(peerLabel));
	}

	#exchange(recipient: Registration, signal: AbortSignal): ExchangeOptions {
		const { paths, from, clock } = this.#options;
		return { paths, from, recipient, signal, clock };
	}
}

function nobody(refusal: MessageOutcomeCode, candidates: readonly string[] = []): Nobody {
	return { registration: null, refusal, candidates };
}

/** The message as it goes out, or the code of what is wrong with it. */
function composeContent(request: SendRequest, messageId: string): Omit<MessageContent, "sentAt"> | MessageOutcomeCode {
	const { text, summary } = request;
	if (text.length > WIRE_LIMITS.textUnits) return "message_too_large";
	const wellFormed = requestIdSchema.safeParse(messageId).success && messageTextSchema.safeParse(text).success;
	if (!wellFormed || (summary !== undefined && summary.length > MAX_GIVEN_SUMMARY_UNITS)) return "invalid_message";
	return { messageId, text, summary: summarize(summary ?? "", text) };
}

/** One printable line: what the caller wrote, else the first line of the text that shows anything. */
function summarize(summary: string, text: string): string {
	const candidates = [summary, ...text.slice(0, 4096).split("\n")];
	const lines = candidates.map((line) => printableLine(line, WIRE_LIMITS.summaryCodePoints));
	return lines.find((line) => line !== "") ?? "message";
}

function unsent(messageId: string, target: Nobody): SendResult {
	return sendResult(outcomeOf(target.refusal), messageId, target);
}

function sendResult(outcome: MessageOutcome, messageId: string, recipient: Recipient | Nobody): SendResult {
	return { ok: isTaken(outcome), receipt: receiptOf(outcome, messageId, recipient), ...addressed(recipient) };
}

function unasked(messageId: string, target: Nobody): StatusResult {
	return unanswered(outcomeOf(target.refusal), messageId, target);
}

function unanswered(outcome: MessageOutcome, messageId: string, recipient: Recipient | Nobody): StatusResult {
	return { messageId, state: null, failure: receiptOf(outcome, messageId, recipient), ...addressed(recipient) };
}

function addressed(recipient: Recipient | Nobody): Addressed {
	if (recipient.registration === null) return { peer: null, candidates: recipient.candidates };
	return { peer: publishPeer(recipient.registration), candidates: [] };
}

function receiptOf(outcome: MessageOutcome, messageId: string, { registration }: Recipient | Nobody): Receipt {
	return Object.freeze({ messageId, remoteInstanceId: registration?.instanceId ?? null, ...outcome });
}

function joinSignals(fence: AbortSignal, signal: AbortSignal | undefined): AbortSignal {
	return signal === undefined ? fence : AbortSignal.any([fence, signal]);
}
