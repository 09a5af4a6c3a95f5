import { type FauxResponseStep, fauxAssistantMessage, fauxToolCall } from "@earendil-works/pi-ai/providers/faux";
import type { ExtensionFactory } from "@earendil-works/pi-coding-agent";
import { afterEach, describe, expect, it } from "vitest";
import { PiSession, type PiSessionOptions, until } from "./pi-session.ts";

const say = (text: string): FauxResponseStep => fauxAssistantMessage(text);
const unavailable = () => fauxAssistantMessage("", { stopReason: "error", errorMessage: "503 Service Unavailable" });
const call = (tool: string) => fauxAssistantMessage([fauxToolCall(tool, {})], { stopReason: "toolUse" });

/** A model answer that waits until it is let go, or aborted. */
function held(text: string): { step: FauxResponseStep; release: () => void } {
	let release = () => {};
	const gate = new Promise<void>((resolve) => {
		release = resolve;
	});
	const step: FauxResponseStep = async (_context, options) => {
		const aborted = new Promise((resolve) => options?.signal?.addEventListener("abort", resolve, { once: true }));
		await Promise.race([gate, aborted]);
		return fauxAssistantMessage(text);
	};
	return { step, release };
}

const opened: PiSession[] = [];
afterEach(() => {
	for (const session of opened.splice(0)) session.close();
});

async function open(responses: FauxResponseStep[], options: PiSessionOptions = {}): Promise<PiSession> {
	const session = await PiSession.open(responses, options);
	opened.push(session);
	return session;
}

/** The texts of all user and custom messages in the log. */
function conversation(pi: PiSession): string[] {
	return pi.entries().flatMap((entry) => {
		if (entry.type === "custom_message") return [String(entry.content)];
		return [];
	});
}

