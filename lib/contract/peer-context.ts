/**
 * The peer-context value and its topic: the shape that the RPC, the model tool and their callers agree on.
 *
 * Schemas are loose where other implementations may extend (unknown keys pass); bounds are enforced by the producer
 * and documented here.
 */
import * as z from "zod";

/** Hard upper bounds of one peer-context value, in source UTF-8 bytes where they are sizes. Config may lower them. */
export const PEER_CONTEXT_LIMITS = Object.freeze({
	/** Messages in one value. */
	messages: 8,
	/** Source bytes of one message. */
	messageBytes: 4096,
	/** Source bytes of all messages. */
	totalBytes: 16384,
	/** Messages in the `overview` view. */
	overviewMessages: 3,
	/** Source bytes of one message in the `overview` view. */
	overviewMessageBytes: 1024,
	/** Tool calls in the activity part. */
	tools: 8,
});

/** Serialized size of one peer-context value, in UTF-8 bytes, never exceeded: 48 KiB. */
export const PEER_CONTEXT_MAX_BYTES = 48 * 1024;

export type PeerContextLimits = { [K in keyof typeof PEER_CONTEXT_LIMITS]: number };

export const peerContextViewSchema = z.enum(["overview", "conversation", "activity"]);
export type PeerContextView = z.infer<typeof peerContextViewSchema>;

export const runtimeStatusSchema = z.enum(["running", "idle", "offline"]);
/** From the live registry alone; says nothing about what was read, answered or finished. */
export type RuntimeStatus = z.infer<typeof runtimeStatusSchema>;

const count = z.number().int().nonnegative();

export const peerContextMessageSchema = z.looseObject({
	seq: count,
	time: z.number().nullable(),
	role: z.enum(["user", "assistant"]),
	checkpoint: z.boolean(),
	text: z.string(),
	omittedBytes: count,
	/** User messages that are no checkpoints: whether the log proves that the person wrote this text. */
	attested: z.boolean().optional(),
	/** Checkpoints: who wrote the summary. */
	by: z.enum(["pi", "extension"]).optional(),
});

export const peerContextRetentionSchema = z.looseObject({
	eligibleMessages: count,
	returnedMessages: count,
	omittedMessages: count,
	/** User entries known or suspected to be an extension's; other implementations may not tell. */
	withheldMessages: count.optional(),
	eligibleBytes: count,
	returnedBytes: count,
	omittedBytes: count,
});

export const peerContextActivitySchema = z.looseObject({
	turn: z.looseObject({
		state: z.enum(["unknown", "open", "ended"]),
		number: count.optional(),
		endReason: z.enum(["completed", "length", "error", "aborted"]).optional(),
	}),
	step: z.looseObject({ state: z.enum(["unknown", "open", "ended"]), number: count.optional() }),
	tools: z.array(
		z.looseObject({
			name: z.string(),
			status: z.enum(["running", "completed", "error"]),
			time: z.number().nullable(),
			call: z.string(),
		}),
	),
});

export const peerContextSchema = z.looseObject({
	schemaVersion: z.literal(1),
	trustWarning: z.string(),
	target: z.looseObject({ sessionId: z.string(), title: z.string().nullable() }),
	runtimeStatus: runtimeStatusSchema,
	capture: z.looseObject({
		throughSeq: count.nullable(),
		time: z.number(),
		/** Lines that could not be read or placed; other implementations may not tell. */
		damagedLines: count.optional(),
	}),
	conversation: z
		.looseObject({ messages: z.array(peerContextMessageSchema), retention: peerContextRetentionSchema })
		.optional(),
	activity: peerContextActivitySchema.optional(),
});

/** One bounded, read-only look at another session. */
export type PeerContext = z.infer<typeof peerContextSchema>;
export type PeerContextMessage = z.infer<typeof peerContextMessageSchema>;
export type PeerContextRetention = z.infer<typeof peerContextRetentionSchema>;
export type PeerContextActivity = z.infer<typeof peerContextActivitySchema>;
