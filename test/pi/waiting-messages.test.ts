/** Messages to a real session that is at work: when they wait, when they go, and when they never do. */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { describe, expect, test } from "vitest";
import { infoOf } from "../support/pi/ask.ts";
import { call, HeldReply, say, useModel } from "../support/pi/faux-model.ts";
import { ownedByTest } from "../support/pi/workspaces.ts";
import { UNRELIABLE, UnreliableServer } from "../support/unreliable-server.ts";
import { command } from "./message-setting.ts";
import { harmless, nextTurnOfLoop, Scene, until } from "./turn-setting.ts";

describe("a model that is unavailable for a while, with pi's own settings for trying again", () => {
	async function unavailable(failures: number) {
		const server = ownedByTest(await UnreliableServer.start(failures));
		const scene = await Scene.open([], { extensions: [server.extension] });
		await useModel(scene.pi, UNRELIABLE, UNRELIABLE);
		return { scene, server };
	}

	test("keeps two messages until a try succeeds, and then gets them one after the other", async () => {
		const { scene, server } = await unavailable(1);
		const prompt = scene.session.prompt("typed");
		await until(() => scene.session.retryAttempt > 0, "the pause before the second try");
		expect(server.statuses).toEqual([503]);
		expect([await scene.send("one"), await scene.send("two")]).toEqual(["queued", "queued"]);
		expect(scene.session.agent.hasQueuedMessages()).toBe(false);
		await prompt;
		await scene.settled(3);
		expect(server.statuses).toEqual([503, 200, 200, 200]);
		expect(scene.arrived()).toEqual(["one", "two"]);
		const order = scene.session.messages.map(({ role }) => role).filter((role) => role !== "system");
		expect(order.slice(-5)).toEqual(["assistant", "custom", "assistant", "custom", "assistant"]);
		expect([await scene.stateOf("one"), await scene.stateOf("two")]).toEqual(["submitted", "submitted"]);
		expect(await scene.stopped()).toBe(false);
	});

	test("loses what waits when the person aborts in the pause, for good", async () => {
		const { scene, server } = await unavailable(1);
		const prompt = scene.session.prompt("typed");
		await until(() => scene.session.retryAttempt > 0, "the pause before the second try");
		expect(await scene.send("one")).toBe("queued");
		await scene.session.abort();
		await prompt;
		expect(await scene.stateOf("one")).toBe("dropped_cancelled");
		expect(await scene.send("two")).toBe("stopped");
		await scene.session.prompt("next");
		await nextTurnOfLoop();
		await command(scene.pi, "/cross-session-resume");
		await scene.session.prompt("and one more");
		await nextTurnOfLoop();
		expect(server.statuses).toEqual([503, 200, 200]);
		expect(scene.arrived()).toEqual([]);
		expect(await scene.stateOf("one")).toBe("dropped_cancelled");
	});
});

describe("a turn that the person cancels", () => {
	test("stops the session: the person is told once, sees it, and decides when messages come in again", async () => {
		const answer = new HeldReply("never said");
		const scene = await Scene.open([answer.step, say("after"), say("to three")]);
		const prompt = scene.session.prompt("typed");
		await answer.asked;
		expect(await scene.send("one")).toBe("queued");
		expect(await command(scene.pi, "/cross-session-resume")).toEqual([expect.stringMatching(/pi is at work/)]);
		expect(await scene.stateOf("one")).toBe("queued");
		await scene.session.abort();
		await prompt;
		expect(await scene.stateOf("one")).toBe("dropped_cancelled");
		expect(await scene.send("two")).toBe("stopped");
		expect(await scene.stopped()).toBe(true);
		const told = () => scene.pi.told.filter(({ text }) => text.includes("takes no more messages"));
		expect(told()).toEqual([{ text: expect.stringMatching(/1 waiting message was dropped/), severity: "warning" }]);
		expect([...scene.pi.statusLine.values()]).toEqual(["messages stopped: /cross-session-resume"]);
		expect(await command(scene.pi, "/cross-session-status")).toEqual([expect.stringMatching(/was cancelled/)]);
		await scene.session.prompt("next");
		expect([scene.session.getLastAssistantText(), told().length]).toEqual(["after", 2]);
		expect(await scene.send("two")).toBe("stopped");
		expect(await command(scene.pi, "/cross-session-resume")).toEqual([expect.stringMatching(/come in again/)]);
		expect([scene.pi.statusLine.size, await scene.stopped()]).toEqual([0, false]);
		expect(await scene.send("three")).toBe("submitted");
		await scene.settled(3);
		expect(scene.arrived()).toEqual(["three"]);
		expect(await command(scene.pi, "/cross-session-resume")).toEqual([expect.stringMatching(/were not stopped/)]);
	});

	test("with a steered prompt waiting drops what waits, and the steered prompt brings nothing back", async () => {
		const answer = new HeldReply("never said");
		const scene = await Scene.open([answer.step, say("second"), say("third")]);
		const prompt = scene.session.prompt("typed");
		await answer.asked;
		await scene.session.prompt("steered", { streamingBehavior: "steer" });
		expect(await scene.send("one")).toBe("queued");
		await scene.session.abort();
		await prompt;
		expect(await scene.stateOf("one")).toBe("dropped_cancelled");
		await scene.session.prompt("next");
		await nextTurnOfLoop();
		expect([scene.arrived(), await scene.send("two")]).toEqual([[], "stopped"]);
	});
});

