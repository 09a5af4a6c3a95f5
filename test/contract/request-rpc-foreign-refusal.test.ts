/** A refusal by another incarnation than the one asked: kept, and returned only when nothing better comes in time. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { requestRpc } from "../../lib/contract/request-rpc.ts";
import { INFO_TOPIC, PEER_CONTEXT_TOPIC, replyTopic } from "../../lib/contract/topics.ts";
import { answerWith, contextReply, contextRequest, foreign, local, ProbeBus, refusal } from "./probe-bus.ts";

const foreignRefusal = (id: string) => refusal(id, { local: foreign, code: "invalid_request" });

describe("a refusal by another incarnation", () => {
	beforeEach(() => void vi.useFakeTimers());
	afterEach(() => void vi.useRealTimers());

	it("gives way to an answer that comes later", async () => {
		const bus = new ProbeBus();
		answerWith(bus, foreignRefusal, contextReply);
		await expect(requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"))).resolves.toMatchObject({ ok: true });
		expect(vi.getTimerCount()).toBe(0);
	});

	it("gives way to a refusal by the right incarnation", async () => {
		const bus = new ProbeBus();
		answerWith(bus, foreignRefusal, refusal);
		const reply = await requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"));
		expect(reply).toMatchObject({ code: "unavailable", local });
	});

	it("is returned at the timeout and not before, the first of several", async () => {
		const bus = new ProbeBus();
		answerWith(bus, foreignRefusal, (id) => refusal(id, { local: foreign, code: "second" }));
		const settled = vi.fn();
		const reply = requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"), 1000);
		void reply.then(settled);
		await vi.advanceTimersByTimeAsync(999);
		expect(settled).not.toHaveBeenCalled();
		await vi.advanceTimersByTimeAsync(1);
		await expect(reply).resolves.toMatchObject({ ok: false, code: "invalid_request", local: foreign });
		expect(bus.listeners(replyTopic(PEER_CONTEXT_TOPIC, "r"))).toBe(0);
	});

	it("counts as one when only the session or only the instance is another", async () => {
		for (const other of [
			{ ...local, sessionId: "x" },
			{ ...local, instanceId: "x" },
		]) {
			const bus = new ProbeBus();
			answerWith(bus, (id) => refusal(id, { local: other }), contextReply);
			await expect(requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"))).resolves.toMatchObject({ ok: true });
		}
	});

	it("is not returned to a caller that gave up", async () => {
		const bus = new ProbeBus();
		const controller = new AbortController();
		answerWith(bus, foreignRefusal);
		const reply = requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"), 1000, controller.signal);
		controller.abort();
		await expect(reply).rejects.toMatchObject({ code: "receipt_unknown" });
		expect(vi.getTimerCount()).toBe(0);
	});

	it("can't exist for info, which asks no incarnation by name: the first refusal ends the wait", async () => {
		const bus = new ProbeBus();
		bus.on(INFO_TOPIC, () => bus.emit(replyTopic(INFO_TOPIC, "r"), refusal("r", { local: null })));
		const reply = requestRpc(bus, INFO_TOPIC, { version: 1, requestId: "r" });
		await expect(reply).resolves.toMatchObject({ ok: false, local: null });
	});
});

it("an answer wins whichever incarnation gives it", async () => {
	const bus = new ProbeBus();
	answerWith(bus, (id) => contextReply(id, { local: foreign }), contextReply);
	const reply = await requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest("r"));
	expect(reply.local).toEqual(foreign);
});
