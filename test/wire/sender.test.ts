/** The sending side, answered by receivers that follow a script. */
import { chmod, symlink, writeFile } from "node:fs/promises";
import { describe, expect, it, vi } from "vitest";
import { MESSAGE_OUTCOMES, type MessageOutcomeCode } from "../../lib/contract/message-outcomes.ts";
import type { EndpointVerdict } from "../../lib/peers/endpoint.ts";
import type { Registration } from "../../lib/peers/registration.ts";
import { askMessageState, createProbe, type ExchangeOptions, sendMessage } from "../../lib/wire/exchange.ts";
import { ManualClock } from "../peers/manual-clock.ts";
import { registrationFor, temporaryPaths } from "../peers/temporary-peers.ts";
import {
	answer,
	type Json,
	line,
	readyAnswer,
	type Script,
	type ScriptedReceiver,
	scriptedReceiver,
} from "./raw-peers.ts";

interface Scene {
	readonly options: ExchangeOptions;
	readonly recipient: Registration;
}

async function prepare(changes: Partial<ExchangeOptions> = {}): Promise<Scene> {
	const paths = await temporaryPaths();
	const recipient = registrationFor(paths);
	return { recipient, options: { paths, from: registrationFor(paths), recipient, ...changes } };
}

const content = () => ({ messageId: "m1", text: "Please look at the parser.", summary: "parser", sentAt: Date.now() });

function outcome(code: MessageOutcomeCode) {
	return { code, ...MESSAGE_OUTCOMES[code] };
}

/** Answers the hello properly and the question with what `reply` makes of it. */
function afterHello(recipient: Registration, reply: (question: Json) => string): Script {
	return (frame, socket) => {
		socket.write(frame.type === "hello" ? line(readyAnswer(recipient, frame.requestId)) : reply(frame));
	};
}

/** Sends to a receiver that answers the question with `reply`. */
async function sendTo(reply: (question: Json) => string) {
	const { options, recipient } = await prepare();
	const receiver = await scriptedReceiver(recipient, afterHello(recipient, reply));
	return { result: await sendMessage(content(), options), receiver };
}

/** Sends to a receiver that answers the hello with `reply`. */
async function greet(reply: (hello: Json, recipient: Registration) => string) {
	const { options, recipient } = await prepare();
	const receiver = await scriptedReceiver(recipient, (frame, socket) => socket.write(reply(frame, recipient)));
	return { result: await sendMessage(content(), options), receiver };
}

const framesOf = (receiver: ScriptedReceiver) => receiver.frames.map((frame) => frame.type);

describe("one send", () => {
	it("is one connection with a hello and the message, and ends with the receiver's word", async () => {
		const { options, recipient } = await prepare();
		const receiver = await scriptedReceiver(
			recipient,
			afterHello(recipient, ({ requestId }) => line(answer(requestId, "queued"))),
		);
		const sent = content();
		expect(await sendMessage(sent, options)).toEqual(outcome("queued"));
		expect(receiver.connections).toBe(1);
		const [hello, message] = receiver.frames;
		const { id, instanceId, token } = options.from;
		expect(hello).toMatchObject({
			v: 1,
			type: "hello",
			token: recipient.token,
			target: { id: recipient.id, instanceId: recipient.instanceId },
			from: { id, instanceId, token },
			capabilities: ["cancel-safe-queue-v1"],
		});
		expect(message).toEqual({ v: 1, type: "message", requestId: message?.requestId, ...sent });
		expect(message?.requestId).not.toBe(hello?.requestId);
	});

	it.each<[string, MessageOutcomeCode, (question: Json) => string]>([
		["a refusal", "busy", ({ requestId }) => line(refusal(requestId, "busy"))],
		["another id", "invalid_receipt", () => line(answer("other", "submitted"))],
		["garbage", "invalid_response", () => "garbage\n"],
	])("is never made twice, whatever the answer: %s", async (_, code, reply) => {
		const { result, receiver } = await sendTo(reply);
		expect(result).toEqual(outcome(code));
		expect(receiver.connections).toBe(1);
		expect(framesOf(receiver)).toEqual(["hello", "message"]);
	});

	it("that can't fit into a frame opens nothing", async () => {
		const vet = vi.fn(async (): Promise<EndpointVerdict> => "safe");
		const { options } = await prepare({ vet });
		const escaped = { ...content(), text: "\u0001".repeat(200_000) };
		expect(await sendMessage(escaped, options)).toEqual(outcome("message_too_large"));
		expect(vet).not.toHaveBeenCalled();
	});
});

