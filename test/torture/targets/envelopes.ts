/**
 * Envelopes: what adapters write into messages for each other, and requests on the event bus.
 */
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import {
	BRIDGE_LIMITS,
	BRIDGE_PREFIX,
	type BridgeEnvelope,
	BridgeError,
	formatBridge,
	forwardEnvelope,
	isBridgeText,
	parseBridge,
} from "../../../lib/contract/bridge.ts";
import type { Bus } from "../../../lib/contract/bus.ts";
import { isRequestId, REQUEST_ID_PATTERN } from "../../../lib/contract/identifiers.ts";
import { outcomeOf } from "../../../lib/contract/message-outcomes.ts";
import { INFO_TOPIC, PEER_CONTEXT_TOPIC, rpcTopics } from "../../../lib/contract/topics.ts";
import { startResponders } from "../../../lib/rpc/responders.ts";
import { type FuzzTarget, holdsNothing, samplesOf } from "../fuzz/target.ts";

/** The moment of every case, so that a corpus never grows old. */
const NOW = 1_790_000_000_000;

const local = { sessionId: "01a22e72", instanceId: "e".repeat(32) };

const envelope: BridgeEnvelope = {
	version: 1,
	origin: "planner",
	correlationId: "task-7",
	expiresAt: NOW + 10_000,
	hops: 0,
	budget: 8,
	payload: { ask: "status", of: [1, null, { deep: "er" }] },
};
const request = { version: 1, requestId: "request-1", local };
const aboutPeer = { ...request, remoteInstanceId: "f".repeat(32), messageId: "m-1" };

export const envelopeTarget: FuzzTarget = {
	name: "envelopes",
	samples: samplesOf(
		BRIDGE_PREFIX + JSON.stringify(envelope),
		BRIDGE_PREFIX + JSON.stringify({ ...envelope, hops: 4, budget: 1, payload: "text", more: 1 }),
		BRIDGE_PREFIX + JSON.stringify({ ...envelope, expiresAt: NOW + 30_000, payload: [] }),
		request,
		{ ...request, sessionId: "another", view: "conversation", maxMessages: 8 },
		{ ...request, include: "recent" },
		aboutPeer,
		{ ...aboutPeer, text: "Who has the parser?", summary: "A question" },
	),
	tokens: [
		BRIDGE_PREFIX,
		"cross-session:bridge:v2\n",
		'"payload":',
		'"hops":4',
		'"budget":1',
		`"expiresAt":${NOW}`,
		`"expiresAt":${NOW + 30_001}`,
		local.instanceId,
		'"requestId":"',
		'"version":1,',
	],
	bounds: [1, 4, 32, 128, 256, 400, 512],
	maxBytes: 32 * 1024,
	open: () => holdsNothing(checkEnvelopes),
};

async function checkEnvelopes(bytes: Buffer): Promise<void> {
	const text = bytes.toString();
	checkBridge(text);
	checkBridge(BRIDGE_PREFIX + text);
	const json = isBridgeText(text) ? text.slice(BRIDGE_PREFIX.length) : text;
	try {
		await checkRequest(JSON.parse(json));
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
	}
}

function checkBridge(text: string): void {
	const parsed = orBridgeError(() => parseBridge(text, NOW));
	if (parsed === null) return;
	assert.ok(isBridgeText(text));
	checkBounds(parsed);
	assertFrozen(parsed);
	// As JSON: it has no minus zero.
	const again = formatBridge(parsed, NOW);
	assert.equal(formatBridge(parseBridge(again, NOW), NOW), again);
	const next = orBridgeError(() => forwardEnvelope(parsed, NOW));
	const isSpent = parsed.hops === BRIDGE_LIMITS.hops || parsed.budget === 1;
	assert.equal(next === null, isSpent);
	if (next !== null) assert.deepEqual(next, { ...parsed, hops: parsed.hops + 1, budget: parsed.budget - 1 });
}

