/**
 * What happens at a seat: one table, from which a seeded script is drawn.
 */
import { randomUUID } from "node:crypto";
import { PEER_CONTEXT_TOPIC, PEERS_TOPIC, SEND_TOPIC, STATUS_TOPIC } from "../../../lib/contract/index.ts";
import type { SeededRandom } from "../../support/logs/seeded-random.ts";
import { foreignMarkers, marker } from "./markers.ts";
import type { MessageLedger, ToldReceipt } from "./message-ledger.ts";
import type { Registered } from "./place.ts";
import { PRIVATE_SEAT, type SeatSession } from "./seat-session.ts";

/** What an action may use. */
export interface Scene {
	readonly own: SeatSession;
	readonly others: readonly SeatSession[];
	readonly random: SeededRandom;
	readonly ledger: MessageLedger;
	readonly onBroken: (what: string) => void;
	/** Called when a process is about to end as it should: what it holds by then can be looked at. */
	readonly onLeaving: () => Promise<void>;
	/** Called when another process has taken its seat. */
	readonly onSeated: () => Promise<void>;
}

export interface Action {
	readonly name: string;
	/** How often it is drawn. */
	readonly weight: number;
	readonly act: (scene: Scene) => Promise<void>;
}

export const actions: readonly Action[] = [
	{ name: "work", weight: 6, act: work },
	{ name: "send", weight: 10, act: sendTo },
	{ name: "send by tool", weight: 3, act: sendByTool },
	{ name: "look", weight: 5, act: look },
	{ name: "look by tool", weight: 3, act: lookByTool },
	{ name: "list", weight: 3, act: list },
	{ name: "mode", weight: 1, act: changeMode },
	{ name: "reload", weight: 2, act: ({ own }) => own.reload() },
	{ name: "abort", weight: 2, act: ({ own }) => own.abort() },
	{ name: "compact", weight: 2, act: ({ own }) => own.compact() },
	{ name: "new session", weight: 1, act: ({ own }) => own.newSession() },
	{ name: "kill", weight: 1, act: (scene) => replace(scene, "SIGKILL") },
	{ name: "end", weight: 1, act: (scene) => replace(scene, "SIGTERM") },
];

/** Draws the next action. */
export function drawAction(random: SeededRandom): Action {
	let rest = random.integer(0, actions.reduce((sum, { weight }) => sum + weight, 0) - 1);
	const drawn = actions.find(({ weight }) => {
		rest -= weight;
		return rest < 0;
	});
	if (drawn === undefined) throw new Error("The weights don't add up.");
	return drawn;
}

async function work({ own, random }: Scene): Promise<void> {
	const text = own.seat === PRIVATE_SEAT ? marker(own.seat, "answer") : "I have kept something.";
	await own.wish({ text, keeps: random.integer(0, 3), waits: random.pick([0, 20, 300]) });
	if (random.chance(0.2)) await own.pi.command("/litter");
}

/** Another seat at which somebody is registered now. */
function drawOther({ others, random }: Scene): { other: SeatSession; peer: Registered } | null {
	const seated = others.flatMap((other) => {
		const peer = other.registered;
		return peer === undefined ? [] : [{ other, peer }];
	});
	return seated[random.integer(0, seated.length - 1)] ?? null;
}

async function sendTo(scene: Scene): Promise<void> {
	const drawn = drawOther(scene);
	if (drawn !== null) await sendMessage(scene, drawn.other, drawn.peer);
}

/** Sends a message over the bus and follows it. @returns what the sender was told; null without an answer */
export async function sendMessage(
	{ own, ledger, onBroken }: Pick<Scene, "own" | "ledger" | "onBroken">,
	receiver: SeatSession,
	{ instanceId: remoteInstanceId }: Registered,
): Promise<ToldReceipt | null> {
	const { disturbances } = receiver;
	const messageId = randomUUID();
	const text = `Who has the parser? (${messageId})`;
	const reply = await own.pi.ask(SEND_TOPIC, { remoteInstanceId, messageId, text });
	const receipt = receiptOf(reply, messageId);
	if (receipt === null) {
		onBroken(`A request to send was answered with ${JSON.stringify(reply)}.`);
		return null;
	}
	ledger.follow(receipt, receiver, disturbances, async () => {
		const answer = await own.pi.ask(STATUS_TOPIC, { remoteInstanceId, messageId }).catch(() => undefined);
		return (answer as { state?: string } | undefined)?.state;
	});
	return receipt;
}

