/**
 * A bus that tests can look into, and requests and replies that fit the contract.
 *
 * The bus isolates nothing: what a handler throws comes out of `emit`, so a test sees it.
 */
import type { Bus } from "../../lib/contract/bus.ts";
import type { Incarnation } from "../../lib/contract/identifiers.ts";
import type { PeerContext } from "../../lib/contract/peer-context.ts";
import { PEER_CONTEXT_TOPIC, type RpcRequest, replyTopic } from "../../lib/contract/topics.ts";

export class ProbeBus implements Bus {
	readonly emitted: { readonly topic: string; readonly data: unknown }[] = [];
	readonly #handlers = new Map<string, Set<(data: unknown) => void>>();

	emit(topic: string, data: unknown): void {
		this.emitted.push({ topic, data });
		for (const handler of [...(this.#handlers.get(topic) ?? [])]) handler(data);
	}

	on(topic: string, handler: (data: unknown) => void): () => void {
		const handlers = this.#handlers.get(topic) ?? new Set();
		this.#handlers.set(topic, handlers.add(handler));
		return () => void handlers.delete(handler);
	}

	/** Listeners of one topic, or of all. */
	listeners(topic?: string): number {
		const counted = topic === undefined ? [...this.#handlers.values()] : [this.#handlers.get(topic) ?? new Set()];
		return counted.reduce((total, handlers) => total + handlers.size, 0);
	}

	/** Everything that was emitted on one topic. */
	dataOn(topic: string): unknown[] {
		return this.emitted.filter((emission) => emission.topic === topic).map((emission) => emission.data);
	}
}

export const local: Incarnation = { sessionId: "session-a", instanceId: "a".repeat(32) };
export const foreign: Incarnation = { sessionId: "session-b", instanceId: "b".repeat(32) };

export const context: PeerContext = {
	schemaVersion: 1,
	target: { sessionId: "peer", title: "Refactor the parser" },
	runtimeStatus: "idle",
	capture: { throughSeq: 12, time: 1_700_000_000_000, damagedLines: 0 },
	trustWarning: "Data from another session.",
	conversation: {
		messages: [{ seq: 1, time: 1, role: "user", checkpoint: false, text: "hello", omittedBytes: 0, attested: true }],
		retention: {
			eligibleMessages: 1,
			returnedMessages: 1,
			omittedMessages: 0,
			withheldMessages: 0,
			eligibleBytes: 5,
			returnedBytes: 5,
			omittedBytes: 0,
		},
	},
};

export function contextRequest(requestId: string): RpcRequest<typeof PEER_CONTEXT_TOPIC> {
	return { version: 1, requestId, local, sessionId: "peer" };
}

export function contextReply(requestId: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
	return { version: 1, requestId, local, ok: true, context, ...changes };
}

export function refusal(requestId: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
	return {
		version: 1,
		requestId,
		local,
		ok: false,
		code: "unavailable",
		state: "refused",
		retryable: true,
		next: "Ask again later.",
		...changes,
	};
}

/** Answers every peer-context request during its emit, with whatever `answer` makes of the request id. */
export function answerWith(bus: Bus, ...answers: ((requestId: string) => unknown)[]): () => void {
	return bus.on(PEER_CONTEXT_TOPIC, (data) => {
		const { requestId } = data as { requestId: string };
		for (const answer of answers) bus.emit(replyTopic(PEER_CONTEXT_TOPIC, requestId), answer(requestId));
	});
}
