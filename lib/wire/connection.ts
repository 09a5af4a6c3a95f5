/**
 * Driving one conversation over one connection: the only place where a sender touches a socket.
 *
 * Promise: one absolute deadline, which begins before the endpoint is looked at; one attempt; a look that ends after
 * the deadline or an abort does not connect, and nothing is sent after it. Always settles, never rejects, and leaves no
 * socket, timer or listener behind.
 */
import { connect, type Socket } from "node:net";
import { type MessageOutcomeCode, outcomeOf } from "../contract/message-outcomes.ts";
import { type CancelTimer, type Clock, systemClock } from "../peers/clock.ts";
import type { EndpointVerdict } from "../peers/endpoint.ts";
import { type FrameItem, FrameReader } from "./frame-reader.ts";
import type { Conversation, Settlement } from "./sender-conversation.ts";

export interface ConnectionOptions {
	readonly path: string;
	/** Milliseconds for everything. */
	readonly timeoutMilliseconds: number;
	/** Looks at the endpoint before it is connected to. */
	readonly vet: (path: string) => Promise<EndpointVerdict>;
	readonly signal?: AbortSignal;
	readonly clock?: Clock;
}

/** Holds the conversation and says how it ended. */
export function converse(conversation: Conversation, options: ConnectionOptions): Promise<Settlement> {
	return new Promise((resolve) => new Connection(conversation, options, resolve).start());
}

const verdictCodes: Record<Exclude<EndpointVerdict, "safe">, MessageOutcomeCode> = {
	missing: "not_found",
	unsafe: "unsafe_endpoint",
};

class Connection {
	readonly #conversation: Conversation;
	readonly #options: ConnectionOptions;
	readonly #clock: Clock;
	readonly #deadline: number;
	readonly #resolve: (settlement: Settlement) => void;
	readonly #reader = new FrameReader();
	readonly #onAbort = (): void => this.#fail("cancelled");
	#cancelTimer: CancelTimer = () => {};
	#socket: Socket | null = null;
	#settled = false;

	constructor(conversation: Conversation, options: ConnectionOptions, resolve: (settlement: Settlement) => void) {
		this.#conversation = conversation;
		this.#options = options;
		this.#clock = options.clock ?? systemClock;
		this.#deadline = this.#clock.monotonic() + options.timeoutMilliseconds;
		this.#resolve = resolve;
	}

	start(): void {
		const { signal, timeoutMilliseconds, vet, path } = this.#options;
		if (signal?.aborted) {
			this.#fail("cancelled");
			return;
		}
		signal?.addEventListener("abort", this.#onAbort, { once: true });
		this.#cancelTimer = this.#clock.after(timeoutMilliseconds, () => this.#fail("timeout"));
		vet(path).then(
			(verdict) => (verdict === "safe" ? this.#connect() : this.#fail(verdictCodes[verdict])),
			() => this.#fail("unsafe_endpoint"),
		);
	}

	#connect(): void {
		if (this.#settled || this.#isLate()) return;
		const socket = connect(this.#options.path);
		this.#socket = socket;
		socket.on("connect", () => this.#send(this.#conversation.opening()));
		socket.on("data", (chunk) => this.#takeAll(this.#reader.push(chunk)));
		// An answer that was cut short is not a bad answer: the connection ended too early.
		socket.on("end", () => this.#fail("connection_closed"));
		socket.on("error", () => this.#fail("transport_error"));
		socket.on("close", () => this.#fail("connection_closed"));
	}

	#takeAll(items: readonly FrameItem[]): void {
		for (const item of items) {
			if (this.#settled) return;
			const step = this.#conversation.take(item);
			if (step.type === "send") this.#send(step.line);
			else this.#settle(step.settlement);
		}
	}

	#send(line: string): void {
		if (!this.#settled && !this.#isLate()) this.#socket?.write(line);
	}

	/** A blocked event loop can keep the timer from running: nothing may begin after the deadline all the same. */
	#isLate(): boolean {
		const late = this.#clock.monotonic() >= this.#deadline;
		if (late) this.#fail("timeout");
		return late;
	}

	#fail(code: MessageOutcomeCode): void {
		this.#settle({ type: "failure", outcome: outcomeOf(code) });
	}

	#settle(settlement: Settlement): void {
		if (this.#settled) return;
		this.#settled = true;
		this.#cancelTimer();
		this.#options.signal?.removeEventListener("abort", this.#onAbort);
		this.#socket?.destroy();
		this.#resolve(settlement);
	}
}