describe("a turn that is cancelled in a session that refuses messages", () => {
	test("is nothing to tell the person of, before they let messages in", async () => {
		const answer = new HeldReply("never said");
		const scene = await Scene.open([answer.step], { flagValues: { "cross-session-inbound": "refuse" } });
		const prompt = scene.session.prompt("typed");
		await answer.asked;
		await scene.session.abort();
		await prompt;
		expect(await scene.stopped()).toBe(true);
		expect([scene.pi.told, scene.pi.statusLine.size]).toEqual([[], 0]);
		expect(await command(scene.pi, "/cross-session-status")).toEqual([expect.not.stringContaining("was cancelled")]);

		expect(await command(scene.pi, "/cross-session-inbound accept")).toEqual([
			expect.stringContaining("was cancelled"),
		]);
		expect([...scene.pi.statusLine.values()]).toEqual(["messages stopped: /cross-session-resume"]);
		expect(await scene.send("one")).toBe("stopped");
		await command(scene.pi, "/cross-session-inbound refuse");
		expect(scene.pi.statusLine.size).toBe(0);
	});
});

describe("while pi compacts", () => {
	// As much as pi keeps of a conversation, so that something is left to compact.
	const long = "word ".repeat(30_000);

	/** The oldest pi does not say that a compaction was cancelled: that it goes on shows it. */
	async function goOn(scene: Scene): Promise<void> {
		const ends = scene.count("session_compact") + scene.count("session_compact_failed");
		if (ends === 0) await scene.session.prompt("next");
	}

	test.each(["finished", "cancelled"])("by the person's wish, %s: nothing comes in until it is over", async (end) => {
		const summary = new HeldReply("a summary");
		const scene = await Scene.open([say(long), say(long), summary.step, say("more"), say("to two")], {
			contextWindow: 400_000,
		});
		for (const prompt of ["one", "two"]) await scene.session.prompt(prompt);
		const compacting = scene.session.compact().catch(() => "cancelled");
		await summary.asked;
		expect(await scene.send("one")).toBe("busy");
		if (end === "finished") summary.release();
		else scene.session.abortCompaction();
		expect((await compacting) === "cancelled").toBe(end === "cancelled");
		await goOn(scene);
		expect(await scene.send("two")).toBe("submitted");
		await scene.settled(3);
		expect(scene.arrived()).toEqual(["two"]);
	});

	test.each(["finished", "cancelled"])(
		"by itself at a turn's end, %s: a message that waits goes after it",
		async (end) => {
			const answer = new HeldReply(long);
			const summary = new HeldReply("a summary");
			const replies = [say(long), answer.step, summary.step, ...Array(8).fill(say("more"))];
			const scene = await Scene.open(replies, { contextWindow: 80_000 });
			await scene.session.prompt("one");
			const prompt = scene.session.prompt("two");
			await answer.asked;
			expect(await scene.send("early")).toBe("queued");
			answer.release();
			await summary.asked;
			expect(scene.count("session_before_compact")).toBe(1);
			expect(await scene.send("amid")).toBe("busy");
			expect(scene.arrived()).toEqual([]);
			if (end === "finished") summary.release();
			else scene.session.abortCompaction();
			await prompt;
			await goOn(scene);
			await until(() => scene.arrived().length === 1, "the message that waited");
			expect(scene.arrived()).toEqual(["early"]);
			await until(() => !scene.session.isStreaming, "the end of its turn");
		},
	);
});

