import { getEventListeners } from "node:events";
import { beforeEach, describe, expect, it } from "vitest";
import { describeMessage, messageText, type PiMessage } from "../../lib/authority/pi-messages.ts";
import { type PiContext, SessionAuthority } from "../../lib/authority/session-authority.ts";
import type { TurnEffect } from "../../lib/authority/turn-events.ts";

const submissionOf = (message: PiMessage) => (message.role === "custom" ? String(message.content) : null);

let effects: TurnEffect[];
let marks: unknown[];
let authority: SessionAuthority;
let clock: number;
let controller: AbortController | null;
let idle: boolean;

const context: PiContext = {
	get signal() {
		return controller?.signal;
	},
	isIdle: () => idle,
	hasPendingMessages: () => false,
};

beforeEach(() => {
	effects = [];
	marks = [];
	clock = 0;
	controller = null;
	idle = true;
	authority = new SessionAuthority({
		monotonic: () => clock,
		epoch: () => 1_000 + clock,
		submissionOf,
		namesSender: (target, submission) => target === `sender of ${submission}`,
		effects: (seen) => effects.push(...seen),
		log: {
			findEntry: (identity) => ({ id: "e1", text: messageText(identity as PiMessage) }),
			write: (mark) => marks.push(mark),
		},
	});
	authority.happened("session_start", context);
	authority.happened("registered", context);
});

function start(): AbortController {
	const started = new AbortController();
	controller = started;
	idle = false;
	authority.happened("agent_start", context);
	return started;
}

function message(shown: PiMessage): void {
	authority.messageStarted(shown, context);
	authority.messageEnded(shown, context);
}

const assistant = (stopReason: string): PiMessage => ({ role: "assistant", content: [], stopReason });

