/**
 * The topics about messages: sending one to a peer, and asking what became of it.
 *
 * Promise: a peer is named by its whole instance id and by nothing that it chose itself. A reply says only what the
 * peer's answer proves; that no answer can be had is a refusal with the state `receipt_unknown`.
 */
import * as z from "zod";
import { incarnationSchema, RPC_VERSION, replyIncarnationSchema, requestIdSchema } from "./identifiers.ts";
import { MAX_GIVEN_SUMMARY_UNITS, MAX_MESSAGE_TEXT_UNITS } from "./limits.ts";
import { receiptSchema } from "./message-outcomes.ts";
import { refusalSchema } from "./outcomes.ts";
import { instanceIdSchema } from "./peer-identifiers.ts";
import { publicPeerSchema } from "./public-peer.ts";

const addressedToPeer = {
	version: z.literal(RPC_VERSION),
	requestId: requestIdSchema,
	/** The incarnation that is asked. */
	local: incarnationSchema,
	/** The peer: 32 lower-case hex digits, never a name. */
	remoteInstanceId: instanceIdSchema,
	/** The message, by the id that its sender chose. */
	messageId: requestIdSchema,
};

const granted = {
	version: z.literal(RPC_VERSION),
	requestId: z.string(),
	local: replyIncarnationSchema,
	ok: z.literal(true),
	messageId: z.string(),
};

/** A refusal that says which message it is about. */
export const messageRefusalSchema = refusalSchema.extend({
	messageId: z.string().optional(),
	remoteInstanceId: z.string().nullable().optional(),
});
export type MessageRefusal = z.infer<typeof messageRefusalSchema>;

export const sendRequestSchema = z.object({
	...addressedToPeer,
	/** Well-formed, not blank. */
	text: z.string().max(MAX_MESSAGE_TEXT_UNITS),
	/** One line for the person at the other side. Default: the text's first line. */
	summary: z.string().max(MAX_GIVEN_SUMMARY_UNITS).optional(),
});
export type SendRequest = z.infer<typeof sendRequestSchema>;

export const sendReplySchema = z.discriminatedUnion("ok", [
	z.looseObject({ ...granted, target: publicPeerSchema, receipt: receiptSchema }),
	messageRefusalSchema,
]);
/** Granted: the peer took the message, as `receipt.state` says. `code` of a refusal is one of the message outcomes. */
export type SendReply = z.infer<typeof sendReplySchema>;

export const statusRequestSchema = z.object(addressedToPeer);
export type StatusRequest = z.infer<typeof statusRequestSchema>;

export const statusReplySchema = z.discriminatedUnion("ok", [
	z.looseObject({
		...granted,
		/** One of the message states; `unknown` does not mean that the message was not delivered. */
		state: z.string(),
	}),
	messageRefusalSchema,
]);
export type StatusReply = z.infer<typeof statusReplySchema>;
