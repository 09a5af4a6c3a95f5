/** What a caller on the bus sees of the info responder. */
import { expect, it, vi } from "vitest";
import type { Bus } from "../../lib/contract/bus.ts";
import { requestRpc } from "../../lib/contract/request-rpc.ts";
import { INFO_TOPIC, replyTopic } from "../../lib/contract/topics.ts";
import { InfoResponder, type InfoSnapshot } from "../../lib/rpc/info-responder.ts";
import { local, ProbeBus } from "../contract/probe-bus.ts";

const REPLIES = replyTopic(INFO_TOPIC, "r");
const query = { version: 1, requestId: "r" } as const;

const snapshot: InfoSnapshot = {
	local,
	stopped: false,
	remainingBudget: 200,
	remainingRpcRequests: 255,
	remainingContextRequests: 254,
	states: [{ messageId: "m", source: "b".repeat(32), state: "queued", updatedAt: 1 }],
};

function started(bus: Bus, readSnapshot: () => InfoSnapshot = () => snapshot): InfoResponder {
	const responder = new InfoResponder({ bus, readSnapshot });
	responder.start();
	return responder;
}

it("a query is answered during its emit, with the snapshot and the capability", () => {
	const bus = new ProbeBus();
	started(bus);
	bus.emit(INFO_TOPIC, query);
	expect(bus.dataOn(REPLIES)).toEqual([
		{ version: 1, requestId: "r", ok: true, capability: "cancel-safe-queue-v1", ...snapshot },
	]);
});

it("the answer is a reply to requestRpc, also while no incarnation is up", async () => {
	for (const own of [local, null]) {
		const bus = new ProbeBus();
		started(bus, () => ({ ...snapshot, local: own, states: [] }));
		await expect(requestRpc(bus, INFO_TOPIC, query)).resolves.toMatchObject({ ok: true, local: own });
	}
});

it("asking costs nothing: a thousand queries are a thousand answers, the same id again too", () => {
	const bus = new ProbeBus();
	const read = vi.fn(() => snapshot);
	started(bus, read);
	for (let count = 0; count < 1000; count += 1) bus.emit(INFO_TOPIC, query);
	expect(bus.dataOn(REPLIES)).toHaveLength(1000);
	expect(read).toHaveBeenCalledTimes(1000);
});

it("a query of another version is refused", () => {
	const bus = new ProbeBus();
	started(bus);
	bus.emit(INFO_TOPIC, { ...query, version: 2 });
	expect(bus.dataOn(REPLIES)).toMatchObject([
		{ version: 1, requestId: "r", local, ok: false, code: "invalid_request" },
	]);
});

it.each([undefined, null, 7, {}, { version: 1, requestId: "a:b" }, throwing()])(
	"a query without a usable id gets no reply and throws nothing: %#",
	(data) => {
		const bus = new ProbeBus();
		started(bus);
		expect(() => bus.emit(INFO_TOPIC, data)).not.toThrow();
		expect(bus.emitted).toHaveLength(1);
	},
);

it("a snapshot that fails is unavailable, without the reason", () => {
	const bus = new ProbeBus();
	started(bus, () => {
		throw new Error("secret");
	});
	expect(() => bus.emit(INFO_TOPIC, query)).not.toThrow();
	expect(bus.dataOn(REPLIES)).toMatchObject([{ ok: false, code: "unavailable", local: null }]);
	expect(JSON.stringify(bus.emitted)).not.toContain("secret");
});

it("a bus that throws at the reply breaks nothing", () => {
	const bus = new ProbeBus();
	const emit = vi.fn(() => {
		throw new Error("stale");
	});
	started({ emit, on: (topic, handler) => bus.on(topic, handler) });
	expect(() => bus.emit(INFO_TOPIC, query)).not.toThrow();
	expect(emit).toHaveBeenCalledOnce();
});

it("after its stop nobody answers and no listener is left, even where the bus can't unsubscribe", () => {
	const bus = new ProbeBus();
	const responder = started(bus);
	responder.stop();
	responder.stop();
	responder.start();
	expect(bus.listeners()).toBe(0);

	const sticky = started({
		emit: (topic, data) => bus.emit(topic, data),
		on(topic, handler) {
			bus.on(topic, handler);
			return () => {
				throw new Error("stale");
			};
		},
	});
	expect(() => sticky.stop()).not.toThrow();
	bus.emit(INFO_TOPIC, query);
	expect(bus.dataOn(REPLIES)).toEqual([]);
});

function throwing(): object {
	return {
		get requestId() {
			throw new Error("getter");
		},
	};
}
