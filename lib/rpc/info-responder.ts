/**
 * Answers `cross-session:rpc:info`.
 *
 * Promise: one synchronous snapshot a query, and no memory of queries: asking who is there costs no budget. Nothing
 * throws out of the topic's handler.
 */
import type { Bus } from "../contract/bus.ts";
import type { Incarnation } from "../contract/identifiers.ts";
import { CANCEL_SAFE_QUEUE } from "../contract/info.ts";
import { INFO_TOPIC } from "../contract/topics.ts";
import { emitReply, isOpenRequest, type RefusalFields, refusalOf } from "./envelope.ts";
import { RequestListener } from "./request-listener.ts";
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
	readonly #listener: RequestListener;

	constructor({ bus, readSnapshot }: InfoResponderOptions) {
		this.#bus = bus;
		this.#readSnapshot = readSnapshot;
		this.#listener = new RequestListener({
			bus,
			topic: INFO_TOPIC,
			hear: (requestId, data) => this.#hear(requestId, data),
		});
	}

	/** Starts to listen, once. Throws what the bus throws; nothing is held then. */
	start(): void {
		this.#listener.start();
	}

	/** Ends listening. Never throws; again does nothing. */
	stop(): void {
		this.#listener.stop();
	}

	#hear(requestId: string, data: unknown): void {
		const { local, ...fields } = this.#answer(data);
		emitReply(this.#bus, INFO_TOPIC, requestId, local, fields);
	}

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
