/**
 * The topics of the RPC: one table that a new topic joins by one entry.
 *
 * Promise: a topic's constant decides the types of its request and reply, and what is checked of each.
 */
import * as z from "zod";
import { incarnationSchema, RPC_VERSION, requestIdSchema } from "./identifiers.ts";
import { infoReplySchema, infoRequestSchema } from "./info.ts";
import { sendReplySchema, sendRequestSchema, statusReplySchema, statusRequestSchema } from "./message-rpc.ts";
import { peerContextReplySchema, peerContextRequestSchema } from "./peer-context-rpc.ts";
import { peersReplySchema, peersRequestSchema } from "./peers-rpc.ts";

export const INFO_TOPIC = "cross-session:rpc:info";
export const PEERS_TOPIC = "cross-session:rpc:peers";
export const PEER_CONTEXT_TOPIC = "cross-session:rpc:peer-context";
export const SEND_TOPIC = "cross-session:rpc:send";
export const STATUS_TOPIC = "cross-session:rpc:status";

/** The envelope of a request that any incarnation may answer. */
export const openEnvelopeSchema = z.object({ version: z.literal(RPC_VERSION), requestId: requestIdSchema });

/** The envelope of a request to one incarnation. */
export const addressedEnvelopeSchema = openEnvelopeSchema.extend({ local: incarnationSchema });

interface TopicContract {
	/** A request that can be granted; its type is what callers must give. */
	readonly request: z.ZodType;
	/** The part of a request that is checked before it is emitted and before it is handled. */
	readonly envelope: typeof openEnvelopeSchema | typeof addressedEnvelopeSchema;
	/** What counts as a reply. Unknown keys pass. */
	readonly reply: z.ZodType<{ readonly requestId: string; readonly ok: boolean; readonly [key: string]: unknown }>;
}

export const rpcTopics = Object.freeze({
	[INFO_TOPIC]: { request: infoRequestSchema, envelope: openEnvelopeSchema, reply: infoReplySchema },
	[PEERS_TOPIC]: { request: peersRequestSchema, envelope: addressedEnvelopeSchema, reply: peersReplySchema },
	[PEER_CONTEXT_TOPIC]: {
		request: peerContextRequestSchema,
		envelope: addressedEnvelopeSchema,
		reply: peerContextReplySchema,
	},
	[SEND_TOPIC]: { request: sendRequestSchema, envelope: addressedEnvelopeSchema, reply: sendReplySchema },
	[STATUS_TOPIC]: { request: statusRequestSchema, envelope: addressedEnvelopeSchema, reply: statusReplySchema },
}) satisfies Record<string, TopicContract>;

export type RpcTopic = keyof typeof rpcTopics;
/** What a caller sends on a topic. */
export type RpcRequest<Topic extends RpcTopic> = z.infer<(typeof rpcTopics)[Topic]["request"]>;
/** What a caller gets back on a topic: an answer (`ok: true`) or a refusal (`ok: false`). */
export type RpcReply<Topic extends RpcTopic> = z.infer<(typeof rpcTopics)[Topic]["reply"]>;

/** Where the reply to one request is emitted. */
export function replyTopic<Topic extends string>(topic: Topic, requestId: string): `${Topic}:reply:${string}` {
	return `${topic}:reply:${requestId}`;
}
