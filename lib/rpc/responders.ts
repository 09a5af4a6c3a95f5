/**
 * All that one incarnation answers on the bus: started together, stopped together.
 */
import type { Bus } from "../contract/bus.ts";
import type { Incarnation } from "../contract/identifiers.ts";
import { InfoResponder, type InfoSnapshot } from "./info-responder.ts";
import { OnceLedger } from "./once-ledger.ts";
import { createPeerContextResponder, type ReadPeerContext } from "./peer-context-responder.ts";

export interface RespondersOptions {
	readonly bus: Bus;
	/** The incarnation that answers. */
	readonly local: Incarnation;
	readonly readPeerContext: ReadPeerContext;
	/** Peer-context requests that it answers at most. */
	readonly contextRequests: number;
	/** What is left and known of the messages; asked at every info request. */
	readonly readMessaging: () => Pick<InfoSnapshot, "remainingBudget" | "states">;
}

/**
 * Starts to answer.
 * @returns the way to stop, which never throws
 * @throws what the bus throws; nothing is held then
 */
export function startResponders(options: RespondersOptions): () => void {
	const { bus, local, readPeerContext, contextRequests, readMessaging } = options;
	const context = createPeerContextResponder({ bus, local, ledger: new OnceLedger(contextRequests), readPeerContext });
	const info = new InfoResponder({
		bus,
		readSnapshot: () => ({
			local,
			stopped: false,
			remainingRpcRequests: 0,
			remainingContextRequests: context.remaining,
			...readMessaging(),
		}),
	});
	const stop = () => {
		info.stop();
		context.stop();
	};
	try {
		context.start();
		info.start();
	} catch (error) {
		stop();
		throw error;
	}
	return stop;
}
