/**
 * Answers `cross-session:rpc:info`.
 *
 * Promise: one synchronous snapshot a query, and no memory of queries: asking who is there costs no budget. Nothing
 * throws out of the topic's handler.
 */
import type { Bus } from "../contract/bus.ts";
import type { Incarnation } from "../contract/identifiers.ts";
import { CANCEL_SAFE_QUEUE } from "../contract/info.ts";
import { runIsolated } from "../contract/isolation.ts";
import { INFO_TOPIC } from "../contract/topics.ts";
import { emitReply, isOpenRequest, type RefusalFields, readRequestId, refusalOf } from "./envelope.ts";
import type { RpcAnswer } from "./responder.ts";

/** What an incarnation tells of itself. The number of `states` is for whoever makes the snapshot to bound. */
export type InfoSnapshot = Omit<RpcAnswer<typeof INFO_TOPIC>, "capability"> & {
	/** Null while no incarnation is up. */
	readonly local: Incarnation | null;
};

export interface InfoResponderOptions {
	readonly bus: Bus;
	/** Called once a query; when it throws, the query is answered as `unavailable`. */
	readonly readSnapshot: () => InfoSnapshot;
}

type InfoAnswer = { readonly local: Incarnation | null } & (
	| RefusalFields
	| (InfoSnapshot & { readonly ok: true; readonly capability: string })
);

export class InfoResponder {
	readonly #bus: Bus;
	readonly #readSnapshot: () => InfoSnapshot;
	#state: "new" | "started" | "stopped" = "new";
	#unsubscribe: (() => void) | undefined;

	constructor(options: InfoResponderOptions) {
		this.#bus = options.bus;
		this.#readSnapshot = options.readSnapshot;
	}

	/** Starts to listen, once. Throws what the bus throws; nothing is held then. */
	start(): void {
		if (this.#state !== "new") return;
		this.#unsubscribe = this.#bus.on(INFO_TOPIC, this.#receive);
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
		if (requestId === undefined) return;
		const { local, ...fields } = this.#answer(data);
		emitReply(this.#bus, INFO_TOPIC, requestId, local, fields);
	};

	#answer(data: unknown): InfoAnswer {
		try {
			const snapshot = this.#readSnapshot();
			if (!isOpenRequest(data)) return { local: snapshot.local, ...refusalOf("invalid_request") };
			return { ...snapshot, ok: true, capability: CANCEL_SAFE_QUEUE };
		} catch {
			return { local: null, ...refusalOf("unavailable") };
		}
	}
}
