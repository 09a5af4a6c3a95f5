/** Sending between real sessions: what is checked first, what it costs, and what ends it. */
import { describe, expect, it } from "vitest";
import { isTaken } from "../../lib/contract/message-outcomes.ts";
import { registrationFor, writeRegistration } from "../peers/temporary-peers.ts";
import { scriptedReceiver } from "../wire/raw-peers.ts";
import { freshPaths, openSession } from "./open-session.ts";

async function pair() {
	const paths = await freshPaths();
	const sender = await openSession(paths);
	const receiver = await openSession(paths);
	return { paths, sender, receiver, outbox: sender.presence.outbox, target: receiver.presence.instanceId };
}

const text = "The parser is yours now.\nSecond line.";

describe("a message", () => {
	it("arrives as it was sent, from whom it was sent", async () => {
		const { sender, receiver, outbox, target } = await pair();
		const result = await outbox.send({ target, text, messageId: "m1" });
		expect(result).toMatchObject({
			ok: true,
			receipt: { messageId: "m1", remoteInstanceId: target, code: "submitted", state: "submitted" },
			peer: { instanceId: target, ref: target.slice(0, 8) },
			candidates: [],
		});
		expect(JSON.stringify(result)).not.toMatch(/token/);
		const [message] = receiver.delivery.delivered;
		expect(message).toMatchObject({ messageId: "m1", text, summary: "The parser is yours now.", mode: "accept" });
		expect(message?.sender.instanceId).toBe(sender.presence.instanceId);
	});

	it.each([
		["name", "session-name"],
		["session id", "0199-receiver"],
		["name with @", "@session-name"],
	])("finds its receiver by %s", async (_, target) => {
		const paths = await freshPaths();
		const sender = await openSession(paths);
		await openSession(paths);
		const describe = () => ({ name: "session-name", cwd: "/workspace", status: "idle" as const });
		const receiver = await openSession(paths, { sessionId: "0199-receiver", describe });
		const { instanceId } = receiver.presence;
		for (const written of [target, instanceId.slice(0, 6), `session-name [${instanceId.slice(0, 8)}]`]) {
			const result = await sender.presence.outbox.send({ target: written, text: `${written}: ${text}` });
			expect(result.peer?.instanceId).toBe(instanceId);
			expect(result.ok).toBe(true);
		}
	});

	it("gets its summary from what the caller gave, as one line, else from its first line that shows anything", async () => {
		const { receiver, outbox, target } = await pair();
		await outbox.send({ target, text, summary: "parser\nhand-off" });
		await outbox.send({ target, text: `\n\u001b\n  ${"é".repeat(300)}\nrest` });
		await outbox.send({ target, text: "\u0007" });
		const summaries = receiver.delivery.delivered.map(({ summary }) => summary);
		expect(summaries).toEqual(["parser hand-off", "é".repeat(200), "message"]);
	});
});

describe("before anything is opened", () => {
	it.each([
		["a blank text", { text: " \n " }, "invalid_message"],
		["half a surrogate pair", { text: "a\ud83e" }, "invalid_message"],
		["a text of a million units and one", { text: "a".repeat(1_000_001) }, "message_too_large"],
		["a summary of 401 units", { summary: "a".repeat(401) }, "invalid_message"],
		["an id with a blank", { messageId: "a b" }, "invalid_message"],
		["a blank target", { target: " @ " }, "invalid_target"],
	])("%s is refused, at no cost", async (_, changes, code) => {
		const { sender, outbox, target } = await pair();
		const result = await outbox.send({ target, text, ...changes });
		expect(result).toMatchObject({ ok: false, receipt: { code, state: "refused" }, peer: null });
		expect(sender.presence.budget.remaining).toBe(256);
	});

	it("the session itself is no target", async () => {
		const { sender, outbox } = await pair();
		const { instanceId, sessionId } = sender.presence;
		expect((await outbox.send({ target: instanceId, text })).receipt.code).toBe("invalid_target");
		expect((await outbox.send({ target: sessionId, text })).receipt.code).toBe("not_found");
	});

	it("a peer that registered as refusing is not bothered", async () => {
		const { sender, receiver, outbox, target } = await pair();
		await receiver.presence.setMode("refuse");
		expect((await outbox.send({ target, text })).receipt.code).toBe("refused");
		expect(sender.presence.budget.remaining).toBe(256);
	});

	it("an ambiguous target names those it can mean", async () => {
		const paths = await freshPaths();
		const sender = await openSession(paths);
		const describe = () => ({ name: "twin", cwd: "/workspace", status: "idle" as const });
		const twins = [await openSession(paths, { describe }), await openSession(paths, { describe })];
		const result = await sender.presence.outbox.send({ target: "twin", text });
		expect(result.receipt.code).toBe("ambiguous");
		expect(new Set(result.candidates)).toEqual(
			new Set(twins.map(({ presence }) => `twin [${presence.instanceId.slice(0, 8)}]`)),
		);
		expect(sender.presence.budget.remaining).toBe(256);
	});

	it("a name that only a silent registration has means nobody", async () => {
		const { paths, outbox } = await pair();
		await writeRegistration(paths, registrationFor(paths, { name: "ghost" }));
		expect((await outbox.send({ target: "ghost", text })).receipt.code).toBe("not_found");
	});
});

