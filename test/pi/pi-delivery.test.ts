/** The way of admitted messages into pi, moment by moment. */

import { getEventListeners } from "node:events";
import { type ExtensionContext, SessionManager } from "@earendil-works/pi-coding-agent";
import { describe, expect, test, vi } from "vitest";
import { CANCEL_SAFE_QUEUE } from "../../lib/contract/info.ts";
import type { IncomingMessage } from "../../lib/inbox/inbox.ts";
import { MessageStates } from "../../lib/inbox/message-states.ts";
import { peerPaths } from "../../lib/peers/paths.ts";
import { HostSession } from "../../lib/pi/host-session.ts";
import type { IncarnationOptions } from "../../lib/pi/incarnation.ts";
import { PiDelivery } from "../../lib/pi/pi-delivery.ts";
import { registrationFor } from "../peers/temporary-peers.ts";

const turn = { triggerTurn: true, deliverAs: "steer" };
const shown = { triggerTurn: false };
const lifetime = 30_000;

/** What a session asks of pi to start, which none here does. */
const unused: IncarnationOptions["pi"] = {
	appendEntry: () => {},
	sendMessage: () => {},
	getFlag: () => undefined,
	events: { emit: () => {}, on: () => () => {} },
};

/** A session that does what the test says, with the events that pi would emit. */
class Setting {
	idle = true;
	fails = false;
	controller: AbortController | null = null;
	readonly told: string[] = [];
	readonly handed: [text: string, how: unknown][] = [];
	readonly statusChanges: boolean[] = [];
	readonly fence = new AbortController();
	readonly states = new MessageStates({ now: Date.now });
	readonly sender = registrationFor(peerPaths("/agent"));
	readonly host = new HostSession({ pi: unused, openDoors: () => {} });
	readonly turns = this.host.turns;
	readonly #context = this.#createContext();
	readonly delivery = new PiDelivery({
		turns: this.turns,
		fence: this.fence.signal,
		onStatus: () => this.statusChanges.push(this.turns.isFree),
		sendMessage: (message, how) => {
			if (this.fails) throw new Error("stale");
			this.handed.push([String(message.content).split("\n").at(-1) ?? "", how]);
		},
	});
	#messages = 0;

