/** What a caller on the bus sees of the peer-context responder: answers, refusals, once-only ids. */
import { createEventBus } from "@earendil-works/pi-coding-agent";
import { describe, expect, it, vi } from "vitest";
import { PeerContextError, type PeerContextErrorCode } from "../../lib/contract/errors.ts";
import { rpcOutcomes } from "../../lib/contract/outcomes.ts";
import { requestRpc } from "../../lib/contract/request-rpc.ts";
import { PEER_CONTEXT_TOPIC, type RpcRequest } from "../../lib/contract/topics.ts";
import type { ReadPeerContext } from "../../lib/rpc/peer-context-responder.ts";
import { context, contextRequest, foreign, local, ProbeBus } from "../contract/probe-bus.ts";
import { HeldRead, REPLIES, settle, started, unreadable } from "./peer-context-setting.ts";

describe("an addressed request", () => {
	it("is answered with the context, and each answer carries version, id and incarnation", async () => {
		for (const bus of [createEventBus(), new ProbeBus()]) {
			started({ bus });
			const reply = await requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"));
			expect(reply).toEqual({ version: 1, requestId: "r", local, ok: true, context });
		}
	});

	it("hands session, view and count over as they are, right or wrong", async () => {
		const bus = new ProbeBus();
		const read = vi.fn<ReadPeerContext>(async () => {
			throw new PeerContextError("unauthorized");
		});
		started({ bus, read });
		const wrong = { ...contextRequest("r"), sessionId: 7, view: "everything", maxMessages: -1 };
		const reply = await requestRpc(bus, PEER_CONTEXT_TOPIC, wrong as unknown as RpcRequest<typeof PEER_CONTEXT_TOPIC>);
		expect(read.mock.calls[0]?.[0]).toEqual({ sessionId: 7, view: "everything", maxMessages: -1 });
		expect(reply).toMatchObject({ ok: false, code: "unauthorized" });
	});

	const codes: [PeerContextErrorCode, string, boolean][] = [
		["unauthorized", "refused", false],
		["unavailable", "refused", true],
		["cancelled", "refused", false],
	];
	it.each(codes)("that ends as %s is refused with its state, advice and sentence", async (code, state, retryable) => {
		const bus = new ProbeBus();
		started({
			bus,
			read: async () => {
				throw new PeerContextError(code);
			},
		});
		const reply = await requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"));
		const { next, message } = rpcOutcomes[code];
		expect(reply).toEqual({
			version: 1,
			requestId: "r",
			local,
			ok: false,
			code,
			state,
			retryable,
			next,
			error: message,
		});
	});

	const unexpected: [string, ReadPeerContext][] = [
		["rejects", async () => Promise.reject(new Error("/home/somebody/secret"))],
		[
			"throws at once",
			() => {
				throw new Error("/home/somebody/secret");
			},
		],
		["rejects with no error", async () => Promise.reject(undefined)],
		["rejects with a hostile object", async () => Promise.reject(unreadable())],
	];
	it.each(unexpected)("whose read %s is unavailable, without the reason", async (_name, read) => {
		const bus = new ProbeBus();
		started({ bus, read });
		const reply = await requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"));
		expect(reply).toMatchObject({ ok: false, code: "unavailable" });
		expect(JSON.stringify(reply)).not.toContain("secret");
	});
});

