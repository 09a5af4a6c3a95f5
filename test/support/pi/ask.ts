/**
 * Questions to a session over its event bus, as another extension in its process asks them.
 */
import { randomUUID } from "node:crypto";
import {
	type Bus,
	INFO_TOPIC,
	type InfoReply,
	PEER_CONTEXT_TOPIC,
	type PeerContext,
	type PeerContextReply,
	type RpcRequest,
	requestRpc,
} from "../../../lib/contract/index.ts";

/** For questions that nobody is expected to answer, in ms. */
export const SHORT_PATIENCE_MS = 150;

type Snapshot = Extract<InfoReply, { ok: true }>;
type Local = NonNullable<Snapshot["local"]>;

/** What the incarnation on this bus says of itself. */
export async function infoOf(bus: Bus, patience?: number): Promise<Snapshot & { readonly local: Local }> {
	const reply = await requestRpc(bus, INFO_TOPIC, { version: 1, requestId: randomUUID() }, patience);
	if (!reply.ok || !reply.local) throw new Error("No incarnation is up.");
	return { ...reply, local: reply.local };
}

/** The reply to one look at a session; `local` is whoever answers `info` unless it is given. */
export async function lookAt(
	bus: Bus,
	sessionId: string,
	more: { readonly view?: string; readonly maxMessages?: number; readonly local?: Local } = {},
	patience?: number,
): Promise<PeerContextReply> {
	const local = more.local ?? (await infoOf(bus)).local;
	const request = { version: 1, requestId: randomUUID(), ...more, local, sessionId };
	return requestRpc(bus, PEER_CONTEXT_TOPIC, request as RpcRequest<typeof PEER_CONTEXT_TOPIC>, patience);
}

/** The context of a session that may be looked at. */
export async function contextOf(bus: Bus, ...question: DropFirst<Parameters<typeof lookAt>>): Promise<PeerContext> {
	const reply = await lookAt(bus, ...question);
	if (!reply.ok) throw new Error(`Refused: ${reply.code}`);
	return reply.context;
}

type DropFirst<List extends unknown[]> = List extends [unknown, ...infer Rest] ? Rest : never;
