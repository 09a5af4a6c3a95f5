/**
 * The outer part of requests and replies, as responders read and write it.
 *
 * Promise: no request object, however hostile, throws out of here, and no reply holds anything of a request but its id.
 */
import type { Bus } from "../contract/bus.ts";
import { RefusalError } from "../contract/errors.ts";
import { type Incarnation, isRequestId, isSameIncarnation, RPC_VERSION } from "../contract/identifiers.ts";
import { runIsolated } from "../contract/isolation.ts";
import { type RpcOutcomeCode, rpcOutcomes } from "../contract/outcomes.ts";
import { addressedEnvelopeSchema, openEnvelopeSchema, type RpcTopic, replyTopic } from "../contract/topics.ts";

/** The id that an answer can be addressed to; undefined when there is none, and so no way to answer. */
export function readRequestId(data: unknown): string | undefined {
	if (typeof data !== "object" || data === null) return undefined;
	try {
		const { requestId } = data as { requestId?: unknown };
		return isRequestId(requestId) ? requestId : undefined;
	} catch {
		return undefined;
	}
}

/** Whether the request has this version and any incarnation may answer it. */
export function isOpenRequest(data: unknown): boolean {
	try {
		return openEnvelopeSchema.safeParse(data).success;
	} catch {
		return false;
	}
}

/** Whether the request has this version and names this very incarnation. */
export function isAddressedTo(local: Incarnation, data: unknown): boolean {
	try {
		const envelope = addressedEnvelopeSchema.safeParse(data);
		return envelope.success && isSameIncarnation(envelope.data.local, local);
	} catch {
		return false;
	}
}

/** The fields of a refusal that follow from a code of the outcome table. */
export function refusalOf(code: RpcOutcomeCode): RefusalFields {
	const { state, retryable, next, message } = rpcOutcomes[code];
	return { ok: false, code, state, retryable, next, error: message };
}

/** The fields of a refusal that a handler threw; undefined for anything else that it threw. */
export function refusalFrom(error: unknown): RefusalFields | undefined {
	try {
		if (!(error instanceof RefusalError)) return undefined;
		const { code, state, retryable, next, message } = error;
		return { ok: false, code, state, retryable, next, error: message };
	} catch {
		return undefined;
	}
}

export interface RefusalFields {
	readonly ok: false;
	readonly code: string;
	readonly state: string;
	readonly retryable: boolean;
	readonly next: string;
	readonly error: string;
}

/** Emits a reply. A bus that can't carry it any more (a stale one) is for the caller's bounded wait to tell. */
export function emitReply(
	bus: Bus,
	topic: RpcTopic,
	requestId: string,
	local: Incarnation | null,
	fields: { readonly ok: boolean },
): void {
	runIsolated(() => bus.emit(replyTopic(topic, requestId), { version: RPC_VERSION, requestId, local, ...fields }));
}
