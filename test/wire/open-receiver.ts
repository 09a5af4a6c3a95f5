/** A real receiver at a real socket, with the decisions behind the wire under the test's control. */
import { onTestFinished } from "vitest";
import type { MessageOutcomeCode, MessageState } from "../../lib/contract/message-outcomes.ts";
import type { Clock } from "../../lib/peers/clock.ts";
import type { PeerPaths } from "../../lib/peers/paths.ts";
import type { Registration } from "../../lib/peers/registration.ts";
import { readRegistration } from "../../lib/peers/registration-reading.ts";
import type { MessageFrame } from "../../lib/wire/frames.ts";
import { Receiver } from "../../lib/wire/server.ts";
import { registrationFor, temporaryPaths, writeRegistration } from "../peers/temporary-peers.ts";
import type { Json } from "./raw-peers.ts";

export interface Scene {
	readonly paths: PeerPaths;
	readonly receiver: Receiver<Registration>;
	/** Who receives. */
	readonly local: Registration;
	/** Somebody who may send. */
	readonly sender: Registration;
	/** Messages that were handed on. */
	readonly taken: MessageFrame[];
	ready: boolean;
	/** What becomes of a message. */
	decide: (message: MessageFrame) => MessageOutcomeCode | Promise<MessageOutcomeCode>;
	state: MessageState;
}

export async function openScene(clock?: Clock): Promise<Scene> {
	const paths = await temporaryPaths();
	const local = await writeRegistration(paths, registrationFor(paths));
	const sender = await writeRegistration(paths, registrationFor(paths));
	const taken: MessageFrame[] = [];
	const receiver = await Receiver.open<Registration>({
		path: local.socketPath,
		platform: paths.platform,
		onFailure: () => {},
		...(clock === undefined ? {} : { clock }),
		ports: {
			identity: local,
			isReady: () => scene.ready,
			readSenderRegistration: async (instanceId) => {
				const reading = await readRegistration(paths, instanceId);
				return reading.ok ? reading.registration : null;
			},
			takeMessage: (message) => {
				taken.push(message);
				return scene.decide(message);
			},
			messageState: () => scene.state,
		},
	});
	onTestFinished(() => receiver.close());
	const scene: Scene = {
		paths,
		receiver,
		local,
		sender,
		taken,
		ready: true,
		decide: () => "submitted",
		state: "unknown",
	};
	return scene;
}

/** A proper hello of the scene's sender. */
export function helloFrame(scene: Pick<Scene, "local" | "sender">, changes: Json = {}): Json {
	const { local, sender } = scene;
	return {
		v: 1,
		type: "hello",
		requestId: "hello-1",
		token: local.token,
		target: { id: local.id, instanceId: local.instanceId },
		from: { id: sender.id, instanceId: sender.instanceId, token: sender.token },
		capabilities: ["cancel-safe-queue-v1"],
		...changes,
	};
}

export function messageFrame(changes: Json = {}): Json {
	return {
		v: 1,
		type: "message",
		requestId: "message-1",
		messageId: "m1",
		text: "The parser is yours now.",
		summary: "parser",
		sentAt: Date.now(),
		...changes,
	};
}

export function statusFrame(changes: Json = {}): Json {
	return { v: 1, type: "status", requestId: "status-1", messageId: "m1", ...changes };
}
