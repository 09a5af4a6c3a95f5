/**
 * The event that tells trusted extensions of a message that arrived, before pi gets it.
 *
 * Promise: what is told cannot be changed by anybody, down to its depth, and holds no secret. The first listener that
 * claims the message while it is being told of it has it; then pi gets nothing.
 */
import * as z from "zod";
import { type BridgeEnvelope, bridgeEnvelopeSchema } from "./bridge.ts";
import { type Incarnation, RPC_VERSION, replyIncarnationSchema } from "./identifiers.ts";
import { type PublicPeer, publicPeerSchema } from "./public-peer.ts";

/** Emitted once for each message that was authenticated and admitted, while the RPC is on. */
export const RECEIVED_TOPIC = "cross-session:received";

/** A claim. It says that the listener took charge of the message, and nothing about what became of it. */
export interface Claim {
	readonly handled: true;
}

export const receivedMessageSchema = z.looseObject({
	version: z.literal(RPC_VERSION),
	local: replyIncarnationSchema,
	source: publicPeerSchema,
	messageId: z.string(),
	text: z.string(),
	summary: z.string(),
	sentAt: z.number(),
	bridge: bridgeEnvelopeSchema.optional(),
	canHandle: z.boolean(),
	reply: z.custom<(claim: Claim) => boolean>((value) => typeof value === "function"),
});

/** A message that arrived, as listeners see it. Frozen to its depth; foreign text. */
export interface ReceivedMessage {
	readonly version: typeof RPC_VERSION;
	/** The incarnation that received it. */
	readonly local: Incarnation;
	/** Who sent it, by its authenticated registration. */
	readonly source: PublicPeer;
	/** Unique for its sender, not among senders. */
	readonly messageId: string;
	readonly text: string;
	readonly summary: string;
	/** Epoch milliseconds, by the sender's clock. */
	readonly sentAt: number;
	/** The envelope, when the text is one. Only a claim keeps it from being refused as `no_handler`. */
	readonly bridge?: BridgeEnvelope;
	/** Whether a claim can succeed: false for senders that do not know of claims. */
	readonly canHandle: boolean;
	/**
	 * Claims the message. True for the first claim that is made before the listener returns (or first awaits); false
	 * for every other. Call it when you are ready to take charge of the message, and let the message go when it is false.
	 */
	reply(claim: Claim): boolean;
}

/** Whether what was emitted on {@link RECEIVED_TOPIC} is such a message; whoever can emit could have emitted anything. */
export function isReceivedMessage(data: unknown): data is ReceivedMessage {
	try {
		return receivedMessageSchema.safeParse(data).success;
	} catch {
		return false;
	}
}
