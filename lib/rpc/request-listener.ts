/**
 * Listening for the requests of one topic, from one start to one stop.
 *
 * Promise: what has no id to answer to is not heard; after the stop nothing is, also on a bus that can't unsubscribe.
 */
import type { Bus } from "../contract/bus.ts";
import { runIsolated } from "../contract/isolation.ts";
import type { RpcTopic } from "../contract/topics.ts";
import { readRequestId } from "./envelope.ts";

export interface RequestListenerOptions {
	readonly bus: Bus;
	readonly topic: RpcTopic;
	/** Called for each request, of which nothing but the id has been checked. Must not throw. */
	readonly hear: (requestId: string, data: unknown) => void;
}

export class RequestListener {
	readonly #options: RequestListenerOptions;
	#state: "new" | "started" | "stopped" = "new";
	#unsubscribe: (() => void) | undefined;

	constructor(options: RequestListenerOptions) {
		this.#options = options;
	}

	/** Starts to listen, once. Throws what the bus throws; nothing is held then. */
	start(): void {
		if (this.#state !== "new") return;
		this.#unsubscribe = this.#options.bus.on(this.#options.topic, this.#receive);
		this.#state = "started";
	}

	/** Ends listening. Never throws; again does nothing. */
	stop(): void {
		this.#state = "stopped";
		const unsubscribe = this.#unsubscribe;
		this.#unsubscribe = undefined;
		if (unsubscribe !== undefined) runIsolated(unsubscribe);
	}

	readonly #receive = (data: unknown): void => {
		if (this.#state !== "started") return;
		const requestId = readRequestId(data);
		if (requestId !== undefined) this.#options.hear(requestId, data);
	};
}
