/** Extensions in the receiving session that listen for messages: they may take one before pi gets it. */
import { describe, expect, test } from "vitest";
import {
	BRIDGE_PREFIX,
	formatBridge,
	isReceivedMessage,
	RECEIVED_TOPIC,
	type ReceivedMessage,
} from "../../lib/contract/index.ts";
import { infoOf } from "../support/pi/ask.ts";
import type { InProcessPi } from "../support/pi/in-process-pi.ts";
import { useOwnAgentDirectory } from "../support/pi/workspaces.ts";
import { answered, answers, calling, startNamed } from "./message-setting.ts";

const flags = ["cross-session-rpc"];

const envelope = () => ({
	version: 1 as const,
	origin: "origin-1",
	correlationId: "correlation-1",
	expiresAt: Date.now() + 20_000,
	hops: 0,
	budget: 4,
	payload: { question: "who has the parser?" },
});

/** A receiver whose extensions are told of messages; `claim` decides which of them are taken. */
async function receiverWith(claim: (message: ReceivedMessage) => boolean, options: { flags?: string[] } = { flags }) {
	const receiver = await startNamed("receiver", { ...options, script: [{ text: "Seen by the model." }] });
	const told: ReceivedMessage[] = [];
	receiver.bus.on(RECEIVED_TOPIC, (data) => {
		if (!isReceivedMessage(data)) return;
		told.push(data);
		if (claim(data)) data.reply({ handled: true });
	});
	return { receiver, told };
}

async function send(text: string): Promise<{ sender: InProcessPi; code: string | undefined }> {
	const script = calling("send_pi_message", [{ target: "receiver", message: text }]);
	const sender = await startNamed("sender", { script });
	await sender.session.prompt("Send.");
	return { sender, code: answers(sender)[0]?.value.receipt?.code };
}

describe("a message that an extension claims", () => {
	test("is accepted; pi gets nothing of it, and its state says so", async () => {
		useOwnAgentDirectory();
		const { receiver, told } = await receiverWith(() => true);
		const { sender, code } = await send("for the mailbox");
		expect(code).toBe("accepted");
		expect(told.map(({ text, canHandle, source }) => [text, canHandle, source.id])).toEqual([
			["for the mailbox", true, sender.sessionId],
		]);
		expect(Object.isFrozen(told[0]) && Object.isFrozen(told[0]?.source)).toBe(true);
		expect(JSON.stringify(told)).not.toContain("token");
		expect(receiver.arrivals()).toEqual([]);
		expect((await infoOf(receiver.bus)).states).toMatchObject([{ state: "accepted" }]);
	});

	test("nobody claims it: pi gets it as if nobody had been asked", async () => {
		useOwnAgentDirectory();
		const { receiver, told } = await receiverWith(() => false);
		expect((await send("for the model")).code).toBe("submitted");
		await answered(receiver, "Seen by the model.");
		expect([told.length, receiver.arrivals().length]).toEqual([1, 1]);
	});

	test("without the RPC nobody is told of it", async () => {
		useOwnAgentDirectory();
		const { receiver, told } = await receiverWith(() => true, {});
		expect((await send("for the model")).code).toBe("submitted");
		await answered(receiver, "Seen by the model.");
		expect(told).toEqual([]);
	});
});

describe("a bridge envelope", () => {
	test("reaches the extension that claims it, and nobody else", async () => {
		useOwnAgentDirectory();
		const { receiver, told } = await receiverWith(({ bridge }) => bridge !== undefined);
		expect((await send(formatBridge(envelope()))).code).toBe("accepted");
		expect(told[0]?.bridge).toMatchObject({
			correlationId: "correlation-1",
			payload: { question: "who has the parser?" },
		});
		expect(receiver.arrivals()).toEqual([]);
	});

	test.for([
		{ what: "that nobody claims", wellFormed: true, on: flags, code: "no_handler" },
		{ what: "that is malformed", wellFormed: false, on: flags, code: "invalid_bridge" },
		{ what: "without the RPC", wellFormed: true, on: [], code: "unsupported" },
	])("$what never reaches pi", async ({ wellFormed, on, code }) => {
		useOwnAgentDirectory();
		const { receiver } = await receiverWith(() => false, { flags: on });
		expect((await send(wellFormed ? formatBridge(envelope()) : `${BRIDGE_PREFIX}{"version":1}`)).code).toBe(code);
		expect(receiver.arrivals()).toEqual([]);
		expect(JSON.stringify(receiver.session.sessionManager.getEntries())).not.toContain("cross-session:bridge");
	});
});
