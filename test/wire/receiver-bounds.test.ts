/** What nobody can make a receiver hold. */
import { connect } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { MessageOutcomeCode } from "../../lib/contract/message-outcomes.ts";
import { ManualClock } from "../peers/manual-clock.ts";
import { helloFrame, messageFrame, openScene, type Scene } from "./open-receiver.ts";
import { RawClient } from "./raw-peers.ts";

async function holdConnections(scene: Scene, count: number): Promise<RawClient[]> {
	const clients = Array.from({ length: count }, () => new RawClient(scene.local.socketPath));
	await vi.waitFor(() => expect(scene.receiver.connections).toBe(count));
	return clients;
}

describe("connections", () => {
	it("are at most 64 at a time; the next one is closed without an answer", async () => {
		const scene = await openScene();
		const held = await holdConnections(scene, 64);
		const surplus = new RawClient(scene.local.socketPath);
		surplus.send(helloFrame(scene));
		expect(await surplus.rest()).toEqual([]);
		expect(held.every((client) => !client.closed)).toBe(true);
		held[0]?.socket.destroy();
		await vi.waitFor(() => expect(scene.receiver.connections).toBe(63));
		const replacement = new RawClient(scene.local.socketPath);
		replacement.send(helloFrame(scene));
		expect(await replacement.next()).toMatchObject({ status: "ready" });
	});

	it("live 30 seconds, whatever they do", async () => {
		const clock = new ManualClock();
		const scene = await openScene(clock);
		const [client] = await holdConnections(scene, 1);
		clock.advance(29_999);
		client?.write("{");
		expect(scene.receiver.connections).toBe(1);
		clock.advance(1);
		expect(await client?.rest()).toEqual([]);
		expect(clock.pending).toBe(0);
	});

	it("are idle 5 seconds at most after their hello; a byte counts as a sign of life", async () => {
		const clock = new ManualClock();
		const scene = await openScene(clock);
		const [client] = await holdConnections(scene, 1);
		client?.send(helloFrame(scene));
		expect(await client?.next()).toMatchObject({ status: "ready" });
		clock.advance(4_999);
		client?.write("{");
		await vi.waitFor(() => expect(idleRestarted(clock)).toBe(true));
		clock.advance(4_999);
		expect(scene.receiver.connections).toBe(1);
		clock.advance(1);
		expect(await client?.rest()).toEqual([]);
		await vi.waitFor(() => expect(clock.pending).toBe(0));
	});

	it("are not idle while their answer is being made", async () => {
		const clock = new ManualClock();
		const scene = await openScene(clock);
		const decision = Promise.withResolvers<MessageOutcomeCode>();
		const asked = Promise.withResolvers<void>();
		scene.decide = () => {
			asked.resolve();
			return decision.promise;
		};
		const [client] = await holdConnections(scene, 1);
		client?.send(helloFrame(scene), messageFrame());
		await asked.promise;
		clock.advance(10_000);
		decision.resolve("queued");
		await client?.next();
		expect(await client?.next()).toMatchObject({ code: "queued" });
	});

	it("that were answered with an error are read on for a second and then ended, however much still comes", async () => {
		const clock = new ManualClock();
		const scene = await openScene(clock);
		const socket = connect({ path: scene.local.socketPath, allowHalfOpen: true });
		onTestFinished(() => void socket.destroy());
		const answered = new Promise((resolve) => socket.once("data", resolve));
		const closed = new Promise((resolve) => socket.once("close", resolve));
		socket.on("error", () => {});
		socket.write("nope\n");
		expect(String(await answered)).toContain("invalid_frame");
		socket.write("more\n".repeat(1_000));
		await vi.waitFor(() => expect(clock.nextIn()).toBe(1_000));
		clock.advance(999);
		expect(scene.receiver.connections).toBe(1);
		clock.advance(1);
		await vi.waitFor(() => expect(scene.receiver.connections).toBe(0));
		expect(clock.pending).toBe(0);
		socket.destroy();
		await closed;
	});
});

/** Whether the idle time began at the clock's present moment. */
function idleRestarted(clock: ManualClock): boolean {
	return clock.nextIn() === 5_000;
}
