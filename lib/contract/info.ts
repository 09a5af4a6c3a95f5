/**
 * The info topic: how an adapter learns which incarnation it is talking to, and what that one may still do.
 *
 * Promise: the smallest request of all, and a snapshot that says nothing about texts.
 */
import * as z from "zod";
import { RPC_VERSION, replyIncarnationSchema, requestIdSchema } from "./identifiers.ts";
import { refusalFields } from "./outcomes.ts";

/** What an incarnation offers that takes part in the messages between sessions. */
export const CANCEL_SAFE_QUEUE = "cancel-safe-queue-v1";

export const infoRequestSchema = z.object({ version: z.literal(RPC_VERSION), requestId: requestIdSchema });
export type InfoRequest = z.infer<typeof infoRequestSchema>;

const infoSnapshotSchema = z.looseObject({
	version: z.literal(RPC_VERSION),
	requestId: z.string(),
	ok: z.literal(true),
	/** Null while no incarnation is up. */
	local: replyIncarnationSchema.nullable(),
	capability: z.string(),
	/** Whether the person stopped the exchange of messages. */
	stopped: z.boolean(),
	/** Units left of the incarnation's message budget. */
	remainingBudget: z.number(),
	/** Request ids left for `send`. */
	remainingRpcRequests: z.number(),
	/** Request ids left for `peer-context`. */
	remainingContextRequests: z.number().optional(),
	/** What is known of the messages that arrived. */
	states: z.array(
		z.looseObject({
			messageId: z.string(),
			/** Instance id of the sender. */
			source: z.string(),
			state: z.string(),
			/** Epoch milliseconds. */
			updatedAt: z.number(),
			diagnostic: z.string().optional(),
		}),
	),
});

export const infoReplySchema = z.discriminatedUnion("ok", [
	infoSnapshotSchema,
	z.looseObject({ ...refusalFields, local: replyIncarnationSchema.nullable() }),
]);
export type InfoReply = z.infer<typeof infoReplySchema>;