	constructor() {
		this.turns.begin(this.#context);
		this.turns.watch(this.#context, {});
		this.delivery.connect({ states: this.states, mode: "accept" });
		this.turns.attach(this.delivery);
	}

	/** The receipt of a message, as the inbox would give it. */
	arrive(text: string, options: Partial<IncomingMessage> = {}): string {
		this.#messages += 1;
		const message: IncomingMessage = {
			messageId: `m${this.#messages}`,
			text,
			summary: text,
			sentAt: Date.now(),
			expiresAt: Date.now() + lifetime,
			sender: this.sender,
			capabilities: [CANCEL_SAFE_QUEUE],
			mode: "accept",
			...options,
		};
		return this.delivery.refusal(message) ?? this.delivery.deliver(message);
	}

	/** A prompt of the person from its input to its message. */
	type(text: string): void {
		this.turns.see(this.#context, (seen) => seen.input({ source: "interactive", text }, false, this.#context));
		this.start();
		this.show({ role: "user", content: text });
	}

	start(): void {
		this.idle = false;
		this.controller = new AbortController();
		this.turns.see(this.#context, (seen) => seen.happened("agent_start", this.#context));
	}

	show(message: { role: string; content: unknown; stopReason?: string }): void {
		this.turns.see(this.#context, (seen) => seen.messageStarted(message, this.#context));
		this.turns.see(this.#context, (seen) => seen.messageEnded(message, this.#context));
	}

	/** The turn ends well; resolves when whatever follows from it has happened. */
	async settle(stopReason = "stop"): Promise<void> {
		this.show({ role: "assistant", content: [], stopReason });
		this.idle = true;
		this.controller = null;
		this.turns.see(this.#context, (seen) => seen.settled(false, this.#context));
		await new Promise((resolve) => setImmediate(resolve));
	}

	happened(type: "session_before_compact" | "session_compact"): void {
		this.turns.see(this.#context, (seen) => seen.happened(type, this.#context));
	}

	state(messageId: string): string {
		return this.states.get(this.sender.instanceId, messageId);
	}

	#createContext(): ExtensionContext {
		const setting = this;
		const context: Partial<ExtensionContext> = {
			get signal() {
				return setting.controller?.signal;
			},
			sessionManager: SessionManager.inMemory(),
			hasUI: true,
			isIdle: () => this.idle,
			hasPendingMessages: () => false,
			ui: { notify: (text: string) => this.told.push(text), setStatus: () => {} } as unknown as ExtensionContext["ui"],
		};
		return context as ExtensionContext;
	}
}

describe("an idle session", () => {
	test("gets the message, and it starts a turn", () => {
		const setting = new Setting();
		expect(setting.arrive("hello")).toBe("submitted");
		expect(setting.handed).toEqual([["hello", turn]]);
	});

	test("gets one message at a time: until its turn has started the next is refused", () => {
		const setting = new Setting();
		setting.arrive("one");
		expect(setting.arrive("two")).toBe("busy");
		expect(setting.handed).toHaveLength(1);
	});

	test("gets messages that are only to be shown, one after the other", () => {
		const setting = new Setting();
		expect([setting.arrive("one", { mode: "show" }), setting.arrive("two", { mode: "show" })]).toEqual([
			"submitted",
			"submitted",
		]);
		expect(setting.handed).toEqual([
			["one", shown],
			["two", shown],
		]);
	});

	test("that pi has dropped makes the failure the message's, and the next may try", () => {
		const setting = new Setting();
		setting.fails = true;
		expect(setting.arrive("one")).toBe("injection_failed");
		setting.fails = false;
		expect(setting.arrive("two")).toBe("submitted");
	});
});

describe("a session at work", () => {
	test("keeps messages until its turn has ended, and then shows all that are only to be shown", async () => {
		const setting = new Setting();
		setting.type("hello");
		expect([setting.arrive("one", { mode: "show" }), setting.arrive("two", { mode: "show" })]).toEqual([
			"queued",
			"queued",
		]);
		expect([setting.delivery.waiting, setting.handed]).toEqual([2, []]);
		await setting.settle();
		expect(setting.handed).toEqual([
			["one", shown],
			["two", shown],
		]);
		expect([setting.state("m1"), setting.state("m2")]).toEqual(["submitted", "submitted"]);
	});

	test("submits one of those that start a turn, and keeps the rest", async () => {
		const setting = new Setting();
		setting.type("hello");
		for (const text of ["one", "two"]) setting.arrive(text);
		await setting.settle();
		expect(setting.handed).toEqual([["one", turn]]);
		expect(setting.delivery.waiting).toBe(1);
	});

	test("refuses messages whose senders do not know that they may wait", () => {
		const setting = new Setting();
		setting.type("hello");
		expect(setting.arrive("one", { capabilities: [] })).toBe("busy");
		expect(setting.arrive("two", { capabilities: [], mode: "show" })).toBe("busy");
	});

	test("refuses the fifty-first before it costs anything", () => {
		const setting = new Setting();
		setting.type("hello");
		for (let count = 0; count < 50; count++) expect(setting.arrive(`${count}`)).toBe("queued");
		expect(setting.arrive("one more")).toBe("queue_full");
	});

	test("drops what waits when the turn is cancelled, says so once, and takes nothing until it is resumed", async () => {
		const setting = new Setting();
		setting.type("hello");
		for (const text of ["one", "two"]) setting.arrive(text);
		setting.controller?.abort();
		expect([setting.state("m1"), setting.state("m2")]).toEqual(["dropped_cancelled", "dropped_cancelled"]);
		expect(setting.told).toEqual([expect.stringMatching(/cancelled.*2 waiting messages were dropped.*-resume/)]);
		expect(setting.arrive("three")).toBe("stopped");
		expect(setting.arrive("four", { mode: "show" })).toBe("stopped");
		await setting.settle("aborted");
		expect([setting.told.length, setting.handed]).toEqual([1, []]);
	});
});

describe("while pi compacts", () => {
	test("everything is refused, whatever pi says of being idle, and the session counts as busy", () => {
		const setting = new Setting();
		setting.happened("session_before_compact");
		expect([setting.arrive("one"), setting.arrive("two", { mode: "show" })]).toEqual(["busy", "busy"]);
		setting.happened("session_compact");
		expect(setting.arrive("three")).toBe("submitted");
		// Compacting, then not, then a turn that begins.
		expect(setting.statusChanges).toEqual([false, true, false]);
	});
});

describe("a message that waits", () => {
	test("expires by itself when it has waited too long", () => {
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
		try {
			const setting = new Setting();
			setting.type("hello");
			expect(setting.arrive("one")).toBe("queued");
			vi.advanceTimersByTime(lifetime - 100);
			expect(setting.delivery.waiting).toBe(1);
			vi.advanceTimersByTime(200);
			expect([setting.delivery.waiting, setting.state("m1")]).toEqual([0, "expired"]);
		} finally {
			vi.useRealTimers();
		}
	});

	test("goes with its session, at once, and nothing watches on", () => {
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
		try {
			const setting = new Setting();
			setting.type("hello");
			setting.arrive("one");
			const { signal } = setting.controller ?? new AbortController();
			expect([vi.getTimerCount(), getEventListeners(signal, "abort").length]).toEqual([1, 1]);
			void setting.host.stop();
			expect(setting.state("m1")).toBe("dropped_shutdown");
			expect([vi.getTimerCount(), getEventListeners(signal, "abort").length]).toEqual([0, 0]);
		} finally {
			vi.useRealTimers();
		}
	});

	test("goes with its incarnation", () => {
		const setting = new Setting();
		setting.type("hello");
		setting.arrive("one");
		setting.turns.detach(setting.delivery);
		expect(setting.state("m1")).toBe("dropped_shutdown");
	});

	test("is not handed over once its incarnation is fenced, nor is a new one", async () => {
		const setting = new Setting();
		setting.type("hello");
		setting.arrive("one");
		setting.fence.abort();
		expect(setting.arrive("two")).toBe("not_ready");
		await setting.settle();
		expect(setting.handed).toEqual([]);
	});
});

describe("what is known of a submitted message later", () => {
	const diagnosticOf = ({ states }: Setting) => states.list().map(({ state, diagnostic }) => [state, diagnostic]);

	test("that no turn began with it within five seconds, which stops the session", () => {
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
		try {
			const setting = new Setting();
			setting.arrive("one");
			vi.advanceTimersByTime(5100);
			expect(diagnosticOf(setting)).toEqual([["submitted", expect.stringMatching(/no turn.*may still/)]]);
			expect(setting.delivery.stopped).toBe("not_started");
			expect(setting.told).toEqual([expect.stringMatching(/began no turn/)]);
		} finally {
			vi.useRealTimers();
		}
	});

	test("that a turn began, but that its message was not seen", () => {
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
		try {
			const setting = new Setting();
			setting.arrive("one");
			setting.start();
			vi.advanceTimersByTime(5100);
			expect(diagnosticOf(setting)).toEqual([["submitted", expect.stringMatching(/nothing shows/)]]);
			expect(setting.delivery.stopped).toBeNull();
		} finally {
			vi.useRealTimers();
		}
	});
});
