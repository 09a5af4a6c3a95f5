/**
 * Sessions with everything but pi: a presence, the responders and the announcer of each on a bus of its own, and a stand-in
 * for pi that takes what nobody claims.
 */
import { onTestFinished } from "vitest";
import { type Bus, createBus } from "../../lib/contract/bus.ts";
import type { PeerPaths } from "../../lib/peers/paths.ts";
import { AnnouncedDelivery } from "../../lib/rpc/announced-delivery.ts";
import { ReceivedAnnouncer } from "../../lib/rpc/received-announcer.ts";
import { startResponders } from "../../lib/rpc/responders.ts";
import { context } from "../contract/probe-bus.ts";
import { openSession, RecordingDelivery, type Session } from "../inbox/open-session.ts";
import { messagingOf } from "../rpc/open-host.ts";

export interface FullHost {
	readonly bus: Bus;
	readonly session: Session;
	readonly instanceId: string;
	/** Gets what nobody claims. */
	readonly pi: RecordingDelivery;
}

/** Opens a session that ends with the test. */
export async function openFullHost(paths: PeerPaths, bus: Bus = createBus()): Promise<FullHost> {
	const pi = new RecordingDelivery();
	const delivery = new AnnouncedDelivery({ pi, announcer: () => announcer, isStopped: () => false, clock: Date });
	const session = await openSession(paths, { delivery });
	const { sessionId, instanceId } = session.presence;
	const local = { sessionId, instanceId };
	const announcer = new ReceivedAnnouncer(bus, local);
	const messaging = messagingOf(session);
	onTestFinished(
		startResponders({ bus, local, readPeerContext: async () => context, contextRequests: 256, messaging }),
	);
	return { bus, session, instanceId, pi };
}
