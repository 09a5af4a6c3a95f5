/**
 * A host adapter without pi: all that it needs of the world is an event bus.
 *
 * It lists peers, looks at one before it shows a hand-off to its person, sends with a message id that stays, asks for
 * the status of what is unknown, and claims the hand-offs of others into a bounded mailbox. It never sends anything
 * twice, and answers no acknowledgement with another one.
 */
import { randomUUID } from "node:crypto";
import {
	type BridgeEnvelope,
	type Bus,
	formatBridge,
	forwardEnvelope,
	INFO_TOPIC,
	type Incarnation,
	isReceivedMessage,
	PEER_CONTEXT_TOPIC,
	PEERS_TOPIC,
	type PeerContextReply,
	type PublicPeer,
	RECEIVED_TOPIC,
	type ReceivedMessage,
	requestRpc,
	SEND_TOPIC,
	type SendReply,
	STATUS_TOPIC,
	type StatusReply,
} from "pi-cross-session-rpc/contract";
import { type HandOff, type HandOffPayload, readPayload } from "./hand-off.ts";
import { type Mail, Mailbox } from "./mailbox.ts";

/** How long an envelope may be on its way, in milliseconds. */
const ENVELOPE_LIFETIME = 20_000;

/** Steps that one hand-off may cause altogether: itself, and an acknowledgement or an answer of it. */
const ENVELOPE_BUDGET = 4;

/** Hand-offs that are remembered; the oldest are forgotten first. */
const MAX_HAND_OFFS = 64;

/** States in which a message was certainly taken. */
const takenStates = new Set(["accepted", "queued", "submitted"]);

export class HostAdapter {
	readonly mailbox = new Mailbox();
	readonly #bus: Bus;
	readonly #handOffs = new Map<string, HandOff>();
	#unsubscribe: (() => void) | undefined;

	constructor(bus: Bus) {
		this.#bus = bus;
	}

