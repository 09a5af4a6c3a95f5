/** The receiving end, asked by somebody who writes bytes. */
import { lstat } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { MESSAGE_OUTCOMES, type MessageOutcomeCode } from "../../lib/contract/message-outcomes.ts";
import { registrationPath } from "../../lib/peers/paths.ts";
import { Receiver } from "../../lib/wire/server.ts";
import { registrationFor } from "../peers/temporary-peers.ts";
import { helloFrame, messageFrame, openScene, statusFrame } from "./open-receiver.ts";
import { type Json, line, RawClient } from "./raw-peers.ts";

/** What an answer that refuses with `code` looks like. */
function refusal(requestId: string, code: MessageOutcomeCode): Json {
	const { state, retryable, next } = MESSAGE_OUTCOMES[code];
	const capabilities = ["cancel-safe-queue-v1"];
	return { v: 1, type: "response", requestId, ok: false, status: code, capabilities, code, state, retryable, next };
}

describe("the hello", () => {
	it("is answered with who is there, and a message after it with its receipt", async () => {
		const scene = await openScene();
		const client = new RawClient(scene.local.socketPath);
		client.send(helloFrame(scene));
		const { id, instanceId, pid } = scene.local;
		expect(await client.next()).toMatchObject({
			v: 1,
			type: "response",
			requestId: "hello-1",
			ok: true,
			status: "ready",
			capabilities: ["cancel-safe-queue-v1"],
			retryable: false,
			peer: { id, instanceId, pid },
		});
		client.send(messageFrame());
		expect(await client.next()).toMatchObject({
			requestId: "message-1",
			ok: true,
			status: "submitted",
			state: "submitted",
		});
		expect(scene.taken).toHaveLength(1);
	});

	it("without a sender answers a probe and takes no message", async () => {
		const scene = await openScene();
		const client = new RawClient(scene.local.socketPath);
		client.send(helloFrame(scene, { from: undefined }), messageFrame());
		expect(await client.next()).toMatchObject({ status: "ready" });
		expect(await client.rest()).toEqual([refusal("message-1", "authentication_failed")]);
		expect(scene.taken).toEqual([]);
	});

	it("with a sender's token that is not in its own registration is refused", async () => {
		const scene = await openScene();
		const forged = { id: scene.sender.id, instanceId: scene.sender.instanceId, token: "0".repeat(64) };
		const stranger = registrationFor(scene.paths);
		for (const from of [forged, { ...forged, id: "someone-else", token: scene.sender.token }, stranger]) {
			const client = new RawClient(scene.local.socketPath);
			client.send(helloFrame(scene, { from }), messageFrame());
			expect(await client.rest()).toEqual([refusal("hello-1", "authentication_failed")]);
		}
		expect(scene.taken).toEqual([]);
	});

	it.each<[string, Json, MessageOutcomeCode]>([
		["another token", { token: "f".repeat(64) }, "authentication_failed"],
		["a shorter token", { token: "f" }, "authentication_failed"],
		["another session", { target: { id: "other", instanceId: "0".repeat(32) } }, "wrong_endpoint"],
		["capabilities that are a string", { capabilities: "cancel-safe-queue-v1" }, "invalid_frame"],
		["nine capabilities", { capabilities: new Array(9).fill("x") }, "invalid_frame"],
		["a capability of 65 characters", { capabilities: ["x".repeat(65)] }, "invalid_frame"],
		["another version", { v: 2 }, "invalid_frame"],
	])("with %s is refused", async (_, changes, code) => {
		const scene = await openScene();
		const client = new RawClient(scene.local.socketPath);
		client.send(helloFrame(scene, changes));
		expect(await client.rest()).toEqual([refusal("hello-1", code)]);
	});

	it("is refused while the incarnation starts or ends, and so is a message after that", async () => {
		const scene = await openScene();
		const early = new RawClient(scene.local.socketPath);
		const late = new RawClient(scene.local.socketPath);
		late.send(helloFrame(scene));
		expect(await late.next()).toMatchObject({ status: "ready" });
		scene.ready = false;
		late.send(messageFrame());
		early.send(helloFrame(scene));
		expect(await late.rest()).toEqual([refusal("message-1", "not_ready")]);
		expect(await early.rest()).toEqual([refusal("hello-1", "not_ready")]);
		expect(scene.taken).toEqual([]);
	});
});

