/** From an authenticated frame to a receipt and a state. */
import { describe, expect, it } from "vitest";
import type { MessageOutcomeCode, MessageState } from "../../lib/contract/message-outcomes.ts";
import { SharedBudget } from "../../lib/inbox/budget.ts";
import { type InboundMode, Inbox } from "../../lib/inbox/inbox.ts";
import { peerPaths } from "../../lib/peers/paths.ts";
import type { Registration } from "../../lib/peers/registration.ts";
import type { MessageFrame } from "../../lib/wire/frames.ts";
import { ManualClock } from "../peers/manual-clock.ts";
import { registrationFor } from "../peers/temporary-peers.ts";
import { RecordingDelivery } from "./open-session.ts";

const paths = peerPaths("/nowhere");

function prepare(mode: InboundMode = "accept") {
	const clock = new ManualClock();
	const budget = new SharedBudget();
	const delivery = new RecordingDelivery();
	const local = registrationFor(paths);
	const inbox = new Inbox({ instanceId: local.instanceId, clock, budget, delivery, mode });
	const ada = registrationFor(paths, { name: "ada" });
	let count = 0;
	const take = (changes: Partial<MessageFrame> = {}, registration: Registration = ada) => {
		const number = ++count;
		const head = { v: 1, type: "message", requestId: `r${number}`, messageId: `m${number}` } as const;
		const frame = { ...head, text: `text ${number}`, summary: "text", sentAt: clock.now(), ...changes };
		return inbox.take(frame, { registration, capabilities: ["cancel-safe-queue-v1"] });
	};
	const stateOf = (messageId: string, registration: Registration = ada) =>
		inbox.stateOf(messageId, { registration, capabilities: [] });
	return { clock, budget, delivery, inbox, local, ada, take, stateOf };
}

