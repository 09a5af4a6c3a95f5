/** What arrives over the wire, on its way past trusted listeners: claims, and envelopes that never get to pi. */
import { describe, expect, it } from "vitest";
import { BRIDGE_PREFIX, type BridgeEnvelope, formatBridge } from "../../lib/contract/bridge.ts";
import { createBus } from "../../lib/contract/bus.ts";
import type { MessageOutcomeCode } from "../../lib/contract/message-outcomes.ts";
import { RECEIVED_TOPIC, type ReceivedMessage } from "../../lib/contract/received.ts";
import type { PeerPaths } from "../../lib/peers/paths.ts";
import { type Registration, registrationSchema } from "../../lib/peers/registration.ts";
import { AnnouncedDelivery } from "../../lib/rpc/announced-delivery.ts";
import { ReceivedAnnouncer } from "../../lib/rpc/received-announcer.ts";
import { freshPaths, openSession, RecordingDelivery, type Session } from "../inbox/open-session.ts";
import { registrationFor, writeRegistration } from "../peers/temporary-peers.ts";
import { helloFrame, messageFrame } from "../wire/open-receiver.ts";
import { RawClient } from "../wire/raw-peers.ts";

interface Scene {
	readonly paths: PeerPaths;
	readonly sender: Session;
	readonly receiver: Session;
	/** Stands for pi: gets what nobody claimed. */
	readonly pi: RecordingDelivery;
	/** Every event, oldest first. */
	readonly received: ReceivedMessage[];
	/** What listeners do with the next events. */
	listener: (received: ReceivedMessage) => void;
	stopped: boolean;
	/** Milliseconds by which the receiver's clock is ahead when it looks at an envelope. */
	ahead: number;
}

async function openScene({ rpc = true } = {}): Promise<Scene> {
	const paths = await freshPaths();
	const bus = createBus();
	const pi = new RecordingDelivery();
	const delivery = new AnnouncedDelivery({
		pi,
		announcer: () => announcer,
		isStopped: () => scene.stopped,
		clock: { now: () => Date.now() + scene.ahead },
	});
	const receiver = await openSession(paths, { delivery });
	const { sessionId, instanceId } = receiver.presence;
	const announcer = rpc ? new ReceivedAnnouncer(bus, { sessionId, instanceId }) : null;
	const sender = await openSession(paths);
	const received: ReceivedMessage[] = [];
	const listener = () => {};
	const scene: Scene = { paths, sender, receiver, pi, received, listener, stopped: false, ahead: 0 };
	bus.on(RECEIVED_TOPIC, (data) => {
		received.push(data as ReceivedMessage);
		scene.listener(data as ReceivedMessage);
	});
	return scene;
}

const claimIt = ({ reply }: ReceivedMessage) => void reply({ handled: true });

async function send({ sender, receiver }: Scene, text: string, messageId = "m1"): Promise<string> {
	const target = receiver.presence.instanceId;
	return (await sender.presence.outbox.send({ target, text, messageId })).receipt.code;
}

/** Sends as a program does that never heard of claims. */
async function sendWithoutCapability({ paths, receiver }: Scene, text: string): Promise<unknown> {
	const registered = await receiver.presence.directory.find(receiver.presence.instanceId);
	const local = registrationSchema.parse(registered) as Registration;
	const sender = await writeRegistration(paths, registrationFor(paths));
	const client = new RawClient(local.socketPath);
	client.send(helloFrame({ local, sender }, { capabilities: [] }));
	await client.next();
	client.send(messageFrame({ text }));
	return (await client.next())?.code;
}

function envelope(changes: Record<string, unknown> = {}): BridgeEnvelope {
	const expiresAt = Date.now() + 20_000;
	const right = { version: 1, origin: "o", correlationId: "c", expiresAt, hops: 0, budget: 8, payload: { ask: "x" } };
	return { ...right, ...changes } as BridgeEnvelope;
}

