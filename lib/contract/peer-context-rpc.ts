/**
 * The peer-context topic: the envelopes around one peer-context value.
 *
 * Promise: the request's schema describes a request that can be granted. Responders check only its envelope; a wrong
 * session, view or count is theirs to refuse as `unauthorized`, so that a refusal never tells which part was wrong.
 */
import * as z from "zod";
import { incarnationSchema, RPC_VERSION, replyIncarnationSchema, requestIdSchema } from "./identifiers.ts";
import { refusalSchema } from "./outcomes.ts";
import { PEER_CONTEXT_LIMITS, peerContextSchema, peerContextViewSchema } from "./peer-context.ts";

export const peerContextRequestSchema = z.object({
	version: z.literal(RPC_VERSION),
	requestId: requestIdSchema,
	/** The incarnation that is asked. */
	local: incarnationSchema,
	/** The session to look at. */
	sessionId: z.string(),
	/** Default `overview`. */
	view: peerContextViewSchema.optional(),
	/** For the view `conversation` only. */
	maxMessages: z.int().min(1).max(PEER_CONTEXT_LIMITS.messages).optional(),
});
export type PeerContextRequest = z.infer<typeof peerContextRequestSchema>;

export const peerContextReplySchema = z.discriminatedUnion("ok", [
	z.looseObject({
		version: z.literal(RPC_VERSION),
		requestId: z.string(),
		local: replyIncarnationSchema,
		ok: z.literal(true),
		context: peerContextSchema,
	}),
	refusalSchema,
]);
/** `code` of a refusal is one of `unauthorized`, `unavailable`, `cancelled`, `invalid_request`, `receipt_unknown`. */
export type PeerContextReply = z.infer<typeof peerContextReplySchema>;
