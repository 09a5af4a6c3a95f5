/** What a caller on the bus gets for `send` and `status`, between real sessions. */
import { createEventBus } from "@earendil-works/pi-coding-agent";
import { describe, expect, it } from "vitest";
import { createBus } from "../../lib/contract/bus.ts";
import { INFO_TOPIC, PEERS_TOPIC, SEND_TOPIC, STATUS_TOPIC } from "../../lib/contract/index.ts";
import { MESSAGE_OUTCOMES, type MessageOutcomeCode } from "../../lib/contract/message-outcomes.ts";
import { requestRpc } from "../../lib/contract/request-rpc.ts";
import { ProbeBus } from "../contract/probe-bus.ts";
import { freshPaths, openSession } from "../inbox/open-session.ts";
import { registrationFor, writeRegistration } from "../peers/temporary-peers.ts";
import { scriptedReceiver } from "../wire/raw-peers.ts";
import { aboutPeer, hostAndPeer, openHost, recent, sendRequest } from "./open-host.ts";

describe("send", () => {
	it.each([
		["a bus that isolates nothing", () => new ProbeBus()],
		["pi's bus", createEventBus],
		["a mitt bus", createBus],
	])("over %s delivers the message and answers with the peer and its receipt", async (_name, makeBus) => {
		const { bus, local, peer, remoteInstanceId } = await hostAndPeer({ bus: makeBus() });
		const request = { ...sendRequest(local, remoteInstanceId), summary: "parser\nhand-off" };
		const reply = await requestRpc(bus, SEND_TOPIC, request);
		const { messageId } = request;
		expect(reply).toMatchObject({ version: 1, requestId: "r", local, ok: true, messageId });
		expect(reply).toMatchObject({ target: { instanceId: remoteInstanceId, id: peer.presence.sessionId } });
		const { next } = MESSAGE_OUTCOMES.submitted;
		const receipt = { messageId, remoteInstanceId, code: "submitted", state: "submitted", retryable: false, next };
		expect(reply).toHaveProperty("receipt", receipt);
		expect(JSON.stringify(reply)).not.toContain("token");
		expect(peer.delivery.delivered).toMatchObject([{ messageId, text: request.text, summary: "parser hand-off" }]);
	});

	it.each(["queued", "accepted"] as const)("passes on that the peer only %s it", async (code) => {
		const { bus, local, peer, remoteInstanceId } = await hostAndPeer();
		peer.delivery.decide = () => code;
		const reply = await requestRpc(bus, SEND_TOPIC, sendRequest(local, remoteInstanceId));
		expect(reply).toMatchObject({ ok: true, receipt: { code, state: code, retryable: false } });
	});

	it.each(["busy", "stopped", "rate_limited", "invalid_bridge", "no_handler"] satisfies MessageOutcomeCode[])(
		"that the peer answers with %s is a refusal which names message and peer",
		async (code) => {
			const { bus, local, peer, remoteInstanceId } = await hostAndPeer();
			peer.delivery.decide = () => code;
			const request = sendRequest(local, remoteInstanceId);
			const reply = await requestRpc(bus, SEND_TOPIC, request);
			const { state, retryable, next } = MESSAGE_OUTCOMES[code];
			const { messageId } = request;
			const error = "The peer did not get this.";
			const refusal = { ok: false, code, state, retryable, next, error, messageId, remoteInstanceId };
			expect(reply).toEqual({ version: 1, requestId: "r", local, ...refusal });
		},
	);

	it.each([
		["a blank text", { text: " \n" }, "invalid_message"],
		["half a surrogate pair", { text: "a\ud83e" }, "invalid_message"],
		["a text above the bound", { text: "a".repeat(1_000_001) }, "message_too_large"],
		["a summary above the bound", { summary: "a".repeat(401) }, "invalid_message"],
	])("of %s is refused at no cost", async (_name, changes, code) => {
		const { bus, host, local, peer, remoteInstanceId } = await hostAndPeer();
		const request = { ...sendRequest(local, remoteInstanceId), ...changes };
		const reply = await requestRpc(bus, SEND_TOPIC, request);
		expect(reply).toMatchObject({ ok: false, code, state: "refused", messageId: request.messageId });
		expect(peer.delivery.delivered).toEqual([]);
		expect(host.presence.budget.remaining).toBe(256);
	});

	it("to nobody, and to the session itself, is refused", async () => {
		const { bus, local } = await hostAndPeer();
		const toNobody = await requestRpc(bus, SEND_TOPIC, sendRequest(local, "f".repeat(32), "r1"));
		expect(toNobody).toMatchObject({ ok: false, code: "not_found", remoteInstanceId: "f".repeat(32) });
		const toItself = await requestRpc(bus, SEND_TOPIC, sendRequest(local, local.instanceId, "r2"));
		expect(toItself).toMatchObject({ ok: false, code: "invalid_target" });
	});

	it("never takes a name for an instance id, whatever it looks like", async () => {
		const paths = await freshPaths();
		const host = await openHost(paths);
		const { presence } = await openSession(paths);
		const looksLikeIt = () => ({ name: presence.instanceId, cwd: "/workspace", status: "idle" as const });
		const pretender = await openSession(paths, { describe: looksLikeIt });
		const reply = await requestRpc(host.bus, SEND_TOPIC, sendRequest(host.local, presence.instanceId, "r1"));
		expect(reply).toMatchObject({ ok: true, target: { instanceId: presence.instanceId } });
		await presence.setMode("refuse");
		const refused = await requestRpc(host.bus, SEND_TOPIC, sendRequest(host.local, presence.instanceId, "r2"));
		expect(refused).toMatchObject({ ok: false, code: "refused" });
		expect(pretender.delivery.delivered).toEqual([]);
	});
});