describe("once only:", () => {
	it("a duplicate in flight and one after the answer get no second reply and no second read", async () => {
		const bus = new ProbeBus();
		const held = new HeldRead();
		started({ bus, read: held.read });
		bus.emit(PEER_CONTEXT_TOPIC, contextRequest("r"));
		bus.emit(PEER_CONTEXT_TOPIC, contextRequest("r"));
		held.succeed();
		await settle();
		bus.emit(PEER_CONTEXT_TOPIC, contextRequest("r"));
		await settle();
		expect(bus.dataOn(REPLIES)).toHaveLength(1);
		expect(held.signals).toHaveLength(1);
	});

	it("an invalid request with a usable id uses it up", async () => {
		const bus = new ProbeBus();
		const responder = started({ bus, capacity: 4 });
		bus.emit(PEER_CONTEXT_TOPIC, { ...contextRequest("r"), version: 2 });
		bus.emit(PEER_CONTEXT_TOPIC, contextRequest("r"));
		await settle();
		expect(bus.dataOn(REPLIES)).toMatchObject([{ ok: false, code: "invalid_request", local }]);
		expect(responder.remaining).toBe(3);
	});

	it("a full ledger reads nothing and answers nothing, not even invalid requests", async () => {
		const bus = new ProbeBus();
		const read = vi.fn<ReadPeerContext>(async () => context);
		started({ bus, capacity: 1, read });
		await requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("first"));
		const before = bus.emitted.length;
		bus.emit(PEER_CONTEXT_TOPIC, contextRequest("second"));
		bus.emit(PEER_CONTEXT_TOPIC, { requestId: "third" });
		await settle();
		expect(bus.emitted.length - before).toBe(2);
		expect(read).toHaveBeenCalledOnce();
		const call = requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("fourth"), 1);
		await expect(call).rejects.toMatchObject({ code: "receipt_unknown" });
	});
});

describe("a wrong envelope", () => {
	const fail = (): never => {
		throw new Error("trap");
	};
	const cyclic: Record<string, unknown> = { ...contextRequest("r"), version: 0 };
	cyclic.self = cyclic;
	const addressable: [string, unknown][] = [
		["of another version", { ...contextRequest("r"), version: "1" }],
		["to another incarnation", { ...contextRequest("r"), local: foreign }],
		[
			"to the same session's earlier incarnation",
			{ ...contextRequest("r"), local: { ...local, instanceId: "c".repeat(32) } },
		],
		["to nobody", { version: 1, requestId: "r", sessionId: "peer" }],
		["to a list", { ...contextRequest("r"), local: [local] }],
		["with a local that throws", Object.defineProperty(contextRequest("r"), "local", { get: fail })],
		["with a version that throws", Object.defineProperty(contextRequest("r"), "version", { get: fail })],
		["that is a cycle", cyclic],
		["with a revoked proxy as local", { ...contextRequest("r"), local: unreadable() }],
	];
	it.each(addressable)("%s is refused as an invalid request", async (_name, request) => {
		const bus = new ProbeBus();
		const read = vi.fn<ReadPeerContext>(async () => context);
		started({ bus, read });
		expect(() => bus.emit(PEER_CONTEXT_TOPIC, request)).not.toThrow();
		await settle();
		expect(bus.dataOn(REPLIES)).toMatchObject([
			{ version: 1, requestId: "r", local, ok: false, code: "invalid_request" },
		]);
		expect(read).not.toHaveBeenCalled();
	});

	const unanswerable: [string, unknown][] = [
		["nothing", undefined],
		["null", null],
		["a text", "r"],
		["a function", () => {}],
		["an object without an id", {}],
		["an id that is no text", { ...contextRequest("r"), requestId: 7 }],
		["an id with a colon", { ...contextRequest("r"), requestId: "a:b" }],
		["an id that throws", Object.defineProperty(contextRequest("r"), "requestId", { get: fail })],
		["a revoked proxy", unreadable()],
		["a proxy that throws at everything", new Proxy({}, { get: fail, has: fail, ownKeys: fail })],
	];
	it.each(unanswerable)("without a usable id gets no reply and costs no budget: %s", async (_name, request) => {
		const bus = new ProbeBus();
		const responder = started({ bus });
		expect(() => bus.emit(PEER_CONTEXT_TOPIC, request)).not.toThrow();
		await settle();
		expect(bus.emitted).toHaveLength(1);
		expect(responder.remaining).toBe(256);
	});

	it("is not made by an argument that throws: that is a wrong argument", async () => {
		const bus = new ProbeBus();
		const read = vi.fn<ReadPeerContext>(async () => {
			throw new PeerContextError("unauthorized");
		});
		started({ bus, read });
		bus.emit(PEER_CONTEXT_TOPIC, Object.defineProperty(contextRequest("r"), "view", { get: fail }));
		await settle();
		expect(read.mock.calls[0]?.[0].sessionId).toBeUndefined();
		expect(bus.dataOn(REPLIES)).toMatchObject([{ code: "unauthorized" }]);
	});
});
