/**
 * The typed errors of the RPC, for both of its ends.
 *
 * Promise: each carries its code with the state, advice and fixed sentence that the outcome table gives it, and no
 * foreign text. Packages never share a module instance, so tell these errors apart by `code`, not by `instanceof`.
 */
import { type Outcome, type RpcOutcomeCode, rpcOutcomes } from "./outcomes.ts";

export type RpcErrorCode = Extract<RpcOutcomeCode, "invalid_request" | "receipt_unknown" | "bus_error">;

/** What a caller gets instead of a reply. */
export class RpcError extends Error {
	/**
	 * `invalid_request`: nothing was emitted. `receipt_unknown`: no reply in time, or the wait was aborted.
	 * `bus_error`: the bus threw; what it threw is the `cause`.
	 */
	readonly code: RpcErrorCode;
	readonly state: Outcome["state"];
	readonly retryable: false;
	/** What to do now. */
	readonly next: string;

	constructor(code: RpcErrorCode, message: string = rpcOutcomes[code].message, options?: ErrorOptions) {
		super(message, options);
		this.name = "RpcError";
		this.code = code;
		this.state = rpcOutcomes[code].state;
		this.retryable = false;
		this.next = rpcOutcomes[code].next;
	}
}

/** What a responder's handler throws to be answered as a structured refusal. Its message is sent to the caller. */
export class RefusalError<Code extends string = string> extends Error {
	readonly code: Code;
	readonly state: string;
	readonly retryable: boolean;
	/** What the caller can do now. */
	readonly next: string;

	constructor(code: Code, outcome: Readonly<{ state: string; retryable: boolean; message: string; next: string }>) {
		super(outcome.message);
		this.name = "RefusalError";
		this.code = code;
		this.state = outcome.state;
		this.retryable = outcome.retryable;
		this.next = outcome.next;
	}
}

export type PeerContextErrorCode = Extract<RpcOutcomeCode, "unauthorized" | "unavailable" | "cancelled">;

/** Why there is no peer context. `unauthorized` is one and the same for every reason, so that it tells none. */
export class PeerContextError extends RefusalError<PeerContextErrorCode> {
	constructor(code: PeerContextErrorCode) {
		super(code, rpcOutcomes[code]);
		this.name = "PeerContextError";
	}
}
