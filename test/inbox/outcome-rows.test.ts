/** Every code of the outcome table, reached by sending from one session to another through a real socket. */
import { spawnSync } from "node:child_process";
import { chmod, rm } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { MESSAGE_OUTCOMES, type MessageOutcomeCode } from "../../lib/contract/message-outcomes.ts";
import type { SendRequest, SendResult } from "../../lib/inbox/outbox.ts";
import { endpointPath } from "../../lib/peers/paths.ts";
import type { Registration } from "../../lib/peers/registration.ts";
import { ManualClock } from "../peers/manual-clock.ts";
import { registrationFor, writeRegistration } from "../peers/temporary-peers.ts";
import { answer, line, readyAnswer, type Script, scriptedReceiver } from "../wire/raw-peers.ts";
import { freshPaths, openSession } from "./open-session.ts";

type Way = () => Promise<SendResult>;

const text = "The parser is yours now.";

async function openPair(changes: Parameters<typeof openSession>[1] = {}) {
	const paths = await freshPaths();
	const sender = await openSession(paths);
	const receiver = await openSession(paths, changes);
	const send = (request: Partial<SendRequest> = {}) =>
		sender.presence.outbox.send({ target: receiver.presence.instanceId, text, ...request });
	return { paths, sender, receiver, send };
}

/** The receiver's delivery says so. */
const delivered =
	(code: MessageOutcomeCode): Way =>
	async () => {
		const { receiver, send } = await openPair();
		receiver.delivery.decide = () => code;
		return send();
	};

/** A receiver that follows a script in place of a session. */
const scripted =
	(script: (recipient: Registration) => Script, clock?: ManualClock): Way =>
	async () => {
		const paths = await freshPaths();
		const sender = await openSession(paths, clock === undefined ? {} : { clock });
		const recipient = await writeRegistration(paths, registrationFor(paths));
		await scriptedReceiver(recipient, script(recipient));
		return sender.presence.outbox.send({ target: recipient.instanceId, text });
	};

const clock = new ManualClock();

