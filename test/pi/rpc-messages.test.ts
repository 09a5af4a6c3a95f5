/** Messages by RPC from real sessions: what an extension in the same process can do with the topics about peers. */
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
	type Bus,
	type Incarnation,
	PEERS_TOPIC,
	replyTopic,
	requestRpc,
	SEND_TOPIC,
	STATUS_TOPIC,
} from "../../lib/contract/index.ts";
import { peerPaths } from "../../lib/peers/paths.ts";
import { openSession } from "../inbox/open-session.ts";
import { infoOf } from "../support/pi/ask.ts";
import type { InProcessPi } from "../support/pi/in-process-pi.ts";
import { temporaryDirectory, useOwnAgentDirectory } from "../support/pi/workspaces.ts";
import { answered, start, startNamed } from "./message-setting.ts";

const flags = ["cross-session-rpc"];

/** What every addressed request begins with; `local` is whoever answers `info`. */
async function envelope(bus: Bus): Promise<{ version: 1; requestId: string; local: Incarnation }> {
	const { local } = await infoOf(bus);
	const { sessionId, instanceId } = local;
	return { version: 1, requestId: randomUUID(), local: { sessionId, instanceId } };
}

test("a peer is found, written to by its whole id, and asked what became of it", async () => {
	useOwnAgentDirectory();
	const cwd = temporaryDirectory("workspace");
	// A name that another instance id could be: nobody is ever addressed by it.
	const receiver = await startNamed("0123456789abcdef0123456789abcdef", { flags, cwd, script: [{ text: "Seen." }] });
	const sender = await start({ flags, cwd });
	const { instanceId } = (await infoOf(receiver.bus)).local;

	const listed = await requestRpc(sender.bus, PEERS_TOPIC, await envelope(sender.bus));
	const peer = { id: receiver.sessionId, instanceId, cwd, status: "idle", inbound: "accept", readable: true };
	expect(listed).toMatchObject({ ok: true, peers: [peer] });
	expect(JSON.stringify(listed)).not.toContain("token");

	const message = { messageId: "m1", text: "Who has the parser?" };
	const send = async (remoteInstanceId: string) =>
		requestRpc(sender.bus, SEND_TOPIC, { ...(await envelope(sender.bus)), remoteInstanceId, ...message });
	expect(await send("0123456789abcdef0123456789abcdef")).toMatchObject({ ok: false, code: "not_found" });
	expect(await send(instanceId)).toMatchObject({
		ok: true,
		messageId: "m1",
		target: { instanceId },
		receipt: { code: "submitted", state: "submitted" },
	});
	await answered(receiver, "Seen.");
	expect(receiver.arrivals()).toHaveLength(1);
	expect(await send(instanceId)).toMatchObject({ ok: false, code: "duplicate", state: "refused" });

	const question = { ...(await envelope(sender.bus)), remoteInstanceId: instanceId, messageId: "m1" };
	expect(await requestRpc(sender.bus, STATUS_TOPIC, question)).toMatchObject({ ok: true, state: "submitted" });
	expect((await infoOf(sender.bus)).remainingBudget).toBe(254);
});

describe("a message that is on its way when its sender's incarnation ends", () => {
	const endings: [name: string, end: (pi: InProcessPi) => Promise<unknown>][] = [
		["by a reload", (pi) => pi.session.reload()],
		["by a new session", (pi) => pi.runtime.newSession()],
		["with its session", (pi) => pi.dispose()],
	];

	test.each(endings)("%s is unknown to its sender, and arrives once", async (_name, end) => {
		const agentDirectory = useOwnAgentDirectory();
		const { presence, delivery } = await openSession(peerPaths(agentDirectory));
		const arrived = Promise.withResolvers<void>();
		const released = Promise.withResolvers<"submitted">();
		delivery.decide = () => {
			arrived.resolve();
			return released.promise;
		};
		const pi = await start({ flags });
		const { bus } = pi;
		const request = {
			...(await envelope(bus)),
			remoteInstanceId: presence.instanceId,
			messageId: "m1",
			text: "Who has the parser?",
		};
		const replies: unknown[] = [];
		bus.on(replyTopic(SEND_TOPIC, request.requestId), (reply) => replies.push(reply));
		const outcome = requestRpc(bus, SEND_TOPIC, request, 3_000).catch((error) => error);
		await arrived.promise;
		await end(pi);
		// Answered while the session could still speak, or ended by the caller's own wait.
		expect(await outcome).toMatchObject({ code: "receipt_unknown", state: "receipt_unknown", retryable: false });
		released.resolve("submitted");

		// Whoever is there now neither repeats it nor answers for the one that was asked.
		bus.emit(SEND_TOPIC, request);
		const next = await infoOf(bus, 100).catch(() => null);
		expect(next?.local.instanceId).not.toBe(request.local.instanceId);
		const own = replies.filter(
			(reply) => (reply as { local: Incarnation }).local.instanceId === request.local.instanceId,
		);
		expect(own.length).toBeLessThanOrEqual(1);
		expect(delivery.delivered.map(({ messageId }) => messageId)).toEqual(["m1"]);
		expect(pi.extensionErrors).toEqual([]);
	});
});