describe("status", () => {
	it("is the way out of a receipt that got lost", async () => {
		const { bus, host, local, peer, remoteInstanceId } = await hostAndPeer();
		const controller = new AbortController();
		peer.delivery.decide = () => {
			controller.abort();
			return "queued";
		};
		const request = sendRequest(local, remoteInstanceId);
		const lost = requestRpc(bus, SEND_TOPIC, request, 5000, controller.signal);
		await expect(lost).rejects.toMatchObject({ code: "receipt_unknown" });
		await expect.poll(() => peer.presence.inbox.states.list()).toHaveLength(1);
		const { text: _, ...question } = { ...request, requestId: "s" };
		const reply = await requestRpc(bus, STATUS_TOPIC, question);
		expect(reply).toEqual({
			version: 1,
			requestId: "s",
			local,
			ok: true,
			messageId: request.messageId,
			state: "queued",
		});
		expect(host.presence.budget.remaining).toBe(255);
	});

	it("is unknown for a message that somebody else sent", async () => {
		const { paths, bus, local, remoteInstanceId } = await hostAndPeer();
		const other = await openHost(paths);
		const request = sendRequest(local, remoteInstanceId);
		await requestRpc(bus, SEND_TOPIC, request);
		const { text: _, ...question } = { ...request, local: other.local };
		expect(await requestRpc(other.bus, STATUS_TOPIC, question)).toMatchObject({ ok: true, state: "unknown" });
	});

	it("that gets no answer says what is known: nothing", async () => {
		const { paths, bus, local } = await hostAndPeer();
		const silent = await writeRegistration(paths, registrationFor(paths));
		await scriptedReceiver(silent, (_frame, socket) => socket.destroy());
		const request = aboutPeer(local, silent.instanceId);
		const reply = await requestRpc(bus, STATUS_TOPIC, request);
		const { messageId, remoteInstanceId } = request;
		const unknown = { code: "connection_closed", state: "receipt_unknown", retryable: false };
		expect(reply).toMatchObject({ ok: false, ...unknown, messageId, remoteInstanceId });
	});
});

describe("peers", () => {
	it("lists who is live, with the workspace's own marked readable and no secret", async () => {
		const { paths, bus, local, peer } = await hostAndPeer();
		await openSession(paths, { describe: () => ({ name: "elsewhere", cwd: "/other", status: "busy" }) });
		const reply = await requestRpc(bus, PEERS_TOPIC, { version: 1, requestId: "r", local });
		if (!reply.ok) throw new Error(reply.code);
		const seen = reply.peers.map(({ name, readable, status, git }) => ({ name, readable, status, git }));
		expect(seen).toHaveLength(2);
		expect(seen).toContainEqual({ name: peer.presence.sessionId, readable: true, status: "idle", git: null });
		expect(seen).toContainEqual({ name: "elsewhere", readable: false, status: "busy", git: null });
		expect(JSON.stringify(reply)).not.toContain("token");
		expect(reply).not.toHaveProperty("recent");
	});

	it("adds recent sessions only when they are asked for", async () => {
		const { bus, local } = await hostAndPeer();
		const reply = await requestRpc(bus, PEERS_TOPIC, { version: 1, requestId: "r", local, include: "recent" });
		expect(reply).toMatchObject({ ok: true, recent });
	});
});

describe("info", () => {
	it("tells the budgets as they are, and what is known of messages that arrived", async () => {
		const { bus, host, local, peer, remoteInstanceId } = await hostAndPeer({ sendRequests: 2 });
		host.delivery.decide = () => "queued";
		const ask = () => requestRpc(bus, INFO_TOPIC, { version: 1, requestId: "i" });
		expect(await ask()).toMatchObject({ ok: true, local, stopped: false, remainingBudget: 256, states: [] });
		await requestRpc(bus, SEND_TOPIC, sendRequest(local, remoteInstanceId));
		await peer.presence.outbox.send({ target: local.instanceId, text: "Thanks.", messageId: "answer" });
		expect(await ask()).toMatchObject({
			remainingBudget: 254,
			remainingRpcRequests: 1,
			remainingContextRequests: 256,
			states: [{ messageId: "answer", source: remoteInstanceId, state: "queued", updatedAt: expect.any(Number) }],
		});
	});
});