/** The text of an envelope that nobody checked. */
const bridgeText = (changes: Record<string, unknown> = {}) => BRIDGE_PREFIX + JSON.stringify(envelope(changes));

describe("a message", () => {
	it("that a listener claims is accepted, and pi gets nothing", async () => {
		const scene = await openScene();
		scene.listener = claimIt;
		expect(await send(scene, "hello")).toBe("accepted");
		expect(scene.pi.delivered).toEqual([]);
		const { presence } = scene.receiver;
		expect(presence.inbox.states.list()).toMatchObject([{ messageId: "m1", state: "accepted" }]);
		const local = { sessionId: presence.sessionId, instanceId: presence.instanceId };
		expect(scene.received).toMatchObject([
			{
				local,
				messageId: "m1",
				text: "hello",
				source: { instanceId: scene.sender.presence.instanceId },
				canHandle: true,
			},
		]);
	});

	it("that nobody claims goes to pi, with pi's receipt", async () => {
		const scene = await openScene();
		scene.pi.decide = () => "queued";
		expect(await send(scene, "hello")).toBe("queued");
		expect(scene.pi.delivered).toMatchObject([{ text: "hello" }]);
	});

	it("can be claimed while pi is busy; unclaimed it is refused then, having cost what it costs", async () => {
		const scene = await openScene();
		scene.pi.refuseWith = "busy";
		scene.pi.decide = () => "busy";
		scene.listener = (received) => {
			if (received.text === "for the adapter") claimIt(received);
		};
		expect(await send(scene, "for the adapter", "m1")).toBe("accepted");
		expect(await send(scene, "for the model", "m2")).toBe("busy");
		expect(scene.receiver.presence.budget.remaining).toBe(254);
	});

	it("of a sender without the capability is shown to listeners, can't be claimed, and goes to pi", async () => {
		const scene = await openScene();
		const answers: boolean[] = [];
		scene.listener = ({ canHandle, reply }) => answers.push(canHandle, reply({ handled: true }));
		expect(await sendWithoutCapability(scene, "hello")).toBe("submitted");
		expect(answers).toEqual([false, false]);
		expect(scene.pi.delivered).toMatchObject([{ text: "hello" }]);
		scene.pi.refuseWith = "busy";
		expect(await sendWithoutCapability(scene, "again")).toBe("busy");
		expect(answers).toHaveLength(2);
	});

	it("reaches no listener when the person stopped the exchange, and takes nothing", async () => {
		const scene = await openScene();
		scene.stopped = true;
		scene.listener = claimIt;
		expect(await send(scene, "hello")).toBe("stopped");
		expect(await send(scene, bridgeText())).toBe("stopped");
		expect(scene.received).toEqual([]);
		expect(scene.receiver.presence.budget.remaining).toBe(256);
	});

	it("is pi's alone while the RPC is off", async () => {
		const scene = await openScene({ rpc: false });
		expect(await send(scene, "hello", "m1")).toBe("submitted");
		scene.pi.refuseWith = "busy";
		expect(await send(scene, "again", "m2")).toBe("busy");
		expect(scene.received).toEqual([]);
	});

	it("is not asked about twice: a repetition reaches no listener", async () => {
		const scene = await openScene();
		await send(scene, "hello", "m1");
		expect(await send(scene, "hello", "m1")).toBe("duplicate");
		expect(await send(scene, "hello", "m2")).toBe("duplicate");
		expect(scene.received).toHaveLength(1);
	});

	it("is still judged by pi's port after a listener threw or stopped everything", async () => {
		const scene = await openScene();
		scene.pi.decide = () => (scene.stopped ? "stopped" : "submitted");
		scene.listener = () => {
			scene.stopped = true;
			throw new Error("a listener's own fault");
		};
		expect(await send(scene, "hello")).toBe("stopped");
	});
});