describe("in a real session", () => {
	it("an idle session takes a message at once, and its turn is the peer's", async () => {
		const pi = await open([call("subagent"), say("done")]);
		expect(pi.arrive("p1")).toBe("submitted");
		expect(pi.arrive("p2")).not.toBe("submitted");
		await pi.idle(1);
		expect(pi.effects).toEqual([{ type: "settled", safe: true }]);
		const result = pi.entries().find((entry) => entry.type === "message" && entry.message.role === "toolResult");
		expect(JSON.stringify(result)).toMatch(/local user/);
	});

	it("a person's turn has all tools, and a steered message does not take them away", async () => {
		const answer = held("first");
		const pi = await open([answer.step, call("subagent"), say("done")]);
		const prompt = pi.session.prompt("typed");
		await until(() => pi.core.state.callCount > 0, "the model call");
		pi.pi.sendUserMessage("nudge", { deliverAs: "steer" });
		answer.release();
		await prompt;
		expect(JSON.stringify(pi.entries())).toMatch(/subagent ran/);
		expect(pi.marked()).toEqual([
			["typed", "user"],
			["nudge", "extension"],
		]);
	});

	it("another extension's turn is gated, and its end stops the session", async () => {
		const pi = await open([call("subagent"), say("done")]);
		pi.pi.sendUserMessage("nudge");
		await pi.idle(1);
		expect(JSON.stringify(pi.entries())).not.toMatch(/subagent ran/);
		expect(pi.marked()).toEqual([["nudge", "extension"]]);
		expect(pi.arrive("p1")).toBe("stopped");
	});

	it("a retry that succeeds releases two waiting messages, one after the other", async () => {
		const pi = await open([unavailable(), say("at last"), say("to p1"), say("to p2")], { retryDelay: 200 });
		const prompt = pi.session.prompt("typed");
		await until(() => pi.count("agent_end") > 0, "the pause before the retry");
		expect([pi.arrive("p1"), pi.arrive("p2")]).toEqual(["queued", "queued"]);
		expect(pi.context.hasPendingMessages()).toBe(false);
		await prompt;
		await pi.idle(3);
		expect(conversation(pi)).toEqual(["p1", "p2"]);
		expect(pi.effects.filter((effect) => effect.type === "settled")).toEqual(
			Array.from({ length: 3 }, () => ({ type: "settled", safe: true })),
		);
	});

	it("an abort in the pause before a retry drops what waits, and it never comes back", async () => {
		const pi = await open([unavailable(), say("again"), say("after"), say("to p2")], { retryDelay: 5_000 });
		const prompt = pi.session.prompt("typed");
		await until(() => pi.count("agent_end") > 0, "the pause before the retry");
		expect(pi.arrive("p1")).toBe("queued");
		await pi.session.abort();
		await prompt;
		expect(pi.fates.get("p1")).toBe("dropped_cancelled");
		expect(pi.arrive("p2")).toBe("stopped");
		await pi.session.prompt("next");
		expect(pi.authority.resume(pi.context)).toEqual({ resumed: true });
		await pi.session.prompt("and another");
		await pi.idle(3);
		expect(conversation(pi)).toEqual([]);
	});

	it("an abort with a steered prompt waiting drops what waits", async () => {
		const answer = held("first");
		const pi = await open([answer.step, say("second"), say("third")]);
		const prompt = pi.session.prompt("typed");
		await until(() => pi.core.state.callCount > 0, "the model call");
		await pi.session.prompt("steered", { streamingBehavior: "steer" });
		expect(pi.arrive("p1")).toBe("queued");
		const aborted = pi.session.abort();
		expect(pi.authority.view).toMatchObject({ cancelled: true, stopped: "aborted" });
		await aborted;
		await prompt;
		await pi.idle(1);
		expect(pi.fates.get("p1")).toBe("dropped_cancelled");
		expect(conversation(pi)).toEqual([]);
	});

	it("a compaction holds messages up, and after it they are taken again", async () => {
		const summary = held("summary");
		const long = "word ".repeat(200);
		const pi = await open([say(long), say(long), summary.step, say("more"), say("to p2")]);
		await pi.session.prompt(long);
		await pi.session.prompt(long);
		const compaction = pi.session.compact();
		await until(() => pi.count("session_before_compact") > 0, "the compaction");
		expect(pi.arrive("p1")).toBe("busy");
		summary.release();
		await compaction;
		expect(pi.arrive("p2")).toBe("submitted");
		await pi.idle(3);
		expect(conversation(pi)).toEqual(["p2"]);
	});

	it("a run that another extension starts when a turn has settled comes first, and is nobody's", async () => {
		let nudged = false;
		const nudging: ExtensionFactory[] = [
			(other) => {
				other.on("agent_settled", () => {
					if (nudged) return;
					nudged = true;
					other.sendMessage({ customType: "other", content: "nudge", display: true }, { triggerTurn: true });
				});
			},
		];
		const answer = held("first");
		const pi = await open([answer.step, call("subagent"), say("done")], { before: nudging });
		const prompt = pi.session.prompt("typed");
		await until(() => pi.core.state.callCount > 0, "the model call");
		expect(pi.arrive("p1")).toBe("queued");
		answer.release();
		await prompt;
		await pi.idle(2);
		expect(conversation(pi)).toEqual(["nudge"]);
		expect(JSON.stringify(pi.entries())).not.toMatch(/subagent ran/);
		expect(pi.fates.get("p1")).toBe("dropped_cancelled");
	});

	it("a prompt that a later handler swallows does not lend its name to a run of another extension", async () => {
		const swallowing: ExtensionFactory[] = [
			(other) => {
				other.on("input", (event) => (event.text === "swallowed" ? { action: "handled" } : undefined));
			},
		];
		const pi = await open([call("subagent"), say("done"), say("more")], { after: swallowing });
		await pi.session.prompt("swallowed");
		pi.pi.sendMessage({ customType: "other", content: "nudge", display: true }, { triggerTurn: true });
		await pi.idle(1);
		expect(JSON.stringify(pi.entries())).not.toMatch(/subagent ran/);
		pi.pi.sendUserMessage("swallowed");
		await pi.session.prompt("real");
		expect(pi.marked()).toEqual([["real", "user"]]);
	});

	it("a text that a later handler changes is unclear, and its turn still the person's", async () => {
		const changing: ExtensionFactory[] = [
			(other) => {
				other.on("input", (event) => ({ action: "transform", text: event.text.toUpperCase() }));
			},
		];
		const pi = await open([call("subagent"), say("done")], { after: changing });
		await pi.session.prompt("typed");
		expect(pi.marked()).toEqual([["TYPED", "unclear"]]);
		expect(JSON.stringify(pi.entries())).toMatch(/subagent ran/);
	});

	it("a text that a handler replaces in the stored message is unclear", async () => {
		const replacing: ExtensionFactory[] = [
			(other) => {
				other.on("message_end", ({ message }) => {
					return message.role === "user" ? { message: { ...message, content: "typed, and more" } } : undefined;
				});
			},
		];
		const pi = await open([say("done")], { after: replacing });
		await pi.session.prompt("typed");
		expect(pi.marked()).toEqual([["typed, and more", "unclear"]]);
	});

	it("marks never reach the model, and no mark is written where nothing was typed", async () => {
		const contexts: string[] = [];
		const noting: FauxResponseStep = (context) => {
			contexts.push(JSON.stringify(context));
			return fauxAssistantMessage("done");
		};
		const pi = await open([noting, noting]);
		expect(pi.entries().filter((entry) => entry.type === "custom")).toEqual([]);
		await pi.session.prompt("one");
		await pi.session.prompt("two");
		expect(pi.marked()).toEqual([
			["one", "user"],
			["two", "user"],
		]);
		expect(contexts).toHaveLength(2);
		expect(contexts.join()).not.toMatch(/"kind":"input"|attest/);
	});
});
