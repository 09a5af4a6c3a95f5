/** What a caller of `requestRpc` gets, and what it sends. */
import { createEventBus } from "@earendil-works/pi-coding-agent";
import { describe, expect, it } from "vitest";
import { createBus } from "../../lib/contract/bus.ts";
import { requestRpc } from "../../lib/contract/request-rpc.ts";
import { INFO_TOPIC, PEER_CONTEXT_TOPIC, replyTopic } from "../../lib/contract/topics.ts";
import { answerWith, context, contextReply, contextRequest, local, ProbeBus, refusal } from "./probe-bus.ts";

const infoReply = {
	version: 1,
	requestId: "r",
	ok: true,
	local,
	capability: "cancel-safe-queue-v1",
	stopped: false,
	remainingBudget: 256,
	remainingRpcRequests: 256,
	states: [{ messageId: "m", source: "s", state: "queued", updatedAt: 1 }],
};

describe("a request", () => {
	it("is emitted only after its reply topic is listened to", async () => {
		const bus = new ProbeBus();
		const listening: number[] = [];
		bus.on(PEER_CONTEXT_TOPIC, () => listening.push(bus.listeners(replyTopic(PEER_CONTEXT_TOPIC, "r"))));
		answerWith(bus, contextReply);
		await requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"));
		expect(listening).toEqual([1]);
	});

	it("arrives with every field that the caller gave, unknown ones and unfit arguments too", async () => {
		const bus = new ProbeBus();
		answerWith(bus, contextReply);
		const request = { ...contextRequest("r"), maxMessages: 99, extra: "kept" };
		await requestRpc(bus, PEER_CONTEXT_TOPIC, request);
		expect(bus.dataOn(PEER_CONTEXT_TOPIC)).toEqual([request]);
	});

	it("is emitted as a copy of which each field was read once", async () => {
		const bus = new ProbeBus();
		answerWith(bus, contextReply);
		let reads = 0;
		const request = {
			...contextRequest("r"),
			get requestId() {
				reads += 1;
				return `r${reads}`;
			},
		};
		const reply = await requestRpc(bus, PEER_CONTEXT_TOPIC, request);
		expect(reply.requestId).toBe("r1");
		expect(reads).toBe(1);
	});
});

describe("a reply", () => {
	it("resolves with the peer context, on pi's bus and on ours", async () => {
		for (const bus of [createEventBus(), createBus(), new ProbeBus()]) {
			answerWith(bus, contextReply);
			const reply = await requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"));
			expect(reply).toEqual(contextReply("r"));
		}
	});

	it("may come long after the emit", async () => {
		const bus = new ProbeBus();
		const reply = requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"));
		await Promise.resolve();
		bus.emit(replyTopic(PEER_CONTEXT_TOPIC, "r"), contextReply("r"));
		await expect(reply).resolves.toMatchObject({ ok: true });
	});

	it("may be a refusal by the incarnation that was asked, with a code that nobody knows", async () => {
		const bus = new ProbeBus();
		answerWith(bus, (id) => refusal(id, { code: "on_holiday", state: "away" }), contextReply);
		const reply = await requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"));
		expect(reply).toMatchObject({ ok: false, code: "on_holiday", state: "away" });
	});

	it("keeps keys that the contract does not know", async () => {
		const bus = new ProbeBus();
		answerWith(bus, (id) => contextReply(id, { context: { ...context, mood: "calm" }, note: 7 }));
		const reply = await requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"));
		expect(reply).toMatchObject({ note: 7, context: { mood: "calm" } });
	});

	it("may lack what only this package tells", async () => {
		const bus = new ProbeBus();
		const { withheldMessages: _, ...retention } = context.conversation?.retention ?? {};
		const plain = {
			...context,
			capture: { throughSeq: null, time: 1 },
			conversation: {
				messages: [{ seq: 1, time: 1, role: "user", checkpoint: false, text: "", omittedBytes: 0 }],
				retention,
			},
		};
		answerWith(bus, (id) => contextReply(id, { context: plain }));
		const reply = await requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"));
		expect(reply).toMatchObject({ ok: true, context: plain });
	});

	it("does not change when the responder changes its own object later", async () => {
		const bus = new ProbeBus();
		const sent = structuredClone(contextReply("r")) as { context: { target: { title: string } } };
		answerWith(bus, () => sent);
		const reply = await requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"));
		sent.context.target.title = "changed";
		expect(reply).toEqual(contextReply("r"));
	});

	it("to info may come without the count that only this package has, or with nobody at home", async () => {
		for (const reply of [infoReply, { ...infoReply, local: null, remainingContextRequests: 3 }]) {
			const bus = new ProbeBus();
			bus.on(INFO_TOPIC, () => bus.emit(replyTopic(INFO_TOPIC, "r"), reply));
			await expect(requestRpc(bus, INFO_TOPIC, { version: 1, requestId: "r" })).resolves.toEqual(reply);
		}
	});
});

describe("what is no reply is passed over, and the next one that fits wins:", () => {
	const fail = (): never => {
		throw new Error("trap");
	};
	const throwing = (name: string) => Object.defineProperty(contextReply("r"), name, { enumerable: true, get: fail });
	const revoked = () => {
		const { proxy, revoke } = Proxy.revocable({}, {});
		revoke();
		return proxy;
	};
	let reads = 0;
	const changing = {
		...contextReply("r"),
		get requestId() {
			reads += 1;
			return reads === 1 ? "r" : "another";
		},
	};
	const table: [string, () => unknown][] = [
		["nothing", () => undefined],
		["null", () => null],
		["a string", () => "ok"],
		["an array", () => [contextReply("r")]],
		["another version", () => contextReply("r", { version: 2 })],
		["another request's id", () => contextReply("other")],
		["no local", () => contextReply("r", { local: undefined })],
		["an answer without a context", () => contextReply("r", { context: undefined })],
		["a context of another schema", () => contextReply("r", { context: { ...context, schemaVersion: 2 } })],
		["a refusal without a code", () => refusal("r", { code: undefined })],
		["neither yes nor no", () => contextReply("r", { ok: "yes" })],
		["a getter that throws at the version", () => throwing("version")],
		["a getter that throws at the context", () => throwing("context")],
		["a revoked proxy", revoked],
		["a proxy that throws when its keys are listed", () => new Proxy(contextReply("r"), { ownKeys: fail })],
		["an id that changes between two looks", () => changing],
		// biome-ignore lint/suspicious/noThenProperty: such a reply is what this row is about
		["something that a promise would wait for", () => contextReply("r", { then: fail })],
	];

	it.each(table)("%s", async (_name, malformed) => {
		const bus = new ProbeBus();
		answerWith(bus, malformed, (id) => contextReply(id, { mark: "well-formed" }));
		const reply = await requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"));
		expect(reply).toMatchObject({ mark: "well-formed" });
	});
});