function checkBounds({ origin, correlationId, expiresAt, hops, budget, payload }: BridgeEnvelope): void {
	for (const id of [origin, correlationId]) assert.match(id, REQUEST_ID_PATTERN);
	assert.ok(expiresAt > NOW && expiresAt <= NOW + BRIDGE_LIMITS.lifetime);
	assert.ok(
		[0, 1, 2, 3, 4].includes(hops) && Number.isInteger(budget) && budget >= 1 && budget <= BRIDGE_LIMITS.budget,
	);
	assert.notEqual(payload, undefined);
}

function assertFrozen(root: unknown): void {
	const open = [root];
	for (let value = open.pop(); value !== undefined; value = open.pop()) {
		if (typeof value !== "object" || value === null) continue;
		assert.ok(Object.isFrozen(value), "a part can be changed");
		assert.ok(!Object.hasOwn(value, "__proto__"));
		for (const field of Object.values(value)) if (typeof field === "object" && field !== null) open.push(field);
	}
}

function orBridgeError<Result>(read: () => Result): Result | null {
	try {
		return read();
	} catch (error) {
		assert.ok(error instanceof BridgeError, `Thrown: ${String(error)}`);
		return null;
	}
}

/** A value on every topic, twice: one reply where it can be addressed, none where it can't, and nothing is thrown. */
async function checkRequest(value: unknown): Promise<void> {
	const bus = new RecordingBus();
	const asked = { texts: 0 };
	const refused = { ...outcomeOf("refused"), messageId: "m-1", remoteInstanceId: null };
	const nobody = { peer: null, candidates: [] };
	const stop = startResponders({
		bus,
		local,
		readPeerContext: async () => {
			throw new Error("Nobody is read here.");
		},
		contextRequests: 2,
		messaging: {
			messages: {
				async send({ target, text }) {
					asked.texts += 1;
					assert.match(target, /^[0-9a-f]{32}$/);
					assert.equal(typeof text, "string");
					return { ok: false, receipt: refused, ...nobody };
				},
				askState: async ({ messageId }) => ({ messageId, state: null, failure: refused, ...nobody }),
			},
			listing: { listPeers: async () => [], listRecent: async () => [] },
			standing: () => ({ stopped: false, remainingBudget: 1, states: [] }),
		},
	});
	const topics = Object.keys(rpcTopics);
	for (const topic of [...topics, ...topics]) bus.emit(topic, value);
	await setImmediate();
	stop();
	assert.equal(bus.listeners, 0, "a listener stays");
	assert.ok(asked.texts <= 1, "a request was acted on twice");
	const requestId = typeof value === "object" && value !== null ? (value as { requestId?: unknown }).requestId : null;
	for (const topic of topics) {
		const replies = bus.emitted.filter((emitted) => emitted.topic.startsWith(`${topic}:reply:`));
		// `info` has no ledger: whoever asks twice is told twice.
		assert.equal(replies.length, !isRequestId(requestId) ? 0 : topic === INFO_TOPIC ? 2 : 1, topic);
		for (const { topic: replyTopic, data } of replies) {
			assert.equal(replyTopic, `${topic}:reply:${String(requestId)}`);
			const reply = rpcTopics[topic as keyof typeof rpcTopics].reply.parse(data);
			if (topic === PEER_CONTEXT_TOPIC) assert.equal(reply.ok, false);
		}
	}
}

class RecordingBus implements Bus {
	readonly emitted: { topic: string; data: unknown }[] = [];
	readonly #handlers = new Map<string, (data: unknown) => void>();

	get listeners(): number {
		return this.#handlers.size;
	}

	emit(topic: string, data: unknown): void {
		this.emitted.push({ topic, data });
		this.#handlers.get(topic)?.(data);
	}

	on(topic: string, handler: (data: unknown) => void): () => void {
		this.#handlers.set(topic, handler);
		return () => this.#handlers.delete(topic);
	}
}