describe("one session's authority", () => {
	it("sees an abort the moment it happens, and holds no listener once it was let go", () => {
		authority.submit("m1", () => {}, context);
		const started = start();
		message({ role: "custom", content: "m1" });
		started.abort();
		expect(effects).toEqual([{ type: "stopped", cause: "aborted" }]);
		const next = start();
		expect(getEventListeners(next.signal, "abort")).toHaveLength(1);
		authority.release();
		expect(getEventListeners(next.signal, "abort")).toHaveLength(0);
	});

	it("lets a new session go without the listener of the old one", () => {
		const started = start();
		authority.happened("session_start", context);
		expect(getEventListeners(started.signal, "abort")).toHaveLength(0);
	});

	it("closes open inputs when the turn has settled, and not the one that showed that it had", () => {
		authority.input({ source: "interactive", text: "typed" }, false, context);
		start();
		message({ role: "user", content: "typed", timestamp: 1_000 });
		message(assistant("stop"));
		controller = null;
		idle = true;
		clock = 5;
		// Another extension reacts to the settlement before our own word of it.
		authority.input({ source: "extension", text: "nudge" }, false, context);
		authority.settled(false, context);
		start();
		message({ role: "user", content: "nudge", timestamp: 1_005 });
		authority.contextBuilt();
		expect(marks).toMatchObject([{ source: "user" }, { source: "extension" }]);
	});

	it("marks nothing by an input that was swallowed before the turn that has settled", () => {
		authority.input({ source: "interactive", text: "swallowed" }, false, context);
		authority.input({ source: "interactive", text: "typed" }, false, context);
		start();
		message({ role: "user", content: "typed", timestamp: 1_000 });
		message(assistant("stop"));
		controller = null;
		idle = true;
		authority.settled(false, context);
		start();
		message({ role: "user", content: "swallowed", timestamp: 1_000 });
		authority.contextBuilt();
		expect(marks).toHaveLength(1);
	});

	it("writes a mark with the next message, when the model isn't called in between", () => {
		authority.input({ source: "interactive", text: "typed" }, false, context);
		start();
		message({ role: "user", content: "typed", timestamp: 1_000 });
		expect(marks).toEqual([]);
		message(assistant("stop"));
		expect(marks).toMatchObject([{ source: "user" }]);
	});

	it("forgets prompts that were announced in the session before", () => {
		authority.resent.announce("held");
		authority.happened("session_start", context);
		authority.input({ source: "extension", text: "held" }, false, context);
		start();
		message({ role: "user", content: "held", timestamp: 1_000 });
		expect(authority.view.source).toBe("unknown");
	});

	it("takes a prompt that this package hands over again as the person's", () => {
		authority.resent.announce("held");
		authority.input({ source: "extension", text: "held" }, false, context);
		start();
		message({ role: "user", content: "held", timestamp: 1_000 });
		authority.contextBuilt();
		expect(authority.view.source).toBe("user");
		expect(marks).toMatchObject([{ source: "user" }]);
	});

	it("names the sender of this turn's message to the gate", () => {
		authority.submit("m1", () => {}, context);
		start();
		message({ role: "custom", content: "m1" });
		const send = (target: string) => authority.toolCalled({ toolName: "send_pi_message", input: { target } }, context);
		expect(send("sender of m1")).toBeNull();
		expect(send("sender of m2")).not.toBeNull();
	});

	it("applies the config of the gate", () => {
		start();
		const deploy = () => authority.toolCalled({ toolName: "deploy", input: {} }, context);
		expect(deploy()).toBeNull();
		authority.configureGate({ extraTools: ["deploy"] });
		expect(deploy()).not.toBeNull();
		authority.configureGate({ extraTools: ["deploy"], extensionTurns: "trusted" });
		expect(deploy()).toBeNull();
	});

	it("is as before when pi refuses a submission, and passes the refusal on", () => {
		const refuse = () => {
			throw new Error("stale");
		};
		expect(() => authority.submit("m1", refuse, context)).toThrow("stale");
		expect(authority.decide(true, context)).toBe("submit");
		expect(authority.nextDeadline).toBeNull();
	});

	it("tells a person's prompt that would collide with a submission from everything else", () => {
		authority.submit("m1", () => {}, context);
		expect(authority.collides({ source: "interactive", text: "x" }, context)).toBe(false);
		idle = false;
		expect(authority.collides({ source: "interactive", text: "x" }, context)).toBe(true);
		expect(authority.collides({ source: "rpc", text: "x" }, context)).toBe(true);
		expect(authority.collides({ source: "extension", text: "x" }, context)).toBe(false);
		expect(authority.collides({ source: "interactive", text: "x", streamingBehavior: "steer" }, context)).toBe(false);
	});

	it("ends a compaction with what a person types in the terminal, and with nothing else", () => {
		authority.happened("session_before_compact", context);
		authority.input({ source: "extension", text: "x" }, true, context);
		authority.input({ source: "rpc", text: "x" }, true, context);
		authority.input({ source: "interactive", text: "x" }, false, context);
		expect(authority.view.compacting).toBe(true);
		authority.input({ source: "interactive", text: "x" }, true, context);
		expect(authority.view.compacting).toBe(false);
	});

	it("resumes for the person when idle", () => {
		start();
		expect(authority.resume(context)).toEqual({ resumed: false, reason: "not_idle" });
		controller = null;
		idle = true;
		expect(authority.resume(context)).toEqual({ resumed: true });
	});
});

describe("pi's messages, reduced", () => {
	it.each<[string, PiMessage, unknown]>([
		["system", { role: "system", content: "s" }, { role: "system" }],
		["a user's text", { role: "user", content: "hi" }, { role: "user", text: "hi" }],
		[
			"a user's blocks without images",
			{
				role: "user",
				content: [
					{ type: "text", text: "a" },
					{ type: "image", data: "x" },
					{ type: "text", text: "b" },
				],
			},
			{ role: "user", text: "a\nb" },
		],
		[
			"an assistant's calls",
			{
				role: "assistant",
				content: [
					{ type: "toolCall", id: "c1" },
					{ type: "text", text: "x" },
				],
				stopReason: "toolUse",
			},
			{ role: "assistant", stopReason: "toolUse", calls: ["c1"] },
		],
		["a tool result", { role: "toolResult", toolCallId: "c1", content: [] }, { role: "toolResult", call: "c1" }],
		["our own message", { role: "custom", content: "m1" }, { role: "submission", submission: "m1" }],
		["anything else", { role: "bashExecution" }, { role: "other" }],
		["a message without content", { role: "user" }, { role: "user", text: "" }],
		["odd blocks", { role: "user", content: [null, 7, { type: "text", text: 3 }] }, { role: "user", text: "" }],
	])("%s", (_title, shown, expected) => {
		expect(describeMessage(shown, submissionOf)).toEqual(expected);
	});
});
