/**
 * Answers `cross-session:rpc:peers` for one incarnation.
 */
import * as z from "zod";
import type { Bus } from "../contract/bus.ts";
import type { Incarnation } from "../contract/identifiers.ts";
import type { RecentSession } from "../contract/peers-rpc.ts";
import type { PublicPeer } from "../contract/public-peer.ts";
import { PEERS_TOPIC } from "../contract/topics.ts";
import type { OnceLedger } from "./once-ledger.ts";
import { readFields } from "./request-fields.ts";
import { Responder } from "./responder.ts";

/** How an incarnation finds out who else is there. */
export interface PeerLookup {
	/** Live peers, each with `git` and `readable`, without secrets. */
	listPeers(signal: AbortSignal): Promise<readonly PublicPeer[]>;
	/** The newest sessions of the workspace that are not live and may be looked at; bounded by whoever lists them. */
	listRecent(signal: AbortSignal): Promise<readonly RecentSession[]>;
}

export interface PeersResponderOptions {
	readonly bus: Bus;
	readonly local: Incarnation;
	readonly ledger: OnceLedger;
	readonly listing: PeerLookup;
}

const rules = { include: { schema: z.literal("recent").optional(), expected: '"recent", where it is given' } };

/** A responder that is not started yet. */
export function createPeersResponder(options: PeersResponderOptions): Responder<typeof PEERS_TOPIC> {
	const { listing, ...rest } = options;
	return new Responder({
		...rest,
		topic: PEERS_TOPIC,
		unansweredCode: "unavailable",
		read(request) {
			const { include } = readFields(request, rules);
			return {
				async run(signal) {
					const recent = include === undefined ? undefined : listing.listRecent(signal);
					const [peers, sessions] = await Promise.all([listing.listPeers(signal), recent]);
					return { peers: [...peers], ...(sessions === undefined ? {} : { recent: [...sessions] }) };
				},
			};
		},
	});
}
