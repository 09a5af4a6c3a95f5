/** The peer-context responder in time: its deadline, its end, its neighbours on the bus, and a bus that fails. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Bus } from "../../lib/contract/bus.ts";
import { RefusalError } from "../../lib/contract/errors.ts";
import { rpcOutcomes } from "../../lib/contract/outcomes.ts";
import { requestRpc } from "../../lib/contract/request-rpc.ts";
import { PEER_CONTEXT_TOPIC, replyTopic } from "../../lib/contract/topics.ts";
import type { ReadPeerContext } from "../../lib/rpc/peer-context-responder.ts";
import { context, contextRequest, foreign, local, ProbeBus } from "../contract/probe-bus.ts";
import { HeldRead, REPLIES, settle, started } from "./peer-context-setting.ts";

describe("the deadline", () => {
	beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
	afterEach(() => void vi.useRealTimers());

	it("answers unavailable after 4.5 s, before the caller gives up, and aborts the read", async () => {
		const bus = new ProbeBus();
		const held = new HeldRead();
		started({ bus, read: held.read });
		const reply = requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"));
		await vi.advanceTimersByTimeAsync(4499);
		expect(bus.dataOn(REPLIES)).toEqual([]);
		await vi.advanceTimersByTimeAsync(1);
		await expect(reply).resolves.toMatchObject({ ok: false, code: "unavailable", retryable: true });
		expect(held.signals[0]?.aborted).toBe(true);
		expect(vi.getTimerCount()).toBe(0);
	});

	it.each(["succeed", "fail"] as const)("is the last word: a read that would %s later is dropped", async (ending) => {
		const bus = new ProbeBus();
		const held = new HeldRead();
		started({ bus, read: held.read });
		bus.emit(PEER_CONTEXT_TOPIC, contextRequest("r"));
		await vi.advanceTimersByTimeAsync(4500);
		held[ending](new Error("late"));
		await settle();
		expect(bus.dataOn(REPLIES)).toMatchObject([{ code: "unavailable" }]);
	});

	it("leaves no timer behind an answer in time, and does not abort what has ended", async () => {
		const bus = new ProbeBus();
		const held = new HeldRead();
		started({ bus, read: held.read });
		bus.emit(PEER_CONTEXT_TOPIC, contextRequest("r"));
		expect(vi.getTimerCount()).toBe(1);
		held.succeed();
		await settle();
		expect(vi.getTimerCount()).toBe(0);
		expect(held.signals[0]?.aborted).toBe(false);
	});
});

describe("the end of an incarnation", () => {
	it("answers what is in flight with receipt_unknown, aborts it, and leaves no listener", async () => {
		const bus = new ProbeBus();
		const held = new HeldRead();
		const responder = started({ bus, read: held.read });
		const replies = ["r", "r2"].map((id) => requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest(id)));
		responder.stop();
		for (const reply of await Promise.all(replies)) {
			expect(reply).toMatchObject({ ok: false, code: "receipt_unknown", state: "receipt_unknown", retryable: false });
		}
		expect(held.signals.map((signal) => signal.aborted)).toEqual([true, true]);
		expect(bus.listeners()).toBe(0);
		held.fail(new RefusalError("late", rpcOutcomes.unavailable));
		responder.stop();
		await settle();
		expect(bus.dataOn(REPLIES)).toHaveLength(1);
	});

	it("that can't emit any more leaves the caller its bounded wait", async () => {
		const bus = new ProbeBus();
		let stale = false;
		const facade: Bus = {
			emit(topic, data) {
				if (stale) throw new Error("stale");
				bus.emit(topic, data);
			},
			on: (topic, handler) => bus.on(topic, handler),
		};
		const held = new HeldRead();
		const responder = started({ bus: facade, read: held.read });
		const reply = requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"), 20);
		stale = true;
		expect(() => responder.stop()).not.toThrow();
		expect(held.signals[0]?.aborted).toBe(true);
		await expect(reply).rejects.toMatchObject({ code: "receipt_unknown" });
		expect(bus.dataOn(REPLIES)).toEqual([]);
	});

	it("survives a bus that can't unsubscribe, and is deaf then all the same", () => {
		const bus = new ProbeBus();
		const sticky: Bus = {
			emit: (topic, data) => bus.emit(topic, data),
			on(topic, handler) {
				bus.on(topic, handler);
				return () => {
					throw new Error("stale");
				};
			},
		};
		const read = vi.fn<ReadPeerContext>(async () => context);
		const responder = started({ bus: sticky, read });
		expect(() => responder.stop()).not.toThrow();
		bus.emit(PEER_CONTEXT_TOPIC, contextRequest("r"));
		expect(read).not.toHaveBeenCalled();
		expect(responder.remaining).toBe(256);
	});

	it("makes way for the next one, which refuses requests to the old one and starts with a full budget", async () => {
		const bus = new ProbeBus();
		const old = started({ bus, capacity: 1 });
		await requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"));
		old.stop();
		const reloaded = { ...local, instanceId: "c".repeat(32) };
		const responder = started({ bus, local: reloaded, capacity: 2 });
		const toOld = await requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"), 20);
		expect(toOld).toMatchObject({ ok: false, code: "invalid_request", local: reloaded });
		const toNew = await requestRpc(bus, PEER_CONTEXT_TOPIC, { ...contextRequest("r2"), local: reloaded });
		expect(toNew).toMatchObject({ ok: true, local: reloaded });
		expect(responder.remaining).toBe(0);
	});

	it("is for good: a started responder starts once, and a stopped one never again", () => {
		const bus = new ProbeBus();
		const responder = started({ bus });
		responder.start();
		expect(bus.listeners()).toBe(1);
		responder.stop();
		responder.start();
		expect(bus.listeners()).toBe(0);
	});
});

describe("two responders on one bus", () => {
	const rightAnswers: [string, (bus: Bus) => void][] = [
		[
			"ours first",
			(bus) => {
				started({ bus });
				started({ bus, local: foreign });
			},
		],
		[
			"the other first",
			(bus) => {
				started({ bus, local: foreign });
				started({ bus });
			},
		],
		[
			"another implementation that refuses at once",
			(bus) => {
				bus.on(PEER_CONTEXT_TOPIC, (data) => {
					const { requestId } = data as { requestId: string };
					const no = { ok: false, code: "wrong_address", state: "refused", retryable: false, next: "" };
					bus.emit(replyTopic(PEER_CONTEXT_TOPIC, requestId), { version: 1, requestId, local: foreign, ...no });
				});
				started({ bus });
			},
		],
	];
	it.each(rightAnswers)("the incarnation that was asked is heard: %s", async (_name, populate) => {
		const bus = new ProbeBus();
		populate(bus);
		const reply = await requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"));
		expect(reply).toMatchObject({ ok: true, local });
	});
});

describe("a bus that throws at the reply", () => {
	const bus = () => {
		const probe = new ProbeBus();
		let refused = 0;
		const facade: Bus = {
			emit(topic) {
				if (topic !== REPLIES) return;
				refused += 1;
				throw new Error("stale");
			},
			on: (topic, handler) => probe.on(topic, handler),
		};
		return { probe, facade, refused: () => refused };
	};

	it("reaches nobody: neither the requester nor the process", async () => {
		const { probe, facade, refused } = bus();
		started({ bus: facade });
		expect(() => probe.emit(PEER_CONTEXT_TOPIC, contextRequest("r"))).not.toThrow();
		await settle();
		expect(refused()).toBe(1);
	});

	it("reaches nobody when the request was invalid either", () => {
		const { probe, facade, refused } = bus();
		started({ bus: facade });
		expect(() => probe.emit(PEER_CONTEXT_TOPIC, { requestId: "r" })).not.toThrow();
		expect(refused()).toBe(1);
	});

	it("at the start is told to whoever starts, and nothing is held", () => {
		const stale: Bus = {
			emit() {},
			on() {
				throw new Error("stale");
			},
		};
		expect(() => started({ bus: stale })).toThrow("stale");
	});
});
