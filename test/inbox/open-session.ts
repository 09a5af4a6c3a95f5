/** Sessions with a real presence, several in one process, for one test each. */
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { MessageOutcomeCode } from "../../lib/contract/message-outcomes.ts";
import type { Delivery, IncomingMessage } from "../../lib/inbox/inbox.ts";
import { Lifecycle } from "../../lib/inbox/lifecycle.ts";
import { Presence, type PresenceOptions } from "../../lib/inbox/presence.ts";
import { currentPathFacts, type PeerPaths, peerPaths } from "../../lib/peers/paths.ts";
import { temporaryDirectory } from "../peers/temporary-peers.ts";

/** A delivery that keeps what it gets. */
export class RecordingDelivery implements Delivery {
	readonly delivered: IncomingMessage[] = [];
	refuseWith: MessageOutcomeCode | null = null;
	decide: (message: IncomingMessage) => MessageOutcomeCode | Promise<MessageOutcomeCode> = () => "submitted";

	refusal(): MessageOutcomeCode | null {
		return this.refuseWith;
	}

	deliver(message: IncomingMessage): MessageOutcomeCode | Promise<MessageOutcomeCode> {
		this.delivered.push(message);
		return this.decide(message);
	}
}

export interface Session {
	readonly presence: Presence;
	readonly lifecycle: Lifecycle;
	readonly delivery: RecordingDelivery;
}

/** Paths of a new agent directory; nothing exists there yet. */
export async function freshPaths(): Promise<PeerPaths> {
	const root = await temporaryDirectory();
	return peerPaths(join(root, "agent"), { ...currentPathFacts(), socketRoot: root });
}

let sessions = 0;

/** The options of a session that can start. */
export function sessionOptions(paths: PeerPaths, changes: Partial<PresenceOptions> = {}): PresenceOptions {
	const sessionId = `session-${++sessions}`;
	return {
		agentDirectory: paths.agentDirectory,
		paths,
		sessionId,
		describe: () => ({ name: sessionId, cwd: "/workspace", status: "idle" }),
		inbound: "accept",
		delivery: new RecordingDelivery(),
		...changes,
	};
}

/** Starts a session that ends with the test. */
export async function openSession(paths: PeerPaths, changes: Partial<PresenceOptions> = {}): Promise<Session> {
	const delivery = new RecordingDelivery();
	const options = sessionOptions(paths, { delivery, ...changes });
	const lifecycle = new Lifecycle();
	onTestFinished(() => lifecycle.stop());
	const presence = await lifecycle.start((scope) => Presence.open(options, scope));
	return { presence, lifecycle, delivery };
}
