/** Moments in which a message of a peer and something else meet: a person's prompt, or an abort. */
import process from "node:process";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { RECEIVED_TOPIC } from "../../lib/contract/index.ts";
import { systemClock } from "../../lib/peers/clock.ts";
import { infoOf } from "../support/pi/ask.ts";
import { HeldReply, say } from "../support/pi/faux-model.ts";
import { Scene, type SceneOptions, until, wired } from "./turn-setting.ts";

/** A session in which a message has been handed to pi and its turn is held before pi has stored it. */
async function collision(options: SceneOptions = {}) {
	const held = Promise.withResolvers<void>();
	const reached = Promise.withResolvers<void>();
	const holding = (pi: ExtensionAPI) => {
		pi.on("agent_start", async () => {
			reached.resolve();
			await held.promise;
		});
	};
	const scene = await Scene.open([say("to one"), say("to the person")], { extensions: [holding], ...options });
	expect(await scene.send("one")).toBe("submitted");
	await reached.promise;
	return { scene, letGo: () => held.resolve() };
}

describe("a prompt that meets a message which is just becoming a turn", () => {
	test("goes back to the editor, before the draft that stands there, with one line why", async () => {
		const { scene, letGo } = await collision();
		scene.pi.editor = "a draft";
		await scene.session.prompt("my words");
		expect(scene.pi.editor).toBe("my words\na draft");
		expect(scene.pi.told).toEqual([{ text: expect.stringMatching(/back in the editor/), severity: "warning" }]);
		expect(scene.pi.told[0]?.text).not.toMatch(/images|\n/);
		letGo();
		await scene.settled(1);
		expect(scene.model.asked.join()).not.toContain("my words");
		await scene.session.prompt("my words");
		expect(scene.session.getLastAssistantText()).toBe("to the person");
	});

	test("says that its images have to be attached again", async () => {
		const { scene, letGo } = await collision();
		const image = { type: "image" as const, data: "", mimeType: "image/png" };
		await scene.session.prompt("my words", { images: [image] });
		expect([scene.pi.editor, scene.pi.told[0]?.text]).toEqual(["my words", expect.stringMatching(/images/)]);
		letGo();
		await scene.settled(1);
	});

	test("where there is no editor is no success: it is told, and the exit code says so", async () => {
		const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
		const exitCode = process.exitCode;
		onTestFinished(() => {
			process.exitCode = exitCode;
			write.mockRestore();
		});
		const { scene, letGo } = await collision({ hasUserInterface: false });
		await scene.session.prompt("my words");
		expect(process.exitCode).toBe(1);
		expect(write.mock.calls.map(([text]) => text)).toEqual([expect.stringMatching(/was not sent.*Run it again/)]);
		letGo();
		await scene.settled(1);
	});

	test("is no collision when it is steered: it joins the turn", async () => {
		const { scene, letGo } = await collision();
		await scene.session.prompt("my words", { streamingBehavior: "steer" });
		expect([scene.pi.editor, scene.pi.told]).toEqual(["", []]);
		letGo();
		await scene.settled(1);
		expect(scene.model.asked.at(-1)).toContain("my words");
	});
});

describe("an abort between a message's admission and its delivery", () => {
	test("by an extension that is told of the message, is seen before the message is queued or submitted", async () => {
		const answer = new HeldReply("never said");
		const scene = await Scene.open([answer.step, say("to the person")]);
		const prompt = scene.session.prompt("typed");
		await answer.asked;
		const told: unknown[] = [];
		scene.pi.bus.on(RECEIVED_TOPIC, (received) => {
			told.push(received);
			void scene.session.abort();
		});
		expect(await scene.send("one")).toBe("stopped");
		expect(told).toMatchObject([{ text: "one" }]);
		expect(await infoOf(scene.pi.bus)).toMatchObject({ stopped: true, states: [{ state: "dropped_cancelled" }] });
		await prompt;
		await scene.session.prompt("next");
		expect([scene.arrived(), await scene.send("two"), told.length]).toEqual([[], "stopped", 1]);
	});

	test("is seen before the message is queued or submitted", async () => {
		let strike = () => {};
		const clock = {
			...systemClock,
			now: () => {
				strike();
				return systemClock.now();
			},
		};
		const answer = new HeldReply("never said");
		const scene = await Scene.open([answer.step], { instead: wired({ system: { clock } }) });
		const prompt = scene.session.prompt("typed");
		await answer.asked;
		let strikes = 0;
		// The date of a message is looked at when it is admitted, which nothing else does in the meantime.
		strike = () => {
			strike = () => {};
			strikes += 1;
			void scene.session.abort();
		};
		expect(await scene.send("one")).toBe("stopped");
		expect(strikes).toBe(1);
		// It was admitted, and it has cost its unit.
		expect(await infoOf(scene.pi.bus)).toMatchObject({
			remainingBudget: 255,
			stopped: true,
			states: [{ state: "dropped_cancelled" }],
		});
		await prompt;
		await until(() => !scene.session.isStreaming, "the end of the turn");
		expect(scene.arrived()).toEqual([]);
	});
});