/** How each code comes about. */
const ways: Record<MessageOutcomeCode, Way> = {
	submitted: delivered("submitted"),
	queued: delivered("queued"),
	accepted: delivered("accepted"),
	busy: async () => {
		const { receiver, send } = await openPair();
		receiver.delivery.refuseWith = "busy";
		return send();
	},
	queue_full: delivered("queue_full"),
	rate_limited: async () => {
		const { send } = await openPair();
		for (let index = 0; index < 30; index++) await send({ text: `${text} ${index}` });
		return send();
	},
	refused: async () => {
		const { receiver, send } = await openPair();
		await receiver.presence.setMode("refuse");
		return send();
	},
	stopped: delivered("stopped"),
	duplicate: async () => {
		const { send } = await openPair();
		await send({ messageId: "once" });
		return send({ messageId: "once", text: "Something else." });
	},
	expired: async () => {
		const late = new ManualClock(Date.now() + 31_000);
		const { send } = await openPair({ clock: late });
		return send();
	},
	budget_exhausted: async () => {
		const { receiver, send } = await openPair();
		while (receiver.presence.budget.take());
		return send();
	},
	unsupported: scripted((recipient) => (frame, socket) => {
		socket.write(line(readyAnswer(recipient, frame.requestId, { capabilities: [] })));
	}),
	not_found: async () => {
		const { send } = await openPair();
		return send({ target: "f".repeat(32) });
	},
	ambiguous: async () => {
		const describe = () => ({ name: "twin", cwd: "/workspace", status: "idle" as const });
		const { paths, send } = await openPair({ describe });
		await openSession(paths, { describe });
		return send({ target: "@twin" });
	},
	invalid_frame: scripted((recipient) => (frame, socket) => {
		socket.write(line(readyAnswer(recipient, frame.requestId, { ok: false, code: "invalid_frame", state: "refused" })));
	}),
	invalid_message: async () => (await openPair()).send({ text: "  " }),
	invalid_target: async () => (await openPair()).send({ target: "@" }),
	invalid_bridge: delivered("invalid_bridge"),
	no_handler: delivered("no_handler"),
	injection_failed: async () => {
		const { receiver, send } = await openPair();
		receiver.delivery.decide = () => {
			throw new Error("stale");
		};
		return send();
	},
	authentication_failed: async () => {
		const { paths, sender, send } = await openPair();
		await rm(`${paths.peersDirectory}/${sender.presence.instanceId}.json`);
		return send();
	},
	message_too_large: async () => (await openPair()).send({ text: "a".repeat(1_000_001) }),
	unsafe_endpoint: async () => {
		const { paths, receiver, send } = await openPair();
		await chmod(endpointPath(paths, receiver.presence.instanceId), 0o666);
		return send();
	},
	wrong_endpoint: scripted((recipient) => (frame, socket) => {
		const { id, instanceId, pid } = { ...recipient, instanceId: "0".repeat(32) };
		socket.write(line(readyAnswer(recipient, frame.requestId, { peer: { id, instanceId, pid } })));
	}),
	not_ready: delivered("not_ready"),
	timeout: scripted(() => () => clock.advance(5_000), clock),
	connection_closed: scripted(() => (_, socket) => socket.end()),
	cancelled: async () => {
		const { receiver, send } = await openPair();
		const controller = new AbortController();
		receiver.delivery.decide = () => {
			controller.abort();
			return "submitted";
		};
		return send({ signal: controller.signal });
	},
	transport_error: async () => {
		const paths = await freshPaths();
		const sender = await openSession(paths);
		const recipient = await writeRegistration(paths, registrationFor(paths));
		await abandonedSocket(recipient.socketPath);
		return sender.presence.outbox.send({ target: recipient.instanceId, text });
	},
	invalid_response: scripted(() => (_, socket) => socket.write("garbage\n")),
	invalid_receipt: scripted((recipient) => (frame, socket) => {
		if (frame.type === "hello") socket.write(line(readyAnswer(recipient, frame.requestId)));
		else socket.write(line(answer("another-question", "submitted")));
	}),
};

/** A socket file that nobody listens on any more, as a killed process leaves it. */
async function abandonedSocket(path: string): Promise<void> {
	const script = `require("node:net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, "SIGKILL"))`;
	spawnSync(process.execPath, ["-e", script]);
	await chmod(path, 0o600);
}

describe("a sender is told", () => {
	it.each(Object.entries(MESSAGE_OUTCOMES))("%s as the table says it", async (code, row) => {
		const way = Object.entries(ways).find(([name]) => name === code)?.[1];
		const result = await way?.();
		const { messageId, remoteInstanceId, ...told } = result?.receipt ?? {};
		expect(told).toEqual({ code, ...row });
		expect(messageId).toMatch(/^[A-Za-z0-9_-]{1,128}$/);
		expect(remoteInstanceId ?? null).toBe(result?.peer?.instanceId ?? null);
		expect(result?.ok).toBe(["submitted", "queued", "accepted"].includes(code));
	});

	it("something to do about each", () => {
		const nexts = Object.values(MESSAGE_OUTCOMES).map(({ next }) => next);
		expect(nexts.every((next) => next.length > 20 && next.length <= 2048)).toBe(true);
		expect(new Set(nexts).size).toBe(nexts.length);
	});

	it("to ask for the status, and never to send again, wherever the receipt is unknown", () => {
		const unknown = Object.values(MESSAGE_OUTCOMES).filter(({ state }) => state === "receipt_unknown");
		expect(unknown).toHaveLength(6);
		expect(unknown.every(({ retryable, next }) => !retryable && next.includes("do not send the message again"))).toBe(
			true,
		);
	});

	it("that a repetition is an option for three codes only", () => {
		const retryable = Object.entries(MESSAGE_OUTCOMES).flatMap(([code, row]) => (row.retryable ? [code] : []));
		expect(retryable).toEqual(["busy", "queue_full", "rate_limited"]);
	});
});
