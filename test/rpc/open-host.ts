/** Sessions that answer RPC: a real presence, its responders, and a bus to ask them on. */
import { onTestFinished } from "vitest";
import type { Bus } from "../../lib/contract/bus.ts";
import type { Incarnation } from "../../lib/contract/identifiers.ts";
import type { RecentSession } from "../../lib/contract/peers-rpc.ts";
import { SEND_TOPIC, STATUS_TOPIC } from "../../lib/contract/topics.ts";
import type { PresenceOptions } from "../../lib/inbox/presence.ts";
import type { PeerPaths } from "../../lib/peers/paths.ts";
import { type Messaging, startResponders } from "../../lib/rpc/responders.ts";
import { context, ProbeBus } from "../contract/probe-bus.ts";
import { freshPaths, openSession, type Session } from "../inbox/open-session.ts";

export const workspace = "/workspace";
export const recent: RecentSession[] = [{ sessionId: "cold", title: "Parser work", changedAt: 1 }];

export interface HostOptions extends Partial<PresenceOptions> {
	readonly bus?: Bus;
	readonly sendRequests?: number;
}

export interface Host<OwnBus extends Bus = ProbeBus> extends Session {
	readonly bus: OwnBus;
	readonly local: Incarnation;
	/** Ends the answering; the presence stays. */
	readonly stop: () => void;
}

/** What a session's presence can do for its responders. */
export function messagingOf({ presence }: Session, sendRequests?: number): Messaging {
	return {
		messages: presence.outbox,
		listing: {
			listPeers: (signal) => presence.directory.list(workspace, signal),
			listRecent: async () => recent,
		},
		standing: () => ({
			stopped: false,
			remainingBudget: presence.budget.remaining,
			states: presence.inbox.states.list(),
		}),
		...(sendRequests === undefined ? {} : { sendRequests }),
	};
}

/** Starts a session that answers RPC until the test ends. */
export async function openHost(paths: PeerPaths, options: HostOptions = {}): Promise<Host> {
	const { bus = new ProbeBus(), sendRequests, ...presenceOptions } = options;
	const session = await openSession(paths, presenceOptions);
	const { sessionId, instanceId } = session.presence;
	const local = { sessionId, instanceId };
	const stop = startResponders({
		bus,
		local,
		readPeerContext: async () => context,
		contextRequests: 256,
		messaging: messagingOf(session, sendRequests),
	});
	onTestFinished(stop);
	return { ...session, bus: bus as ProbeBus, local, stop };
}

/** A session that answers RPC and one that it can write to. */
export async function hostAndPeer(options: HostOptions = {}) {
	const paths = await freshPaths();
	const host = await openHost(paths, options);
	const peer = await openSession(paths);
	return { paths, host, bus: host.bus, local: host.local, peer, remoteInstanceId: peer.presence.instanceId };
}

export const text = "The parser is yours now.\nSecond line.";

let messages = 0;

/** A request about a message to a peer; each call has a message of its own. */
export function aboutPeer(local: Incarnation, remoteInstanceId: string, requestId = "r") {
	messages += 1;
	return { version: 1 as const, requestId, local, remoteInstanceId, messageId: `m-${messages}` };
}

/** The same with a text: a request to send it. */
export function sendRequest(local: Incarnation, remoteInstanceId: string, requestId = "r") {
	return { ...aboutPeer(local, remoteInstanceId, requestId), text: `${text} ${messages}` };
}

/** The topics about messages. */
export const messageTopics = [SEND_TOPIC, STATUS_TOPIC] as const;