	/** Begins to claim what other adapters send. */
	start(): void {
		this.#unsubscribe ??= this.#bus.on(RECEIVED_TOPIC, (data) => {
			if (isReceivedMessage(data)) this.#receive(data);
		});
	}

	stop(): void {
		this.#unsubscribe?.();
		this.#unsubscribe = undefined;
	}

	/** What is known of the hand-offs of this session, oldest first. */
	get handOffs(): readonly HandOff[] {
		return [...this.#handOffs.values()];
	}

	async listPeers(): Promise<readonly PublicPeer[]> {
		const reply = await requestRpc(this.#bus, PEERS_TOPIC, await this.#envelope());
		if (!reply.ok) throw new Error(`${reply.code}: ${reply.next}`);
		return reply.peers;
	}

	/** What the person should see before anything is handed over. A refusal is part of the picture, not a failure. */
	async look(peer: PublicPeer): Promise<PeerContextReply> {
		return requestRpc(this.#bus, PEER_CONTEXT_TOPIC, { ...(await this.#envelope()), sessionId: peer.id });
	}

	/** Hands over, once. Whatever comes back, the hand-off is remembered with what is known of it. */
	async handOver(peer: PublicPeer, title: string): Promise<HandOff> {
		const { instanceId: remoteInstanceId } = peer;
		const { sessionId } = await this.#local();
		const id = randomUUID();
		const open = { id, messageId: randomUUID(), remoteInstanceId, title, stored: false, answer: null };
		// Remembered before it is sent: an acknowledgement may be faster than the receipt.
		this.#remember({ ...open, accepted: "unknown", next: "The receipt has not come yet." });
		const envelope: BridgeEnvelope = {
			...{ version: 1, origin: originOf(sessionId), correlationId: id },
			...{ expiresAt: Date.now() + ENVELOPE_LIFETIME, hops: 0, budget: ENVELOPE_BUDGET },
			payload: { kind: "hand-off", title } satisfies HandOffPayload,
		};
		const outcome = await this.#send(remoteInstanceId, open.messageId, envelope).catch(lostReply);
		return this.#update(id, { accepted: acceptanceOf(outcome), next: adviceOf(outcome) });
	}

	/** Asks what became of a hand-off whose receipt is unknown. That is the way out; sending again is none. */
	async askAgain(id: string): Promise<HandOff> {
		const handOff = this.#handOffs.get(id);
		if (handOff === undefined) throw new Error("There is no such hand-off.");
		if (handOff.accepted !== "unknown") return handOff;
		const { remoteInstanceId, messageId } = handOff;
		const question = { ...(await this.#envelope()), remoteInstanceId, messageId };
		const reply: StatusReply = await requestRpc(this.#bus, STATUS_TOPIC, question);
		if (!reply.ok) return this.#update(id, { next: reply.next });
		const accepted = takenStates.has(reply.state) ? "yes" : "unknown";
		return this.#update(id, { accepted, next: `The other session knows it as ${reply.state}.` });
	}

	/** Answers a mail and takes it out of the mailbox. False when it is not there, or the answer did not get through. */
	async answer(mail: Mail, answer: string): Promise<boolean> {
		if (this.mailbox.take(mail.handOff) === undefined) return false;
		const { sessionId } = await this.#local();
		const envelope: BridgeEnvelope = {
			...{ version: 1, origin: originOf(sessionId), correlationId: mail.handOff },
			...{ expiresAt: Date.now() + ENVELOPE_LIFETIME, hops: 0, budget: 1 },
			payload: { kind: "answered", answer } satisfies HandOffPayload,
		};
		return (await this.#send(mail.from, randomUUID(), envelope)).ok;
	}

	/** Synchronous up to the claim: whoever awaits first is too late. */
	#receive(message: ReceivedMessage): void {
		const { bridge, source } = message;
		const payload = readPayload(bridge?.payload);
		if (bridge === undefined || payload === undefined) return;
		if (payload.kind === "hand-off") this.#takeIn(message, bridge, payload.title);
		else this.#takeNews(message, this.#handOffs.get(bridge.correlationId), source.instanceId, payload);
	}

	#takeIn({ source, reply }: ReceivedMessage, bridge: BridgeEnvelope, title: string): void {
		const { correlationId: handOff } = bridge;
		// Claiming promises to take charge, so there has to be room first; without a claim the sender learns at once.
		if (!this.mailbox.hasRoomFor(source.instanceId, handOff) || !reply({ handled: true })) return;
		this.mailbox.put({ from: source.instanceId, handOff, title, receivedAt: Date.now() });
		void this.#acknowledge(source.instanceId, bridge);
	}

	/** Only whom it was handed to can say something of a hand-off. */
	#takeNews({ reply }: ReceivedMessage, handOff: HandOff | undefined, from: string, payload: HandOffPayload): void {
		if (handOff?.remoteInstanceId !== from || !reply({ handled: true })) return;
		if (payload.kind === "answered") this.#update(handOff.id, { answer: payload.answer });
		else this.#update(handOff.id, { stored: true });
	}

	/** One hop of the same envelope, back to where it came from. A lost one is not repeated: `stored` just stays open. */
	async #acknowledge(to: string, bridge: BridgeEnvelope): Promise<void> {
		try {
			await this.#send(to, randomUUID(), { ...forwardEnvelope(bridge), payload: { kind: "stored" } });
		} catch {
			// Spent, expired, or nobody there any more.
		}
	}

	async #send(remoteInstanceId: string, messageId: string, envelope: BridgeEnvelope): Promise<SendReply> {
		const request = { remoteInstanceId, messageId, text: formatBridge(envelope), summary: "hand-off" };
		return requestRpc(this.#bus, SEND_TOPIC, { ...(await this.#envelope()), ...request });
	}

	async #envelope() {
		return { version: 1 as const, requestId: randomUUID(), local: await this.#local() };
	}

	/** Asked each time: a reload makes a new incarnation, and requests to an old one are refused. */
	async #local(): Promise<Incarnation> {
		const question = { version: 1 as const, requestId: randomUUID() };
		const info = await requestRpc(this.#bus, INFO_TOPIC, question, 1000).catch(() => undefined);
		if (!info?.ok || info.local === null) {
			throw new Error("This session answers no RPC: start it with --cross-session-rpc.");
		}
		const { sessionId, instanceId } = info.local;
		return { sessionId, instanceId };
	}

	#remember(handOff: HandOff): void {
		this.#handOffs.set(handOff.id, handOff);
		const [oldest] = this.#handOffs.keys();
		if (this.#handOffs.size > MAX_HAND_OFFS && oldest !== undefined) this.#handOffs.delete(oldest);
	}

	#update(id: string, news: Partial<HandOff>): HandOff {
		const known = this.#handOffs.get(id);
		if (known === undefined) throw new Error("The hand-off was forgotten.");
		const handOff = { ...known, ...news };
		this.#handOffs.set(id, handOff);
		return handOff;
	}
}

/** What a send came to when no reply could be had: nothing is known then. */
function lostReply(error: unknown): { readonly ok: false; readonly state: string; readonly next: string } {
	const { state, next } = error as { state?: unknown; next?: unknown };
	if (typeof state !== "string" || typeof next !== "string") throw error;
	return { ok: false, state, next };
}

type Outcome = SendReply | ReturnType<typeof lostReply>;

function acceptanceOf(outcome: Outcome): HandOff["accepted"] {
	if (outcome.ok) return "yes";
	return outcome.state === "refused" ? "no" : "unknown";
}

function adviceOf(outcome: Outcome): string {
	return outcome.ok ? outcome.receipt.next : outcome.next;
}

/** A session's id may hold characters that an envelope's origin may not. */
function originOf(sessionId: string): string {
	return sessionId.replaceAll(/[^A-Za-z0-9_-]/g, "-").slice(0, 128);
}