describe("a bridge envelope", () => {
	it("that a listener claims is accepted; it comes parsed and frozen", async () => {
		const scene = await openScene();
		scene.listener = claimIt;
		const sent = envelope();
		expect(await send(scene, formatBridge(sent))).toBe("accepted");
		const [event] = scene.received;
		expect(event?.bridge).toEqual(sent);
		expect(Object.isFrozen(event?.bridge?.payload)).toBe(true);
		expect(scene.pi.delivered).toEqual([]);
	});

	const refusals: [string, () => string, MessageOutcomeCode][] = [
		["that nobody claims", () => bridgeText({}), "no_handler"],
		["that is no JSON", () => `${BRIDGE_PREFIX}{`, "invalid_bridge"],
		["without anything", () => `${BRIDGE_PREFIX} `, "invalid_bridge"],
		["of another version", () => bridgeText({ version: 2 }), "invalid_bridge"],
		["that expired", () => bridgeText({ expiresAt: 1 }), "invalid_bridge"],
		["that would live too long", () => bridgeText({ expiresAt: Date.now() + 600_000 }), "invalid_bridge"],
		["with five hops", () => bridgeText({ hops: 5 }), "invalid_bridge"],
		["without budget", () => bridgeText({ budget: 0 }), "invalid_bridge"],
		[
			"with a nesting that exhausts stacks",
			() => bridgeText({}).replace(/\}$/, `,"x":${"[".repeat(99_999)}`),
			"invalid_bridge",
		],
	];
	it.each(refusals)("%s never reaches pi", async (_name, makeText, code) => {
		const scene = await openScene();
		expect(await send(scene, makeText())).toBe(code);
		expect(scene.pi.delivered).toEqual([]);
		expect(scene.received).toHaveLength(code === "no_handler" ? 1 : 0);
		expect(scene.receiver.presence.inbox.states.list()).toMatchObject([{ state: "dropped" }]);
		// It was admitted, so it has cost its sender what a message costs.
		expect(scene.receiver.presence.budget.remaining).toBe(255);
	});

	it("is judged by the moment in which it is read", async () => {
		const scene = await openScene();
		scene.listener = claimIt;
		scene.ahead = 20_001;
		expect(await send(scene, bridgeText())).toBe("invalid_bridge");
	});

	it("is unsupported while the RPC is off, right or wrong, and takes nothing", async () => {
		const scene = await openScene({ rpc: false });
		expect(await send(scene, bridgeText())).toBe("unsupported");
		expect(await send(scene, `${BRIDGE_PREFIX}{`)).toBe("unsupported");
		expect(scene.pi.delivered).toEqual([]);
		expect(scene.receiver.presence.budget.remaining).toBe(256);
	});

	it("of a sender without the capability is unsupported, also where a listener would claim it", async () => {
		const scene = await openScene();
		scene.listener = claimIt;
		expect(await sendWithoutCapability(scene, bridgeText())).toBe("unsupported");
		expect(scene.received).toEqual([]);
		expect(scene.pi.delivered).toEqual([]);
	});

	it.each(["cross-session:bridge:v1\r\n{}", "cross-session:bridge:v2\n{}", " cross-session:bridge:v1\n{}"])(
		"is none when it begins in another way: %j",
		async (text) => {
			const scene = await openScene();
			expect(await send(scene, text)).toBe("submitted");
			expect(scene.received).toMatchObject([{ text }]);
			expect(scene.received[0]).not.toHaveProperty("bridge");
		},
	);

	it("never reaches pi through a delivery that nobody asked for a refusal before", async () => {
		const pi = new RecordingDelivery();
		const announced = new AnnouncedDelivery({ pi, announcer: () => null, isStopped: () => false, clock: Date });
		const message = { text: bridgeText(), capabilities: [] } as unknown as Parameters<typeof announced.deliver>[0];
		expect(announced.deliver(message)).toBe("unsupported");
		expect(pi.delivered).toEqual([]);
	});
});