function refusal(requestId: unknown, code: string, changes: Json = {}): Json {
	return answer(requestId, code, { ok: false, state: "refused", ...changes });
}

describe("the hello answer", () => {
	it.each<[string, MessageOutcomeCode, Json]>([
		["without the capability, nothing more is sent", "unsupported", { capabilities: ["other"] }],
		["from another session", "wrong_endpoint", { peer: { id: "other", instanceId: "0".repeat(32), pid: 1 } }],
		["from nobody", "wrong_endpoint", { peer: undefined }],
		["that is not ready", "invalid_response", { status: "submitted" }],
		["with another id", "invalid_receipt", { requestId: "other" }],
		["without an id of its own", "invalid_receipt", { requestId: "unknown" }],
		["that refuses", "authentication_failed", { ok: false, code: "authentication_failed", state: "refused" }],
		["that refuses for a start", "not_ready", { ok: false, code: "not_ready", state: "refused" }],
	])("%s", async (_, code, changes) => {
		const { result, receiver } = await greet((hello, recipient) =>
			line(readyAnswer(recipient, hello.requestId, changes)),
		);
		expect(result).toEqual(outcome(code));
		expect(framesOf(receiver)).toEqual(["hello"]);
	});

	it("given twice is a receipt of the wrong question", async () => {
		const { result } = await greet((hello, recipient) => line(readyAnswer(recipient, hello.requestId)).repeat(2));
		expect(result).toEqual(outcome("invalid_receipt"));
	});

	it("that comes in the place of the receipt is none", async () => {
		const { options, recipient } = await prepare();
		let helloId: unknown;
		await scriptedReceiver(recipient, (frame, socket) => {
			helloId ??= frame.requestId;
			socket.write(line(readyAnswer(recipient, helloId)));
		});
		expect(await sendMessage(content(), options)).toEqual(outcome("invalid_receipt"));
	});

	it("followed by a receipt that came before the message is a receipt of the wrong question", async () => {
		const { result } = await greet(
			(hello, recipient) => line(readyAnswer(recipient, hello.requestId)) + line(answer("guessed", "submitted")),
		);
		expect(result).toEqual(outcome("invalid_receipt"));
	});
});

describe("an answer with bad metadata is unknown, never a refusal", () => {
	it.each<[string, Json]>([
		["a code of 65 characters", { code: "x".repeat(65) }],
		["a code that is a number", { code: 7 }],
		["a state of 65 characters", { state: "x".repeat(65) }],
		["a next of 2,049 characters", { next: "x".repeat(2049) }],
		["an error of 4,097 characters", { error: "x".repeat(4097) }],
		["a retryable that is a word", { retryable: "yes" }],
		["no state", { state: undefined }],
		["capabilities that are a string", { capabilities: "cancel-safe-queue-v1" }],
		["nine capabilities", { capabilities: new Array(9).fill("x") }],
		["an ok that is a word", { ok: "false" }],
		["another version", { v: 2 }],
		["a code that nobody knows", { code: "gone_fishing" }],
		["a code that says it was taken", { code: "submitted" }],
		["a state that contradicts its code", { state: "receipt_unknown" }],
	])("%s", async (_, changes) => {
		const { result } = await sendTo(({ requestId }) => line(refusal(requestId, "busy", changes)));
		expect(result).toEqual(outcome("invalid_response"));
	});

	it.each<[string, Json]>([
		["a status that nobody knows", { status: "delivered", code: "delivered", state: "delivered" }],
		["a status that refuses", { status: "busy", code: "busy", state: "refused" }],
		["a code that refuses", { code: "busy" }],
		["a state that is another's", { state: "accepted" }],
	])("also when it says ok: %s", async (_, changes) => {
		const { result } = await sendTo(({ requestId }) => line(answer(requestId, "queued", changes)));
		expect(result).toEqual(outcome("invalid_response"));
	});

	it("and none of it grants a repetition", async () => {
		const granted = { retryable: true, next: "Send it again at once." };
		const { result } = await sendTo(({ requestId }) => line(refusal(requestId, "duplicate", granted)));
		expect(result).toEqual(outcome("duplicate"));
	});

	it("while a refusal of a kind of invalidity that is new here stays a refusal", async () => {
		const { result } = await sendTo(({ requestId }) => line(refusal(requestId, "invalid_colour")));
		expect(result).toMatchObject({ code: "invalid_colour", state: "refused", retryable: false });
		expect(result.next).not.toBe("");
	});

	it("and bytes that are no text end it", async () => {
		const { options, recipient } = await prepare();
		await scriptedReceiver(recipient, (_, socket) => socket.write(Uint8Array.of(0xff, 0x0a)));
		expect(await sendMessage(content(), options)).toEqual(outcome("invalid_response"));
	});

	it("and so does an answer that doesn't end", async () => {
		const { result } = await sendTo(() => "x".repeat(1_048_577));
		expect(result).toEqual(outcome("invalid_response"));
	});
});