describe("what is not a frame", () => {
	it.each<[string, Uint8Array, MessageOutcomeCode]>([
		["bad JSON", Buffer.from("{nope}\n"), "invalid_frame"],
		["bad UTF-8", Buffer.from([0x22, 0xff, 0x22, 0x0a]), "invalid_frame"],
		["an unfinished frame", Buffer.from("{"), "invalid_frame"],
		["an oversized frame", Buffer.alloc(1_048_577, 0x20), "message_too_large"],
		["a JSON value that is no object", Buffer.from("17\n"), "authentication_failed"],
	])("gets an answer without an id, and the end: %s", async (_, data, code) => {
		const scene = await openScene();
		const client = new RawClient(scene.local.socketPath);
		client.write(data);
		client.socket.end();
		expect(await client.rest()).toEqual([refusal("unknown", code)]);
	});

	it("is a message as the first frame", async () => {
		const scene = await openScene();
		const client = new RawClient(scene.local.socketPath);
		client.send(messageFrame());
		expect(await client.rest()).toEqual([refusal("message-1", "authentication_failed")]);
		expect(scene.taken).toEqual([]);
	});

	it.each<[string, string | Uint8Array, MessageOutcomeCode]>([
		["bad JSON", "nope\n", "invalid_frame"],
		["bad UTF-8", Buffer.from([0xe2, 0x82, 0x0a]), "invalid_frame"],
		["an oversized frame", Buffer.alloc(1_048_577, 0x20), "message_too_large"],
	])("is answered after the good frames before it in one chunk: %s", async (_, bad, code) => {
		const scene = await openScene();
		scene.decide = async (): Promise<MessageOutcomeCode> => {
			await new Promise((resolve) => setImmediate(resolve));
			return "queued";
		};
		const client = new RawClient(scene.local.socketPath);
		client.write(Buffer.concat([Buffer.from(line(helloFrame(scene)) + line(messageFrame())), Buffer.from(bad)]));
		const answers = await client.rest();
		expect(answers.map(({ requestId, code: said }) => [requestId, said])).toEqual([
			["hello-1", "ready"],
			["message-1", "queued"],
			["unknown", code],
		]);
	});

	it("is a third frame, which takes nothing back", async () => {
		const scene = await openScene();
		const client = new RawClient(scene.local.socketPath);
		client.send(
			helloFrame(scene),
			messageFrame(),
			messageFrame({ requestId: "third", messageId: "m2" }),
			messageFrame(),
		);
		const answers = await client.rest();
		expect(answers.map(({ requestId, code }) => [requestId, code])).toEqual([
			["hello-1", "ready"],
			["message-1", "submitted"],
			["third", "invalid_frame"],
		]);
		expect(scene.taken.map(({ messageId }) => messageId)).toEqual(["m1"]);
	});
});

describe("a question after the hello", () => {
	const ask = async (frame: Json): Promise<Json | null> => {
		const scene = await openScene();
		scene.state = "dropped_cancelled";
		const client = new RawClient(scene.local.socketPath);
		client.send(helloFrame(scene), frame);
		await client.next();
		return client.next();
	};

	it("about a message is answered with its state, in both places", async () => {
		expect(await ask(statusFrame())).toMatchObject({
			requestId: "status-1",
			ok: true,
			status: "dropped_cancelled",
			state: "dropped_cancelled",
		});
	});

	it.each<[string, Json]>([
		["a blank text", { text: " \n\t" }],
		["half a surrogate pair", { text: "\ud83e" }],
		["a blank summary", { summary: " " }],
		["a summary of 201 code points", { summary: "🧭".repeat(201) }],
		["an id with a dot", { messageId: "a.b" }],
		["an id of 129 characters", { messageId: "a".repeat(129) }],
		["a date in words", { sentAt: "now" }],
	])("is invalid with %s", async (_, changes) => {
		expect(await ask(messageFrame(changes))).toEqual(refusal("message-1", "invalid_message"));
	});

	it("is valid at the bounds", async () => {
		const longest = messageFrame({
			text: "a".repeat(1_000_000),
			summary: "🧭".repeat(200),
			messageId: "a".repeat(128),
		});
		expect(await ask(longest)).toMatchObject({ ok: true, code: "submitted" });
	});

	it("is too large with one unit more than a million", async () => {
		expect(await ask(messageFrame({ text: "a".repeat(1_000_001) }))).toEqual(refusal("message-1", "message_too_large"));
	});

	it("of an unknown kind is an invalid frame", async () => {
		expect(await ask({ v: 1, type: "shutdown", requestId: "x" })).toEqual(refusal("x", "invalid_frame"));
	});

	it("whose taking fails is told so", async () => {
		const scene = await openScene();
		scene.decide = () => {
			throw new Error("pi is gone");
		};
		const client = new RawClient(scene.local.socketPath);
		client.send(helloFrame(scene), messageFrame());
		await client.next();
		expect(await client.next()).toEqual(refusal("message-1", "injection_failed"));
	});
});

describe("the socket", () => {
	it("is closed to other users, and gone after the end", async () => {
		const scene = await openScene();
		expect((await lstat(scene.local.socketPath)).mode & 0o777).toBe(0o600);
		await scene.receiver.close();
		await expect(lstat(scene.local.socketPath)).rejects.toMatchObject({ code: "ENOENT" });
		await expect(scene.receiver.close()).resolves.toBeUndefined();
	});

	it("lets an answer that is under way go out before it closes", async () => {
		const scene = await openScene();
		const decision = Promise.withResolvers<MessageOutcomeCode>();
		const asked = Promise.withResolvers<void>();
		scene.decide = () => {
			asked.resolve();
			return decision.promise;
		};
		const client = new RawClient(scene.local.socketPath);
		client.send(helloFrame(scene), messageFrame());
		await asked.promise;
		const closed = scene.receiver.close();
		decision.resolve("stopped");
		expect((await client.rest()).map(({ code }) => code)).toEqual(["ready", "stopped"]);
		await closed;
		expect(scene.receiver.connections).toBe(0);
	});

	it("fails to open where something else lies, and leaves that alone", async () => {
		const scene = await openScene();
		const occupied = registrationPath(scene.paths, scene.local.instanceId);
		const ports = {
			identity: scene.local,
			isReady: () => true,
			readSenderRegistration: async () => null,
			takeMessage: (): MessageOutcomeCode => "submitted",
			messageState: () => "unknown" as const,
		};
		const opening = Receiver.open({ path: occupied, platform: scene.paths.platform, ports, onFailure: () => {} });
		await expect(opening).rejects.toMatchObject({ code: "EADDRINUSE" });
		expect((await lstat(occupied)).isFile()).toBe(true);
	});
});
