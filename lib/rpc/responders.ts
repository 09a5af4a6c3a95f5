/**
 * All that one incarnation answers on the bus: started together, stopped together.
 */
import type { Bus } from "../contract/bus.ts";
import type { Incarnation } from "../contract/identifiers.ts";
import type { MessageRecord } from "../inbox/message-states.ts";
import { InfoResponder } from "./info-responder.ts";
import { createSendResponder, createStatusResponder, type MessagePort } from "./message-responders.ts";
import { OnceLedger } from "./once-ledger.ts";
import { createPeerContextResponder, type ReadPeerContext } from "./peer-context-responder.ts";
import { createPeersResponder, type PeerLookup } from "./peers-responder.ts";

/** What an incarnation tells of its exchange of messages. */
export interface Standing {
	/** Whether the person stopped it. */
	readonly stopped: boolean;
	/** Units left of the message budget. */
	readonly remainingBudget: number;
	/** What became of the messages that arrived; bounded by whoever keeps them. */
	readonly states: readonly MessageRecord[];
}

const withoutMessaging: Standing = { stopped: false, remainingBudget: 0, states: [] };

/** What an incarnation that has a place among the peers can do and tell. */
export interface Messaging {
	readonly messages: MessagePort;
	readonly listing: PeerLookup;
	/** Asked at every `info` query. */
	readonly standing: () => Standing;
	/** Requests to send that it answers at most, and as many questions for a status. Default 256, at most 4096. */
	readonly sendRequests?: number;
}

export interface RespondersOptions {
	readonly bus: Bus;
	/** The incarnation that answers. */
	readonly local: Incarnation;
	readonly readPeerContext: ReadPeerContext;
	/** Peer-context requests that it answers at most. */
	readonly contextRequests: number;
	/** Absent where the session has no place among the peers: then it answers only `info` and `peer-context`. */
	readonly messaging?: Messaging;
}

/** Whatever listens from its start to its stop, which never throws. */
interface Listener {
	start(): void;
	stop(): void;
}

/**
 * Starts to answer.
 * @returns the way to stop, which never throws
 * @throws what the bus throws; nothing is held then
 */
export function startResponders(options: RespondersOptions): () => void {
	const { bus, local, readPeerContext, contextRequests, messaging } = options;
	const context = createPeerContextResponder({ bus, local, ledger: new OnceLedger(contextRequests), readPeerContext });
	const exchange = messaging === undefined ? null : createMessaging(bus, local, messaging);
	const info = new InfoResponder({
		bus,
		readSnapshot: () => {
			const { stopped, remainingBudget, states } = messaging?.standing() ?? withoutMessaging;
			return {
				local,
				stopped,
				remainingBudget,
				remainingRpcRequests: exchange?.send.remaining ?? 0,
				remainingContextRequests: context.remaining,
				states: states.map((record) => ({ ...record })),
			};
		},
	});
	return startAll([context, ...(exchange === null ? [] : Object.values(exchange)), info]);
}

function createMessaging(bus: Bus, local: Incarnation, { messages, listing, sendRequests }: Messaging) {
	return {
		send: createSendResponder({ bus, local, ledger: new OnceLedger(sendRequests), messages }),
		status: createStatusResponder({ bus, local, ledger: new OnceLedger(sendRequests), messages }),
		peers: createPeersResponder({ bus, local, ledger: new OnceLedger(sendRequests), listing }),
	};
}

function startAll(listeners: readonly Listener[]): () => void {
	const stop = () => {
		for (const listener of [...listeners].reverse()) listener.stop();
	};
	try {
		for (const listener of listeners) listener.start();
	} catch (error) {
		stop();
		throw error;
	}
	return stop;
}