describe("a prompt that is on its way", () => {
	test("keeps messages out for as long as another extension holds it", async () => {
		const held = Promise.withResolvers<void>();
		const reached = Promise.withResolvers<number>();
		const holding = (pi: ExtensionAPI) => {
			pi.on("before_agent_start", async (event) => {
				if (!("prompt" in event)) return;
				reached.resolve(performance.now());
				await held.promise;
			});
		};
		const scene = await Scene.open([say("at last"), say("to two")], { extensions: [holding] });
		const prompt = scene.session.prompt("typed");
		const begun = await reached.promise;
		await until(() => performance.now() - begun > 5_200, "more time than a prompt gets that nobody announced");
		expect(await scene.send("one")).toBe("busy");
		held.resolve();
		await prompt;
		expect(await scene.send("two")).toBe("submitted");
		await scene.settled(2);
		expect(scene.arrived()).toEqual(["two"]);
	});

	test("and never starts keeps them out for five seconds, or until the person says so", async () => {
		const swallowing = (pi: ExtensionAPI) => {
			pi.on("input", (event) => (event.text === "swallowed" ? { action: "handled" } : undefined));
		};
		const scene = await Scene.open([say("to one"), say("to two")], {
			extensions: [{ name: "after", factory: swallowing }],
		});
		await scene.session.prompt("swallowed");
		const begun = performance.now();
		expect(await scene.send("one")).toBe("busy");
		await until(async () => (await scene.status()) === "idle", "the end of the wait");
		expect(performance.now() - begun).toBeGreaterThan(4_000);
		expect(await scene.send("one", "one-again")).toBe("submitted");
		await scene.settled(1);
		await scene.session.prompt("swallowed");
		expect(await scene.send("two")).toBe("busy");
		await command(scene.pi, "/cross-session-resume");
		expect(await scene.send("two", "two-again")).toBe("submitted");
		await scene.settled(2);
		expect(scene.arrived()).toEqual(["one", "two"]);
	});
});

describe("another extension's run that begins when a turn has settled", () => {
	test("comes before what waits, and stops the session, since nobody knows whose it is", async () => {
		let nudged = false;
		const nudging = (pi: ExtensionAPI) => {
			pi.on("agent_settled", () => {
				if (nudged) return;
				nudged = true;
				pi.sendMessage({ customType: "other", content: "nudge", display: true }, { triggerTurn: true });
			});
		};
		const answer = new HeldReply("first");
		const replies = [answer.step, call(["subagent"]), say("done")];
		const scene = await Scene.open(replies, { extensions: [harmless("subagent"), nudging] });
		const prompt = scene.session.prompt("typed");
		await answer.asked;
		expect(await scene.send("one")).toBe("queued");
		answer.release();
		await prompt;
		await scene.settled(2);
		expect(scene.arrived()).toEqual([]);
		expect(scene.results()).toEqual([expect.stringMatching(/not known that the local user/)]);
		expect(await scene.stateOf("one")).toBe("dropped_cancelled");
	});
});

describe("a message that starts a turn", () => {
	test("in which the model fails says so beside its state, and the session stops", async () => {
		const scene = await Scene.open([]);
		expect(await scene.send("one")).toBe("submitted");
		await scene.settled(1);
		const { states, stopped } = await infoOf(scene.pi.bus);
		expect(states).toMatchObject([{ state: "submitted", diagnostic: expect.stringMatching(/model failed/) }]);
		expect(stopped).toBe(true);
	});

	test("lets a second one wait, which follows when it has ended", async () => {
		const answer = new HeldReply("to one");
		const scene = await Scene.open([answer.step, say("to two")]);
		expect(await scene.send("one")).toBe("submitted");
		await answer.asked;
		expect(await scene.send("two")).toBe("queued");
		answer.release();
		await scene.settled(2);
		expect(scene.arrived()).toEqual(["one", "two"]);
	});
});

describe("with messages that are only to be shown", () => {
	test("a session at work shows them after its turn, all of them, and the model sees them with the next prompt", async () => {
		const answer = new HeldReply("first");
		const flagValues = { "cross-session-inbound": "show" };
		const scene = await Scene.open([answer.step, say("second")], { flagValues });
		const prompt = scene.session.prompt("typed");
		await answer.asked;
		expect([await scene.send("one"), await scene.send("two")]).toEqual(["queued", "queued"]);
		answer.release();
		await prompt;
		await until(() => scene.arrived().length === 2, "both messages");
		expect([scene.count("agent_settled"), scene.model.asked.length]).toEqual([1, 1]);
		expect([await scene.stateOf("one"), await scene.stateOf("two")]).toEqual(["submitted", "submitted"]);
		await scene.session.prompt("next");
		expect(scene.model.asked.at(-1)).toMatch(/one.*two.*next/s);
	});

	test("a turn that was cancelled stops them too", async () => {
		const answer = new HeldReply("first");
		const scene = await Scene.open([answer.step], { flagValues: { "cross-session-inbound": "show" } });
		const prompt = scene.session.prompt("typed");
		await answer.asked;
		expect(await scene.send("one")).toBe("queued");
		await scene.session.abort();
		await prompt;
		expect([await scene.stateOf("one"), await scene.send("two")]).toEqual(["dropped_cancelled", "stopped"]);
		expect(scene.arrived()).toEqual([]);
	});
});
