/** `send`, `status` and `peers`: one effect and one reply for each request id, whatever happens around it. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Bus } from "../../lib/contract/bus.ts";
import { requestRpc } from "../../lib/contract/request-rpc.ts";
import { PEERS_TOPIC, replyTopic, SEND_TOPIC, STATUS_TOPIC } from "../../lib/contract/topics.ts";
import { type Messaging, startResponders } from "../../lib/rpc/responders.ts";
import { context, foreign, local, ProbeBus } from "../contract/probe-bus.ts";
import { freshPaths, openSession } from "../inbox/open-session.ts";
import { aboutPeer, hostAndPeer, messagingOf, openHost, sendRequest } from "./open-host.ts";
import { settle } from "./peer-context-setting.ts";

const repliesTo = (bus: ProbeBus, topic: string) => bus.dataOn(replyTopic(topic, "r"));

/** What every responder stands on, never coming to an end, and how often it was called. */
class HeldMessaging {
	readonly signals: AbortSignal[] = [];
	readonly messaging: Messaging = {
		messages: { send: ({ signal }) => this.#hold(signal), askState: ({ signal }) => this.#hold(signal) },
		listing: { listPeers: (signal) => this.#hold(signal), listRecent: async () => [] },
		standing: () => ({ stopped: false, remainingBudget: 1, states: [] }),
		sendRequests: 8,
	};

	#hold(signal: AbortSignal | undefined): Promise<never> {
		if (signal) this.signals.push(signal);
		return new Promise(() => {});
	}
}

function startHeld(bus: Bus) {
	const held = new HeldMessaging();
	const { messaging } = held;
	const stop = startResponders({ bus, local, readPeerContext: async () => context, contextRequests: 1, messaging });
	return { held, stop };
}

/** A request that fits each topic. */
const requests = { [SEND_TOPIC]: sendRequest, [STATUS_TOPIC]: aboutPeer, [PEERS_TOPIC]: aboutPeer } as const;
const topics = [SEND_TOPIC, STATUS_TOPIC, PEERS_TOPIC] as const;

describe("a duplicate", () => {
	it("in flight and after the answer sends nothing and is not answered", async () => {
		const { bus, host, local, peer, remoteInstanceId } = await hostAndPeer();
		const request = sendRequest(local, remoteInstanceId);
		const reply = requestRpc(bus, SEND_TOPIC, request);
		bus.emit(SEND_TOPIC, request);
		bus.emit(SEND_TOPIC, { ...request, messageId: "another", text: "Another text." });
		await expect(reply).resolves.toMatchObject({ ok: true });
		bus.emit(SEND_TOPIC, { ...request, messageId: "a-third" });
		await settle();
		expect(repliesTo(bus, SEND_TOPIC)).toHaveLength(1);
		expect(peer.delivery.delivered).toHaveLength(1);
		expect(host.presence.budget.remaining).toBe(255);
	});

	it.each(topics)("of an invalid request is not acted on, on %s", async (topic) => {
		const bus = new ProbeBus();
		const { held, stop } = startHeld(bus);
		bus.emit(topic, { ...requests[topic](foreign, "b".repeat(32)) });
		bus.emit(topic, requests[topic](local, "b".repeat(32)));
		await settle();
		expect(repliesTo(bus, topic)).toMatchObject([{ code: "invalid_request" }]);
		expect(held.signals).toEqual([]);
		stop();
	});

	it("on another topic is none", async () => {
		const { bus, local, remoteInstanceId } = await hostAndPeer();
		await requestRpc(bus, SEND_TOPIC, sendRequest(local, remoteInstanceId));
		await expect(requestRpc(bus, STATUS_TOPIC, aboutPeer(local, remoteInstanceId))).resolves.toMatchObject({
			ok: true,
		});
	});
});

it.each(topics)("a full ledger does nothing and answers nothing on %s", async (topic) => {
	const bus = new ProbeBus();
	const { held, stop } = startHeld(bus);
	for (let index = 0; index < 8; index += 1) bus.emit(topic, { requestId: `spent-${index}` });
	const before = bus.emitted.length;
	bus.emit(topic, requests[topic](local, "b".repeat(32)));
	bus.emit(topic, { requestId: "r" });
	await settle();
	expect(bus.emitted.length - before).toBe(2);
	expect(held.signals).toEqual([]);
	stop();
});

describe("the end of an incarnation", () => {
	it.each(topics)("answers what is in flight on %s, aborts it and leaves no listener", async (topic) => {
		const bus = new ProbeBus();
		const { held, stop } = startHeld(bus);
		const request = requests[topic](local, "b".repeat(32));
		bus.emit(topic, request);
		stop();
		stop();
		expect(repliesTo(bus, topic)).toMatchObject([
			{ ok: false, code: "receipt_unknown", state: "receipt_unknown", retryable: false },
		]);
		expect(held.signals.map((signal) => signal.aborted)).toEqual([true]);
		expect(bus.listeners()).toBe(0);
		bus.emit(topic, { ...request, requestId: "r2" });
		expect(bus.dataOn(replyTopic(topic, "r2"))).toEqual([]);
	});

	it("says which message is unknown, and ends the exchange with the peer", async () => {
		const { bus, host, local, peer, remoteInstanceId } = await hostAndPeer();
		const arrived = Promise.withResolvers<void>();
		const released = Promise.withResolvers<"submitted">();
		peer.delivery.decide = () => {
			arrived.resolve();
			return released.promise;
		};
		const request = sendRequest(local, remoteInstanceId);
		const reply = requestRpc(bus, SEND_TOPIC, request);
		await arrived.promise;
		host.stop();
		const { messageId } = request;
		await expect(reply).resolves.toMatchObject({ ok: false, code: "receipt_unknown", messageId, remoteInstanceId });
		released.resolve("submitted");
		const { states } = peer.presence.inbox;
		await expect.poll(() => states.get(host.presence.instanceId, messageId)).toBe("submitted");
		expect(repliesTo(bus, SEND_TOPIC)).toHaveLength(1);
	});

	it("makes way for a new one that refuses what was meant for the old", async () => {
		const { paths, bus, host, local, peer, remoteInstanceId } = await hostAndPeer();
		host.stop();
		await host.lifecycle.stop();
		const reloaded = await openHost(paths, { bus, sessionId: local.sessionId });
		const stale = await requestRpc(bus, SEND_TOPIC, sendRequest(local, remoteInstanceId, "r1"), 50);
		expect(stale).toMatchObject({ ok: false, code: "invalid_request", local: reloaded.local });
		const fresh = await requestRpc(bus, SEND_TOPIC, sendRequest(reloaded.local, remoteInstanceId, "r2"));
		expect(fresh).toMatchObject({ ok: true });
		expect(peer.delivery.delivered).toHaveLength(1);
	});
});

describe("the deadline of 4.5 s", () => {
	beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
	afterEach(() => void vi.useRealTimers());

	it.each([
		[SEND_TOPIC, "receipt_unknown", false],
		[STATUS_TOPIC, "unavailable", true],
		[PEERS_TOPIC, "unavailable", true],
	] as const)("on %s ends as %s before the caller gives up", async (topic, code, retryable) => {
		const bus = new ProbeBus();
		const { held, stop } = startHeld(bus);
		bus.emit(topic, requests[topic](local, "b".repeat(32)));
		await vi.advanceTimersByTimeAsync(4499);
		expect(repliesTo(bus, topic)).toEqual([]);
		await vi.advanceTimersByTimeAsync(1);
		expect(repliesTo(bus, topic)).toMatchObject([{ ok: false, code, retryable }]);
		expect(held.signals.map((signal) => signal.aborted)).toEqual([true]);
		expect(vi.getTimerCount()).toBe(0);
		stop();
	});
});

describe("two responders on one bus", () => {
	/** Another implementation that refuses whatever it is asked, at once. */
	function refuseAll(bus: Bus): void {
		bus.on(SEND_TOPIC, (data) => {
			const { requestId } = data as { requestId: string };
			const no = { ok: false, code: "wrong_address", state: "refused", retryable: false, next: "" };
			bus.emit(replyTopic(SEND_TOPIC, requestId), { version: 1, requestId, local: foreign, ...no });
		});
	}

	it.each(["before", "after"])(
		"the one that was asked answers, and it alone sends: another stands %s it",
		async (place) => {
			const paths = await freshPaths();
			const bus = new ProbeBus();
			const first = await openHost(paths, { bus });
			if (place === "after") refuseAll(bus);
			const second = await openHost(paths, { bus });
			const peer = await openSession(paths);
			const asked = place === "before" ? second : first;
			const request = sendRequest(asked.local, peer.presence.instanceId);
			const reply = await requestRpc(bus, SEND_TOPIC, request);
			expect(reply).toMatchObject({ ok: true, local: asked.local });
			expect(peer.delivery.delivered).toHaveLength(1);
			expect(peer.delivery.delivered[0]?.sender.instanceId).toBe(asked.local.instanceId);
		},
	);
});

describe("the start", () => {
	it("that the bus ends half-way leaves no listener", async () => {
		const session = await openSession(await freshPaths());
		for (const failing of [...topics, "cross-session:rpc:info"]) {
			const probe = new ProbeBus();
			const bus: Bus = {
				emit: (topic, data) => probe.emit(topic, data),
				on(topic, handler) {
					if (topic === failing) throw new Error("stale");
					return probe.on(topic, handler);
				},
			};
			const messaging = messagingOf(session);
			const options = { bus, local, readPeerContext: async () => context, contextRequests: 1, messaging };
			expect(() => startResponders(options)).toThrow("stale");
			expect(probe.listeners()).toBe(0);
		}
	});

	it("without a place among the peers answers only what needs none", async () => {
		const bus = new ProbeBus();
		const stop = startResponders({ bus, local, readPeerContext: async () => context, contextRequests: 7 });
		for (const topic of topics) {
			bus.emit(topic, requests[topic](local, "b".repeat(32)));
			expect(repliesTo(bus, topic)).toEqual([]);
		}
		bus.emit("cross-session:rpc:info", { version: 1, requestId: "r" });
		expect(repliesTo(bus, "cross-session:rpc:info")).toMatchObject([
			{ ok: true, stopped: false, remainingBudget: 0, remainingRpcRequests: 0, remainingContextRequests: 7 },
		]);
		stop();
	});
});
