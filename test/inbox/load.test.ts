/** Much at once: nothing lost that was answered, memory flat, the event loop responsive. */
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { isTaken, type MessageOutcome } from "../../lib/contract/message-outcomes.ts";
import { endpointPath } from "../../lib/peers/paths.ts";
import { sendMessage } from "../../lib/wire/exchange.ts";
import { registrationFor, writeRegistration } from "../peers/temporary-peers.ts";
import { openScene } from "../wire/open-receiver.ts";
import { RawClient } from "../wire/raw-peers.ts";
import { freshPaths, openSession } from "./open-session.ts";

const SENDERS = 8;
const MESSAGES = 1_000;
const CONNECTS = 10_000;

/** Connects and lets go at once. */
function knock(path: string): Promise<void> {
	return new Promise((resolve) => {
		const socket = connect(path);
		socket.on("connect", () => socket.destroy());
		socket.on("error", () => {});
		socket.on("close", () => resolve());
	});
}

/** Runs `count` tasks, `parallel` at a time. */
async function repeat(count: number, parallel: number, task: (index: number) => Promise<void>): Promise<void> {
	let next = 0;
	const worker = async (): Promise<void> => {
		while (next < count) await task(next++);
	};
	await Promise.all(Array.from({ length: parallel }, worker));
}

/** Bytes that are still referenced. */
function heapAfterCollection(): number {
	setFlagsFromString("--expose-gc");
	runInNewContext("gc")();
	return process.memoryUsage().heapUsed;
}

describe("a receiver under load", () => {
	it("answers 1,000 messages from 8 senders, each once, as soon as not all connections are held", async () => {
		const scene = await openScene();
		const senders = await Promise.all(
			Array.from({ length: SENDERS }, () => writeRegistration(scene.paths, registrationFor(scene.paths))),
		);
		const outcomes = new Map<string, MessageOutcome>();
		const send = async (index: number): Promise<void> => {
			const from = senders[index % SENDERS];
			if (from === undefined) throw new Error("There is no such sender.");
			const content = { messageId: `m${index}`, text: `text ${index}`, summary: "load", sentAt: Date.now() };
			outcomes.set(content.messageId, await sendMessage(content, { paths: scene.paths, from, recipient: scene.local }));
		};

		const held = Array.from({ length: 64 }, () => new RawClient(scene.local.socketPath));
		await vi.waitFor(() => expect(scene.receiver.connections).toBe(64));
		await repeat(SENDERS, SENDERS, send);
		expect([...outcomes.values()].every(({ state }) => state === "receipt_unknown")).toBe(true);
		expect(scene.taken).toEqual([]);

		for (const client of held.splice(0, 24)) client.socket.destroy();
		await vi.waitFor(() => expect(scene.receiver.connections).toBe(40));
		await repeat(MESSAGES, SENDERS, send);
		const answered = [...outcomes].flatMap(([id, outcome]) => (isTaken(outcome) ? [id] : []));
		const taken = scene.taken.map(({ messageId }) => messageId);
		expect(answered).toHaveLength(MESSAGES);
		expect(taken.sort()).toEqual(answered.sort());
		expect(held.every((client) => !client.closed)).toBe(true);
	}, 20_000);

	it("survives 10,000 connects with flat memory and a responsive event loop", async () => {
		const scene = await openScene();
		await repeat(500, 16, () => knock(scene.local.socketPath));
		const before = heapAfterCollection();
		const delay = monitorEventLoopDelay({ resolution: 5 });
		delay.enable();
		onTestFinished(() => void delay.disable());
		await repeat(CONNECTS, 16, () => knock(scene.local.socketPath));
		expect(delay.percentile(90) / 1e6).toBeLessThan(100);
		expect(heapAfterCollection() - before).toBeLessThan(8 * 1024 * 1024);
		const client = new RawClient(scene.local.socketPath);
		client.write("{}\n");
		expect(await client.next()).toMatchObject({ code: "authentication_failed" });
	}, 20_000);

	it("of one incarnation takes 256 messages of all that come, and says why not for each other one", async () => {
		const paths = await freshPaths();
		const receiver = await openSession(paths);
		const recipient = await receiver.presence.directory.find(receiver.presence.instanceId);
		if (recipient === null) throw new Error("The receiver isn't registered.");
		expect(recipient.socketPath).toBe(endpointPath(paths, receiver.presence.instanceId));
		const senders = await Promise.all(
			Array.from({ length: 16 }, () => writeRegistration(paths, registrationFor(paths))),
		);
		const codes = new Map<string, number>();
		await repeat(480, 16, async (index) => {
			const from = senders[index % senders.length];
			if (from === undefined) throw new Error("There is no such sender.");
			const messageId = randomBytes(8).toString("hex");
			const content = { messageId, text: messageId, summary: "load", sentAt: Date.now() };
			const { code } = await sendMessage(content, { paths, from, recipient });
			codes.set(code, (codes.get(code) ?? 0) + 1);
		});
		expect(Object.fromEntries(codes)).toEqual({ submitted: 256, budget_exhausted: 224 });
		expect(receiver.delivery.delivered).toHaveLength(256);
		expect(receiver.presence.inbox.states.list()).toHaveLength(256);
	}, 20_000);
});
