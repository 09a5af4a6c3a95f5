/**
 * The names that every envelope carries: request ids and incarnations.
 *
 * Promise: whatever passes here can stand in a topic's name, and two incarnations are the same only when both of
 * their ids are.
 */
import * as z from "zod";

/** Version of every RPC envelope. */
export const RPC_VERSION = 1;

/** What a request id (and a message id) may look like. */
export const REQUEST_ID_PATTERN = /^[A-Za-z0-9_-]{1,128}$/;

/** 1 to 128 characters out of letters, digits, `_` and `-`; chosen by the caller, used once. */
export const requestIdSchema = z.string().regex(REQUEST_ID_PATTERN);

/** Whether a reply topic can be built from this value. */
export function isRequestId(value: unknown): value is string {
	return typeof value === "string" && REQUEST_ID_PATTERN.test(value);
}

/** One loaded instance of the extension for one session. A reload or a session switch makes a new one. */
export interface Incarnation {
	/** The session's id, 1 to 512 characters. */
	readonly sessionId: string;
	/** 32 lower-case hex digits. */
	readonly instanceId: string;
}

/** An incarnation as requests name it. Whether it is the right one is for the responder to say. */
export const incarnationSchema = z.object({ sessionId: z.string(), instanceId: z.string() });

/** An incarnation as replies carry it, possibly with more about itself. */
export const replyIncarnationSchema = z.looseObject(incarnationSchema.shape);

export function isSameIncarnation(left: Incarnation, right: Incarnation): boolean {
	return left.instanceId === right.instanceId && left.sessionId === right.sessionId;
}