describe("a message", () => {
	it("reaches the delivery with its authenticated sender and the moment it expires", async () => {
		const { delivery, ada, clock, take } = prepare();
		expect(await take({ sentAt: clock.now() - 1_000 })).toBe("submitted");
		expect(delivery.delivered).toEqual([
			{
				messageId: "m1",
				text: "text 1",
				summary: "text",
				sentAt: clock.now() - 1_000,
				expiresAt: clock.now() + 29_000,
				sender: ada,
				capabilities: ["cancel-safe-queue-v1"],
				mode: "accept",
			},
		]);
		expect(Object.isFrozen(delivery.delivered[0])).toBe(true);
	});

	it.each<[MessageOutcomeCode, MessageState]>([
		["submitted", "submitted"],
		["queued", "queued"],
		["accepted", "accepted"],
		["busy", "dropped"],
		["queue_full", "dropped"],
		["no_handler", "dropped"],
		["stopped", "dropped_cancelled"],
		["not_ready", "dropped_shutdown"],
		["expired", "expired"],
		["injection_failed", "injection_failed"],
	])("whose delivery says %s is remembered as %s", async (code, state) => {
		const { delivery, take, stateOf } = prepare();
		delivery.decide = () => code;
		expect(await take()).toBe(code);
		expect(stateOf("m1")).toBe(state);
	});

	it("whose delivery throws is injection_failed, and the next one is not", async () => {
		const { delivery, take, stateOf } = prepare();
		delivery.decide = () => Promise.reject(new Error("stale"));
		expect(await take()).toBe("injection_failed");
		expect(stateOf("m1")).toBe("injection_failed");
		delivery.decide = () => "submitted";
		expect(await take()).toBe("submitted");
	});

	it("keeps the state that the delivery gave it before its receipt was made", async () => {
		const { delivery, inbox, ada, take, stateOf } = prepare();
		delivery.decide = ({ messageId }) => {
			inbox.states.set(ada.instanceId, messageId, "dropped_cancelled");
			return "queued";
		};
		expect(await take()).toBe("queued");
		expect(stateOf("m1")).toBe("dropped_cancelled");
	});

	it.each<MessageOutcomeCode>(["busy", "queue_full"])(
		"that its delivery refuses as %s was not taken: its text may come again, under a new id",
		async (code) => {
			const { budget, delivery, take } = prepare();
			delivery.decide = () => code;
			expect(await take({ messageId: "once", text: "the same" })).toBe(code);
			delivery.decide = () => "submitted";
			expect(await take({ messageId: "once", text: "the same" })).toBe("duplicate");
			expect(await take({ messageId: "anew", text: "the same" })).toBe("submitted");
			expect(await take({ messageId: "twin", text: "the same" })).toBe("duplicate");
			expect(budget.remaining).toBe(254);
		},
	);

	it.each<MessageOutcomeCode>(["submitted", "accepted", "stopped", "no_handler"])(
		"that its delivery answered with %s gives back nothing",
		async (code) => {
			const { budget, delivery, take } = prepare();
			delivery.decide = () => code;
			expect(await take({ messageId: "once", text: "the same" })).toBe(code);
			expect(await take({ messageId: "anew", text: "the same" })).toBe("duplicate");
			expect(budget.remaining).toBe(255);
		},
	);

	it("costs nothing when it is refused beforehand, and may come again", async () => {
		const { budget, delivery, take, stateOf } = prepare();
		delivery.refuseWith = "busy";
		expect(await take({ messageId: "again", text: "again" })).toBe("busy");
		expect(budget.remaining).toBe(256);
		expect(stateOf("again")).toBe("unknown");
		delivery.refuseWith = null;
		expect(await take({ messageId: "again", text: "again" })).toBe("submitted");
	});

	it("is injection_failed, and costs nothing, when even the question beforehand throws", async () => {
		const { budget, delivery, take } = prepare();
		delivery.refusal = () => {
			throw new Error("stale");
		};
		expect(await take()).toBe("injection_failed");
		expect(budget.remaining).toBe(256);
	});

	it("that is not admitted doesn't reach the delivery", async () => {
		const { delivery, clock, take } = prepare();
		expect(await take({ sentAt: clock.now() - 60_000 })).toBe("expired");
		expect(delivery.delivered).toEqual([]);
	});

	it("of the session itself is refused", async () => {
		const { local, delivery, take } = prepare();
		expect(await take({}, local)).toBe("refused");
		expect(delivery.delivered).toEqual([]);
	});

	it("that comes twice at the same time is taken once", async () => {
		const { delivery, take } = prepare();
		const both = await Promise.all([take({ messageId: "one" }), take({ messageId: "one" })]);
		expect(both).toEqual(["submitted", "duplicate"]);
		expect(delivery.delivered).toHaveLength(1);
	});
});

describe("the mode", () => {
	it("refuse takes nothing and costs nothing", async () => {
		const { budget, delivery, take } = prepare("refuse");
		expect(await take()).toBe("refused");
		expect(budget.remaining).toBe(256);
		expect(delivery.delivered).toEqual([]);
	});

	it("show is told to the delivery", async () => {
		const { delivery, take } = prepare("show");
		await take();
		expect(delivery.delivered[0]?.mode).toBe("show");
	});

	it("counts from its change on", async () => {
		const { inbox, take } = prepare();
		expect(await take()).toBe("submitted");
		inbox.setMode("refuse");
		expect(await take()).toBe("refused");
		expect(inbox.mode).toBe("refuse");
	});
});

describe("the state of a message", () => {
	it("is told to its sender only", async () => {
		const { take, stateOf } = prepare();
		await take();
		expect(stateOf("m1")).toBe("submitted");
		expect(stateOf("m1", registrationFor(paths))).toBe("unknown");
	});

	it("costs no budget", () => {
		const { budget, stateOf } = prepare();
		for (let index = 0; index < 300; index++) stateOf("m1");
		expect(budget.remaining).toBe(256);
	});
});