/** What a reply says of a message; a caller's own time-out knows nothing. */
function receiptOf(reply: unknown, messageId: string): ToldReceipt | null {
	const { ok, receipt, code, state, error } = reply as {
		ok?: boolean;
		receipt?: ToldReceipt;
		code?: string;
		state?: string;
		error?: string;
	};
	if (ok === true && receipt !== undefined) return { messageId, code: receipt.code, state: receipt.state };
	if (ok === false && code !== undefined && state !== undefined) return { messageId, code, state };
	return error === "receipt_unknown" ? { messageId, code: error, state: error } : null;
}

async function sendByTool(scene: Scene): Promise<void> {
	const { own, ledger } = scene;
	const drawn = drawOther(scene);
	if (drawn === null) return;
	const message = `The tests are yours. (${randomUUID()})`;
	await own.wish({ calls: [{ name: "send_pi_message", arguments: { target: drawn.peer.instanceId, message } }] });
	for (const { toolName, text } of own.pi.finishedCalls.splice(0)) {
		const receipt = toolName === "send_pi_message" ? (parse(text)?.receipt as ToldReceipt | undefined) : undefined;
		if (receipt !== undefined) ledger.note(receipt);
	}
}

async function look(scene: Scene): Promise<void> {
	const drawn = drawOther(scene);
	if (drawn === null) return;
	const { own, random, onBroken } = scene;
	const view = random.pick(["overview", "conversation", "activity"]);
	const reply = await own.pi.ask(PEER_CONTEXT_TOPIC, { sessionId: drawn.peer.id, view });
	const { ok, code } = reply as { ok?: boolean; code?: string };
	if (drawn.other.seat === PRIVATE_SEAT && (ok || code !== "unauthorized")) {
		onBroken(`A look at the private session was answered with ${ok ? "a context" : code}.`);
	}
	const seen = foreignMarkers(own.seat, JSON.stringify(reply));
	if (seen.length > 0) onBroken(`A look at ${drawn.other.seat} shows ${seen.join(", ")}.`);
}

async function lookByTool(scene: Scene): Promise<void> {
	const drawn = drawOther(scene);
	if (drawn === null) return;
	const calls = [
		{ name: "list_pi", arguments: { include: "recent" } },
		{ name: "get_peer_context", arguments: { sessionId: drawn.peer.id } },
	];
	await scene.own.wish({ text: "I look around.", calls });
}

async function list({ own, onBroken }: Scene): Promise<void> {
	const reply = await own.pi.ask(PEERS_TOPIC, { include: "recent" });
	const { ok, peers = [] } = reply as { ok?: boolean; peers?: { instanceId: string; token?: string }[] };
	if (ok !== true) return;
	if (peers.some((peer) => "token" in peer)) onBroken("A listing tells a secret.");
	if (new Set(peers.map(({ instanceId }) => instanceId)).size < peers.length) onBroken("A listing names a peer twice.");
}

async function changeMode({ own, random }: Scene): Promise<void> {
	await own.pi.command(`/cross-session-inbound ${random.pick(["accept", "accept", "show", "refuse"])}`);
}

async function replace({ own, onLeaving, onSeated }: Scene, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
	if (signal === "SIGTERM") await onLeaving();
	await own.end(signal);
	await own.start();
	await onSeated();
}

function parse(text: string): Record<string, unknown> | undefined {
	try {
		return JSON.parse(text) as Record<string, unknown>;
	} catch {
		return undefined;
	}
}
