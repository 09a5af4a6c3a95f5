/**
 * The frames of wire version 1: their schemas, and turning them into bytes and back.
 *
 * Promise: what parses is within every bound. Unknown fields are dropped and never relied on.
 */
import * as z from "zod";
import { requestIdSchema } from "../contract/identifiers.ts";
import { instanceIdSchema, sessionIdSchema } from "../contract/peer-identifiers.ts";
import { WIRE_LIMITS } from "./limits.ts";

const wellFormed = z.string().refine((text) => text.isWellFormed() && text.trim() !== "");
const secretSchema = z.string().min(1).max(512);
const capabilitiesSchema = z.array(z.string().max(64)).max(8);
const version = z.literal(1);

export const messageTextSchema = wellFormed.max(WIRE_LIMITS.textUnits);
const messageSummarySchema = wellFormed
	.max(WIRE_LIMITS.summaryCodePoints * 2)
	.refine((summary) => [...summary].length <= WIRE_LIMITS.summaryCodePoints);

export const helloFrameSchema = z.object({
	v: version,
	type: z.literal("hello"),
	requestId: requestIdSchema,
	/** The receiver's secret, proof that its registration could be read. */
	token: secretSchema,
	target: z.object({ id: sessionIdSchema, instanceId: instanceIdSchema }),
	/** Absent in a probe. */
	from: z.object({ id: sessionIdSchema, instanceId: instanceIdSchema, token: secretSchema }).optional(),
	capabilities: capabilitiesSchema.optional(),
});

export const messageFrameSchema = z.object({
	v: version,
	type: z.literal("message"),
	requestId: requestIdSchema,
	messageId: requestIdSchema,
	text: messageTextSchema,
	summary: messageSummarySchema,
	/** Epoch milliseconds, by the sender's clock. */
	sentAt: z.number().int(),
});

export const statusFrameSchema = z.object({
	v: version,
	type: z.literal("status"),
	requestId: requestIdSchema,
	messageId: requestIdSchema,
});

export const responseFrameSchema = z.object({
	v: version,
	type: z.literal("response"),
	/** Wider than a request's id only in that it may be `unknown`, which fits the same rule. */
	requestId: requestIdSchema,
	ok: z.boolean(),
	status: z.string().max(64),
	capabilities: capabilitiesSchema,
	code: z.string().max(64),
	state: z.string().max(64),
	retryable: z.boolean(),
	next: z.string().max(2048),
	error: z.string().max(4096).optional(),
	peer: z.object({ id: sessionIdSchema, instanceId: instanceIdSchema, pid: z.number().int() }).optional(),
});

export type HelloFrame = z.infer<typeof helloFrameSchema>;
export type MessageFrame = z.infer<typeof messageFrameSchema>;
export type StatusFrame = z.infer<typeof statusFrameSchema>;
export type ResponseFrame = z.infer<typeof responseFrameSchema>;
export type Frame = HelloFrame | MessageFrame | StatusFrame | ResponseFrame;

/** The request id of frames that had none. */
export const UNKNOWN_REQUEST_ID = "unknown";

/** A frame as one line. */
export function encodeFrame(frame: Frame): string {
	return `${JSON.stringify(frame)}\n`;
}

/** Whether a frame stays within the bound that every reader enforces. */
export function frameFits(frame: Frame): boolean {
	return Buffer.byteLength(encodeFrame(frame)) <= WIRE_LIMITS.frameBytes;
}

/** One field of a JSON value that nothing is known about yet. */
export function fieldOf(value: unknown, field: string): unknown {
	if (typeof value !== "object" || value === null || !Object.hasOwn(value, field)) return undefined;
	return Reflect.get(value, field);
}

/** The request id of a value that may be no proper frame. */
export function requestIdOf(value: unknown): string {
	const parsed = requestIdSchema.safeParse(fieldOf(value, "requestId"));
	return parsed.success ? parsed.data : UNKNOWN_REQUEST_ID;
}
