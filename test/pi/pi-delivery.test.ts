/** When a message may be handed to pi, as a table of what pi did last. */
import { describe, expect, test } from "vitest";
import type { IncomingMessage } from "../../lib/inbox/inbox.ts";
import { peerPaths } from "../../lib/peers/paths.ts";
import { type ActivityEvent, PiDelivery } from "../../lib/pi/pi-delivery.ts";
import { registrationFor } from "../peers/temporary-peers.ts";

class Setting {
	idle = true;
	now = 0;
	fails = false;
	readonly handed: unknown[] = [];
	readonly delivery = new PiDelivery({
		isIdle: () => this.idle,
		now: () => this.now,
		sendMessage: (message, how) => {
			if (this.fails) throw new Error("stale");
			this.handed.push([message.content, how]);
		},
	});

	deliver(text: string, mode: IncomingMessage["mode"] = "accept"): string {
		const sender = registrationFor(peerPaths("/agent"));
		const message = { messageId: "m", text, summary: "s", sentAt: 0, expiresAt: 1, sender, capabilities: [], mode };
		return this.delivery.refusal() ?? this.delivery.deliver(message);
	}
}

const turn = { triggerTurn: true, deliverAs: "steer" };

test("an idle session gets the message, and it starts a turn", () => {
	const setting = new Setting();
	expect(setting.deliver("hello")).toBe("submitted");
	expect(setting.handed).toEqual([[expect.stringMatching(/hello$/), turn]]);
});

test("a message that is only to be shown starts none, and holds up no other", () => {
	const setting = new Setting();
	expect([setting.deliver("one", "show"), setting.deliver("two", "show")]).toEqual(["submitted", "submitted"]);
	expect(setting.handed.map((handed) => (handed as unknown[])[1])).toEqual(Array(2).fill({ triggerTurn: false }));
});

describe("free or busy, by what pi says and by what it did last", () => {
	const rows: [events: ActivityEvent[], idle: boolean, free: boolean][] = [
		[[], true, true],
		[[], false, false],
		[["session_before_compact"], true, false],
		[["session_before_compact", "session_compact"], true, true],
		[["session_before_compact", "session_compact_failed"], true, true],
		[["session_before_compact", "agent_start"], true, true],
		[["session_before_compact", "agent_settled"], true, false],
		[["agent_start"], false, false],
		[["agent_start", "agent_settled"], true, true],
	];

	test.each(rows)("%j, idle: %s", (events, idle, free) => {
		const setting = new Setting();
		setting.idle = idle;
		for (const event of events) setting.delivery.observe(event);
		expect(setting.delivery.isFree).toBe(free);
		expect(setting.delivery.refusal()).toBe(free ? null : "busy");
		expect(setting.handed).toEqual([]);
	});
});

describe("after a message was handed over", () => {
	test("the next is refused until its turn has started, also when pi calls itself idle for a moment", () => {
		const setting = new Setting();
		setting.deliver("one");
		expect(setting.deliver("two")).toBe("busy");
		setting.delivery.observe("agent_start");
		setting.delivery.observe("agent_settled");
		expect(setting.deliver("three")).toBe("submitted");
		expect(setting.handed).toHaveLength(2);
	});

	test("a turn that never starts holds up others for five seconds, no longer", () => {
		const setting = new Setting();
		setting.deliver("one");
		setting.now = 4999;
		expect(setting.deliver("two")).toBe("busy");
		setting.now = 5000;
		expect(setting.deliver("three")).toBe("submitted");
	});

	test("in vain, the failure is the caller's, and the next may try", () => {
		const setting = new Setting();
		setting.fails = true;
		expect(() => setting.deliver("one")).toThrow("stale");
		setting.fails = false;
		expect(setting.deliver("two")).toBe("submitted");
	});
});