describe("the deadline", () => {
	it("is five seconds for everything, the look at the socket included", async () => {
		const clock = new ManualClock();
		const looked = Promise.withResolvers<EndpointVerdict>();
		const { options, recipient } = await prepare({ clock, vet: () => looked.promise });
		const receiver = await scriptedReceiver(recipient, () => {});
		const sent = sendMessage(content(), options);
		clock.advance(5_000);
		expect(await sent).toEqual(outcome("timeout"));
		looked.resolve("safe");
		await new Promise((resolve) => setImmediate(resolve));
		expect(receiver.connections).toBe(0);
		expect(clock.pending).toBe(0);
	});

	it("holds for a look that ends after it while no timer could run", async () => {
		const clock = new ManualClock();
		const { options, recipient } = await prepare({
			clock,
			vet: (): EndpointVerdict => {
				clock.stall(5_000);
				return "safe";
			},
		});
		const receiver = await scriptedReceiver(recipient, () => {});
		expect(await sendMessage(content(), options)).toEqual(outcome("timeout"));
		expect(receiver.connections).toBe(0);
	});

	it("is not begun anew by the hello answer", async () => {
		const clock = new ManualClock();
		const { options, recipient } = await prepare({ clock });
		const receiver = await scriptedReceiver(recipient, (frame, socket) => {
			clock.advance(2_500);
			if (frame.type === "hello") socket.write(line(readyAnswer(recipient, frame.requestId)));
		});
		expect(await sendMessage(content(), options)).toEqual(outcome("timeout"));
		expect(framesOf(receiver)).toEqual(["hello", "message"]);
	});

	it("keeps a message from being sent after it", async () => {
		const clock = new ManualClock();
		const { options, recipient } = await prepare({ clock });
		const receiver = await scriptedReceiver(recipient, (frame, socket) => {
			clock.stall(5_000);
			socket.write(line(readyAnswer(recipient, frame.requestId)));
		});
		expect(await sendMessage(content(), options)).toEqual(outcome("timeout"));
		expect(framesOf(receiver)).toEqual(["hello"]);
	});

	it("of a probe is 350 milliseconds", async () => {
		const clock = new ManualClock();
		const { options, recipient } = await prepare();
		const asked = Promise.withResolvers<void>();
		await scriptedReceiver(recipient, () => asked.resolve());
		const probing = createProbe({ paths: options.paths, clock })(recipient);
		await asked.promise;
		expect(clock.nextIn()).toBe(350);
		clock.advance(350);
		expect(await probing).toBe("silent");
	});
});

describe("an abort", () => {
	it("before the start opens nothing", async () => {
		const vet = vi.fn(async (): Promise<EndpointVerdict> => "safe");
		const { options } = await prepare({ vet, signal: AbortSignal.abort() });
		expect(await sendMessage(content(), options)).toEqual(outcome("cancelled"));
		expect(vet).not.toHaveBeenCalled();
	});

	it("during the look at the socket does not connect", async () => {
		const controller = new AbortController();
		const looked = Promise.withResolvers<EndpointVerdict>();
		const { options, recipient } = await prepare({ signal: controller.signal, vet: () => looked.promise });
		const receiver = await scriptedReceiver(recipient, () => {});
		const sent = sendMessage(content(), options);
		controller.abort();
		expect(await sent).toEqual(outcome("cancelled"));
		looked.resolve("safe");
		await new Promise((resolve) => setImmediate(resolve));
		expect(receiver.connections).toBe(0);
	});

	it("after the message leaves the receipt unknown and closes the connection", async () => {
		const controller = new AbortController();
		const closed = Promise.withResolvers<void>();
		const { options, recipient } = await prepare({ signal: controller.signal });
		await scriptedReceiver(recipient, (frame, socket) => {
			socket.on("close", () => closed.resolve());
			if (frame.type === "message") controller.abort();
			else socket.write(line(readyAnswer(recipient, frame.requestId)));
		});
		expect(await sendMessage(content(), options)).toEqual(outcome("cancelled"));
		await closed.promise;
	});
});

