/**
 * Every way in which a call can end, and that none of them leaves a listener, a timer or a rejection that nobody sees
 * (vitest fails the run for those).
 */
import { getEventListeners } from "node:events";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Bus } from "../../lib/contract/bus.ts";
import { requestRpc } from "../../lib/contract/request-rpc.ts";
import { PEER_CONTEXT_TOPIC, type RpcReply, replyTopic } from "../../lib/contract/topics.ts";
import { answerWith, context, contextReply, contextRequest, foreign, ProbeBus, refusal } from "./probe-bus.ts";

const REPLIES = replyTopic(PEER_CONTEXT_TOPIC, "r");

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Scene {
	readonly bus: ProbeBus;
	readonly controller: AbortController;
}

/** How a bus can misbehave: each gets the sound bus and gives back another. */
const broken = {
	onThrows: ({ bus }: Scene): Bus => ({
		emit: (topic, data) => bus.emit(topic, data),
		on() {
			throw new Error("stale");
		},
	}),
	onReturnsNothing: ({ bus }: Scene): Bus => ({
		emit: (topic, data) => bus.emit(topic, data),
		on: () => undefined as unknown as () => void,
	}),
	onRejects: ({ bus }: Scene): Bus => ({
		emit: (topic, data) => bus.emit(topic, data),
		on: () => Promise.reject(new Error("stale")) as unknown as () => void,
	}),
	onReplies: ({ bus }: Scene): Bus => ({
		emit: (topic, data) => bus.emit(topic, data),
		on(topic, handler) {
			const off = bus.on(topic, handler);
			bus.emit(topic, contextReply("r"));
			return off;
		},
	}),
	onAborts: ({ bus, controller }: Scene): Bus => ({
		emit: (topic, data) => bus.emit(topic, data),
		on(topic, handler) {
			controller.abort();
			return bus.on(topic, handler);
		},
	}),
	emitThrows: ({ bus }: Scene): Bus => ({
		emit() {
			throw new Error("stale");
		},
		on: (topic, handler) => bus.on(topic, handler),
	}),
	emitRejects: ({ bus }: Scene): Bus => ({
		async emit() {
			throw new Error("stale");
		},
		on: (topic, handler) => bus.on(topic, handler),
	}),
	emitRepliesThenThrows: ({ bus }: Scene): Bus => ({
		emit() {
			bus.emit(REPLIES, contextReply("r"));
			throw new Error("stale");
		},
		on: (topic, handler) => bus.on(topic, handler),
	}),
	emitRefusesThenThrows: ({ bus }: Scene): Bus => ({
		emit() {
			bus.emit(REPLIES, refusal("r", { local: foreign }));
			throw new Error("stale");
		},
		on: (topic, handler) => bus.on(topic, handler),
	}),
	offThrows: ({ bus }: Scene): Bus => ({
		emit: (topic, data) => bus.emit(topic, data),
		on(topic, handler) {
			const off = bus.on(topic, handler);
			return () => {
				off();
				throw new Error("stale");
			};
		},
	}),
	offRejects: ({ bus }: Scene): Bus => ({
		emit: (topic, data) => bus.emit(topic, data),
		on(topic, handler) {
			const off = bus.on(topic, handler);
			return async () => {
				off();
				throw new Error("stale");
			};
		},
	}),
};

/** A reply that brings another reply while it is being read. */
const reentrant = (bus: ProbeBus) => (id: string) => ({
	...contextReply(id, { mark: "outer" }),
	get context() {
		bus.emit(REPLIES, contextReply(id, { mark: "inner" }));
		return context;
	},
});

interface Ending {
	readonly bus?: (scene: Scene) => Bus;
	/** What happens before the call, and then while it waits. */
	readonly before?: (scene: Scene) => void;
	readonly during?: (scene: Scene) => void;
	readonly outcome: Record<string, unknown>;
}

const answered = { ok: true };
const unknown = { code: "receipt_unknown", state: "receipt_unknown", retryable: false, next: expect.any(String) };
const busError = { code: "bus_error", state: "receipt_unknown", retryable: false, next: expect.any(String) };
const lapse = () => vi.advanceTimersByTime(5000);
const replyLater = ({ bus }: Scene) => bus.emit(REPLIES, contextReply("r"));
const abort = ({ controller }: Scene) => controller.abort();

const endings: Record<string, Ending> = {
	"a reply during the emit": { before: ({ bus }) => answerWith(bus, contextReply), outcome: answered },
	"a reply later": { during: replyLater, outcome: answered },
	"the same reply twice": { before: ({ bus }) => answerWith(bus, contextReply, contextReply), outcome: answered },
	"no reply": { during: lapse, outcome: unknown },
	"malformed replies only": {
		before: ({ bus }) => answerWith(bus, () => ({ ...contextReply("r"), context: 1 })),
		during: lapse,
		outcome: unknown,
	},
	"a kept refusal": {
		before: ({ bus }) => answerWith(bus, (id) => refusal(id, { local: foreign })),
		during: lapse,
		outcome: { ok: false, local: foreign },
	},
	"an abort before the call": { before: abort, outcome: unknown },
	"an abort during the emit": {
		before: (scene) => scene.bus.on(PEER_CONTEXT_TOPIC, () => abort(scene)),
		outcome: unknown,
	},
	"an abort while waiting": { during: abort, outcome: unknown },
	"an abort while subscribing": { bus: broken.onAborts, outcome: unknown },
	"a reply while subscribing": { bus: broken.onReplies, outcome: answered },
	"on() throws": { bus: broken.onThrows, outcome: busError },
	"on() returns no unsubscribe": { bus: broken.onReturnsNothing, outcome: busError },
	"on() rejects": { bus: broken.onRejects, outcome: busError },
	"emit() throws": { bus: broken.emitThrows, outcome: busError },
	"emit() rejects": { bus: broken.emitRejects, outcome: busError },
	"emit() throws after the reply": { bus: broken.emitRepliesThenThrows, outcome: answered },
	"emit() throws after a refusal that was kept": { bus: broken.emitRefusesThenThrows, outcome: busError },
	"unsubscribing throws after a reply": { bus: broken.offThrows, during: replyLater, outcome: answered },
	"unsubscribing throws at the timeout": { bus: broken.offThrows, during: lapse, outcome: unknown },
	"unsubscribing rejects": { bus: broken.offRejects, during: replyLater, outcome: answered },
	"a reply inside a reply's getter": {
		before: ({ bus }) => answerWith(bus, reentrant(bus)),
		outcome: { ok: true, mark: "inner" },
	},
};

