/**
 * The topic that lists who else is there.
 *
 * Promise: a peer without its secret, with what is true at the moment of the answer.
 */
import * as z from "zod";
import { incarnationSchema, RPC_VERSION, replyIncarnationSchema, requestIdSchema } from "./identifiers.ts";
import { refusalSchema } from "./outcomes.ts";
import { publicPeerSchema } from "./public-peer.ts";

export const peersRequestSchema = z.object({
	version: z.literal(RPC_VERSION),
	requestId: requestIdSchema,
	/** The incarnation that is asked. */
	local: incarnationSchema,
	/** `recent`: with the newest sessions of the same workspace that are not live. */
	include: z.literal("recent").optional(),
});
export type PeersRequest = z.infer<typeof peersRequestSchema>;

/** A session that is not live and may be looked at. */
export const recentSessionSchema = z.looseObject({
	sessionId: z.string(),
	/** One printable line, or null when the session has no name, or it was not found in time. */
	title: z.string().nullable(),
	/** Epoch milliseconds of the last change of its log. */
	changedAt: z.number(),
});
export type RecentSession = z.infer<typeof recentSessionSchema>;

export const peersReplySchema = z.discriminatedUnion("ok", [
	z.looseObject({
		version: z.literal(RPC_VERSION),
		requestId: z.string(),
		local: replyIncarnationSchema,
		ok: z.literal(true),
		/** `readable` of each: whether it works in the asked session's workspace. */
		peers: z.array(publicPeerSchema),
		/** Only where it was asked for. */
		recent: z.array(recentSessionSchema).optional(),
	}),
	refusalSchema,
]);
export type PeersReply = z.infer<typeof peersReplySchema>;