describe("the endpoint", () => {
	it.each<[string, MessageOutcomeCode, (recipient: Registration) => Promise<unknown>]>([
		["that is missing is nobody", "not_found", async () => {}],
		["that is a file is unsafe", "unsafe_endpoint", ({ socketPath }) => writeFile(socketPath, "", { mode: 0o600 })],
		["that is a link is unsafe", "unsafe_endpoint", ({ socketPath }) => symlink("elsewhere", socketPath)],
	])("%s", async (_, code, lay) => {
		const { options, recipient } = await prepare();
		await lay(recipient);
		expect(await sendMessage(content(), options)).toEqual(outcome(code));
	});

	it.each([0o660, 0o606])("with mode %o is unsafe, and not connected to", async (mode) => {
		const { options, recipient } = await prepare();
		const receiver = await scriptedReceiver(recipient, () => {});
		await chmod(recipient.socketPath, mode);
		expect(await sendMessage(content(), options)).toEqual(outcome("unsafe_endpoint"));
		expect(receiver.connections).toBe(0);
	});

	it("in a directory that others may write to is unsafe", async () => {
		const { options, recipient } = await prepare();
		const receiver = await scriptedReceiver(recipient, () => {});
		await chmod(options.recipient.socketPath.replace(/\/[^/]*$/, ""), 0o777);
		expect(await sendMessage(content(), options)).toEqual(outcome("unsafe_endpoint"));
		expect(receiver.connections).toBe(0);
	});

	it("of another user is unsafe", async () => {
		const { options, recipient } = await prepare();
		const receiver = await scriptedReceiver(recipient, () => {});
		const paths = { ...options.paths, userId: (options.paths.userId ?? 0) + 1 };
		expect(await sendMessage(content(), { ...options, paths })).toEqual(outcome("unsafe_endpoint"));
		expect(receiver.connections).toBe(0);
	});
});

describe("a broken connection", () => {
	it("before the receipt leaves it unknown", async () => {
		const { options, recipient } = await prepare();
		await scriptedReceiver(recipient, (frame, socket) => {
			if (frame.type === "hello") socket.write(line(readyAnswer(recipient, frame.requestId)));
			else socket.end(line(answer(frame.requestId, "submitted")).slice(0, -1));
		});
		expect(await sendMessage(content(), options)).toEqual(outcome("connection_closed"));
	});
});

describe("the question about a message", () => {
	async function askWith(changes: Json) {
		const { options, recipient } = await prepare();
		const receiver = await scriptedReceiver(
			recipient,
			afterHello(recipient, ({ requestId }) => line(answer(requestId, "dropped_cancelled", changes))),
		);
		return { answer: await askMessageState("m1", options), receiver };
	}

	it("is answered with its state", async () => {
		const asked = await askWith({ code: "status" });
		expect(asked.answer).toEqual({ ok: true, state: "dropped_cancelled" });
		expect(framesOf(asked.receiver)).toEqual(["hello", "status"]);
	});

	it("is answered with unknown where the state is a new one", async () => {
		const asked = await askWith({ status: "dropped_by_moon", state: "dropped_by_moon" });
		expect(asked.answer).toEqual({ ok: true, state: "unknown" });
	});

	it("is not answered by two different states", async () => {
		const asked = await askWith({ state: "submitted" });
		expect(asked.answer).toEqual({ ok: false, outcome: outcome("invalid_response") });
	});
});

describe("a probe", () => {
	it("says nothing about who asks, and is ready, unready or silent", async () => {
		const { options, recipient } = await prepare();
		const probe = createProbe({ paths: options.paths });
		expect(await probe(recipient)).toBe("silent");
		let changes: Json = {};
		const receiver = await scriptedReceiver(recipient, (frame, socket) =>
			socket.write(line(readyAnswer(recipient, frame.requestId, changes))),
		);
		expect(await probe(recipient)).toBe("ready");
		changes = { ok: false, code: "not_ready", state: "refused" };
		expect(await probe(recipient)).toBe("unready");
		changes = { requestId: "late" };
		expect(await probe(recipient)).toBe("unready");
		expect(receiver.frames.every((frame) => frame.type === "hello" && !("from" in frame))).toBe(true);
	});
});