describe("after the end by", () => {
	it.each(Object.entries(endings))(
		"%s nothing of the call is left, and later replies change nothing",
		async (_, ending) => {
			const scene: Scene = { bus: new ProbeBus(), controller: new AbortController() };
			const bus = ending.bus?.(scene) ?? scene.bus;
			ending.before?.(scene);
			const call = requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"), 5000, scene.controller.signal);
			const outcome = call.catch((error: unknown) => error);
			ending.during?.(scene);
			expect(await outcome).toMatchObject(ending.outcome);

			expect(scene.bus.listeners(REPLIES)).toBe(0);
			expect(vi.getTimerCount()).toBe(0);
			expect(getEventListeners(scene.controller.signal, "abort")).toEqual([]);
			scene.bus.emit(REPLIES, contextReply("r", { mark: "late" }));
			scene.controller.abort();
			expect(await outcome).not.toHaveProperty("mark", "late");
		},
	);
});

it("a bus that delivers after it unsubscribed is not heard", async () => {
	let deliver: (data: unknown) => void = () => {};
	const bus: Bus = {
		emit() {},
		on(_topic, handler) {
			deliver = handler;
			return () => {};
		},
	};
	const call = requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"), 10);
	const outcome = call.catch((error: unknown) => error);
	vi.advanceTimersByTime(10);
	expect(() => deliver(contextReply("r"))).not.toThrow();
	expect(await outcome).toMatchObject(unknown);
});

it("what the bus threw is the cause of the error and not part of its text", async () => {
	const scene: Scene = { bus: new ProbeBus(), controller: new AbortController() };
	const error: unknown = await requestRpc(broken.emitThrows(scene), PEER_CONTEXT_TOPIC, contextRequest("r")).catch(
		(reason: unknown) => reason,
	);
	expect(error).toMatchObject({ cause: new Error("stale") });
	expect(String(error)).not.toContain("stale");
});

it("waits five seconds unless told otherwise", async () => {
	const settled = vi.fn();
	requestRpc(new ProbeBus(), PEER_CONTEXT_TOPIC, contextRequest("r")).catch(settled);
	await vi.advanceTimersByTimeAsync(4999);
	expect(settled).not.toHaveBeenCalled();
	await vi.advanceTimersByTimeAsync(1);
	expect(settled).toHaveBeenCalledOnce();
});

it("whatever comes in whatever order, the first thing that ends the call decides it, and nothing is left", async () => {
	const events = {
		answer: (scene: Scene) => scene.bus.emit(REPLIES, contextReply("r")),
		refusal: (scene: Scene) => scene.bus.emit(REPLIES, refusal("r")),
		foreign: (scene: Scene) => scene.bus.emit(REPLIES, refusal("r", { local: foreign })),
		malformed: (scene: Scene) => scene.bus.emit(REPLIES, { version: 1, requestId: "r" }),
		abort,
		lapse,
	};
	type EventName = keyof typeof events;
	/** What the events should come to: an `ok`, or an error's code. */
	const expected = (names: EventName[]): unknown => {
		const end = names.find((name) => name !== "foreign" && name !== "malformed");
		const kept = names.slice(0, names.indexOf(end ?? "lapse")).includes("foreign");
		if (end === "answer") return "answered";
		if (end === "refusal") return "refused";
		return end === "lapse" && kept ? "kept" : "receipt_unknown";
	};
	const actual = (outcome: RpcReply<typeof PEER_CONTEXT_TOPIC> | Error): unknown => {
		if (outcome instanceof Error) return (outcome as { code?: unknown }).code;
		if (outcome.ok) return "answered";
		return (outcome.local as { sessionId: string }).sessionId === foreign.sessionId ? "kept" : "refused";
	};
	const name = fc.constantFrom(...(Object.keys(events) as EventName[]));
	await fc.assert(
		fc.asyncProperty(fc.array(name, { maxLength: 6 }), async (drawn) => {
			const names: EventName[] = [...drawn, "lapse"];
			const scene: Scene = { bus: new ProbeBus(), controller: new AbortController() };
			const call = requestRpc(scene.bus, PEER_CONTEXT_TOPIC, contextRequest("r"), 5000, scene.controller.signal);
			const outcome = call.catch((error: Error) => error);
			for (const event of names) events[event](scene);
			expect(actual(await outcome)).toBe(expected(names));
			expect(scene.bus.listeners() + vi.getTimerCount()).toBe(0);
		}),
		{ numRuns: 300 },
	);
});
