/**
 * What each code of the RPC means for the caller: one table, from which refusals and errors are made.
 *
 * Promise: `state` tells what is known of the other side, `retryable` is true only where asking again is harmless (and
 * even then somebody has to decide it), and no sentence holds anything but fixed text.
 */
import * as z from "zod";
import { RPC_VERSION, replyIncarnationSchema } from "./identifiers.ts";

/** The facts and advice that go with a code. */
export interface Outcome {
	/** `refused`: nothing was done. `receipt_unknown`: it may or may not have been done. */
	readonly state: "refused" | "receipt_unknown";
	/** Whether the same question may be asked again, by an explicit decision and under a new request id. */
	readonly retryable: boolean;
	/** What was wrong. */
	readonly message: string;
	/** What to do now. */
	readonly next: string;
}

/** Codes of requests that this package answers or gives up on. Other implementations may answer with others. */
export type RpcOutcomeCode =
	| "unauthorized"
	| "unavailable"
	| "cancelled"
	| "invalid_request"
	| "receipt_unknown"
	| "bus_error";

export const rpcOutcomes: Readonly<Record<RpcOutcomeCode, Outcome>> = Object.freeze({
	unauthorized: Object.freeze({
		state: "refused",
		retryable: false,
		message: "This session may not be read from here, or the request does not name one that may.",
		next: "Choose a session of the same workspace from the list of peers; do not repeat this request.",
	}),
	unavailable: Object.freeze({
		state: "refused",
		retryable: true,
		message: "The answer could not be made now.",
		next: "Go on without it, or decide to ask again later under a new request id.",
	}),
	cancelled: Object.freeze({
		state: "refused",
		retryable: false,
		message: "The request was cancelled before it was answered.",
		next: "Nothing is left to clean up; ask under a new request id only if the answer is still wanted.",
	}),
	invalid_request: Object.freeze({
		state: "refused",
		retryable: false,
		message: "The request does not fit the topic, or it names another incarnation.",
		next: "Ask cross-session:rpc:info for the current incarnation and correct the request; use a new request id.",
	}),
	receipt_unknown: Object.freeze({
		state: "receipt_unknown",
		retryable: false,
		message: "No answer can tell any more what became of the request.",
		next: "Do not repeat it blindly: find out first whether it had an effect.",
	}),
	bus_error: Object.freeze({
		state: "receipt_unknown",
		retryable: false,
		message: "The event bus failed while the request was being made.",
		next: "Get a working bus (a reload makes the old one stale); find out whether the request had an effect.",
	}),
});

/** The fields that every refusal has besides `local`. Codes and states are open: other responders have their own. */
export const refusalFields = {
	version: z.literal(RPC_VERSION),
	requestId: z.string(),
	ok: z.literal(false),
	code: z.string(),
	state: z.string(),
	retryable: z.boolean(),
	next: z.string(),
	error: z.string().optional(),
};

/** A structured no. */
export const refusalSchema = z.looseObject({ ...refusalFields, local: replyIncarnationSchema });
export type Refusal = z.infer<typeof refusalSchema>;
