/** A started peer-context responder and reads that end when a test says so. */
import type { Bus } from "../../lib/contract/bus.ts";
import type { Incarnation } from "../../lib/contract/identifiers.ts";
import type { PeerContext } from "../../lib/contract/peer-context.ts";
import { PEER_CONTEXT_TOPIC, replyTopic } from "../../lib/contract/topics.ts";
import { OnceLedger } from "../../lib/rpc/once-ledger.ts";
import { createPeerContextResponder, type ReadPeerContext } from "../../lib/rpc/peer-context-responder.ts";
import { context, local, ProbeBus } from "../contract/probe-bus.ts";

export const REPLIES = replyTopic(PEER_CONTEXT_TOPIC, "r");

export interface Setting {
	bus?: Bus;
	local?: Incarnation;
	capacity?: number;
	read?: ReadPeerContext;
}

/** A responder that listens, on a ledger of its own. */
export function started({
	bus = new ProbeBus(),
	local: own = local,
	capacity,
	read = async () => context,
}: Setting = {}) {
	const ledger = new OnceLedger(capacity);
	const responder = createPeerContextResponder({ bus, local: own, ledger, readPeerContext: read });
	responder.start();
	return responder;
}

/** A read that ends when the test says so. */
export class HeldRead {
	readonly signals: AbortSignal[] = [];
	readonly #waiting: { resolve: (value: PeerContext) => void; reject: (error: unknown) => void }[] = [];

	readonly read: ReadPeerContext = (_question, signal) => {
		this.signals.push(signal);
		return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
	};

	succeed(): void {
		for (const { resolve } of this.#waiting) resolve(context);
	}

	fail(error: unknown): void {
		for (const { reject } of this.#waiting) reject(error);
	}
}

/** Throws at whatever is done with it. */
export function unreadable(): object {
	const { proxy, revoke } = Proxy.revocable({}, {});
	revoke();
	return proxy;
}

/** Lets every promise that is due settle, without a clock. */
export const settle = () => new Promise<void>((resolve) => process.nextTick(() => setImmediate(resolve)));