describe("the budget", () => {
	it("is one for sending and receiving, and an attempt that fails costs too", async () => {
		const { paths, sender, receiver, outbox, target } = await pair();
		const gone = await writeRegistration(paths, registrationFor(paths));
		expect((await outbox.send({ target: gone.instanceId, text })).receipt.code).toBe("not_found");
		await outbox.send({ target, text });
		await receiver.presence.outbox.send({ target: sender.presence.instanceId, text });
		expect(sender.presence.budget.remaining).toBe(253);
		expect(receiver.presence.budget.remaining).toBe(254);
	});

	it("that is used up opens nothing", async () => {
		const { sender, receiver, outbox, target } = await pair();
		while (sender.presence.budget.take());
		expect((await outbox.send({ target, text })).receipt.code).toBe("budget_exhausted");
		expect(receiver.delivery.delivered).toEqual([]);
	});

	it("is the same for all that goes out at once", async () => {
		const { sender, receiver, outbox, target } = await pair();
		for (let index = 0; index < 253; index++) sender.presence.budget.take();
		const results = await Promise.all(
			Array.from({ length: 5 }, (_, index) => outbox.send({ target, text: `${text} ${index}` })),
		);
		expect(results.filter(({ receipt }) => isTaken(receipt))).toHaveLength(3);
		expect(receiver.delivery.delivered).toHaveLength(3);
	});
});

describe("the question what became of a message", () => {
	it("is answered by its receiver, and costs nothing", async () => {
		const { sender, receiver, outbox, target } = await pair();
		receiver.delivery.decide = () => "queued";
		await outbox.send({ target, text, messageId: "m1" });
		expect(await outbox.askState({ target, messageId: "m1" })).toMatchObject({ state: "queued", failure: null });
		receiver.presence.inbox.states.set(sender.presence.instanceId, "m1", "dropped_cancelled");
		expect(await outbox.askState({ target, messageId: "m1" })).toMatchObject({ state: "dropped_cancelled" });
		expect(sender.presence.budget.remaining).toBe(255);
		expect(receiver.presence.budget.remaining).toBe(255);
	});

	it("is unknown to a receiver that has the message from somebody else", async () => {
		const { paths, outbox, target } = await pair();
		const other = await openSession(paths);
		await outbox.send({ target, text, messageId: "m1" });
		expect(await other.presence.outbox.askState({ target, messageId: "m1" })).toMatchObject({ state: "unknown" });
	});

	it("without an answer says why", async () => {
		const { outbox } = await pair();
		const nobody = await outbox.askState({ target: "f".repeat(32), messageId: "m1" });
		expect(nobody).toMatchObject({ state: null, failure: { code: "not_found", messageId: "m1" } });
		const wrong = await outbox.askState({ target: "f".repeat(32), messageId: "a b" });
		expect(wrong).toMatchObject({ state: null, failure: { code: "invalid_message" } });
	});
});

describe("a fence", () => {
	it("ends every exchange under way, and every later one before it begins", async () => {
		const { paths, sender, outbox } = await pair();
		const peer = await writeRegistration(paths, registrationFor(paths));
		const asked = Promise.withResolvers<void>();
		const receiver = await scriptedReceiver(peer, () => asked.resolve());
		const sent = outbox.send({ target: peer.instanceId, text });
		await asked.promise;
		const stopped = sender.lifecycle.stop();
		expect((await sent).receipt).toMatchObject({ code: "cancelled", state: "receipt_unknown" });
		await stopped;
		expect((await outbox.send({ target: peer.instanceId, text: "later" })).receipt.code).toBe("cancelled");
		expect(receiver.connections).toBe(1);
	});
});
