/**
 * A real session with this package and a model that the test holds in its hands, and a peer that sends to it over the
 * wire.
 */
import type { ExtensionAPI, InlineExtension } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { expect, onTestFinished, vi } from "vitest";
import { openDoors } from "../../extension.ts";
import { peerPaths } from "../../lib/peers/paths.ts";
import { registerFlags } from "../../lib/pi/flags.ts";
import { HostSession } from "../../lib/pi/host-session.ts";
import type { HostParts, IncarnationOptions } from "../../lib/pi/incarnation.ts";
import { guardPrompts, watchTurns } from "../../lib/pi/turn-events.ts";
import { openSession, type Session } from "../inbox/open-session.ts";
import { PATIENT } from "../support/patience.ts";
import { infoOf } from "../support/pi/ask.ts";
import { FauxModel, type Reply } from "../support/pi/faux-model.ts";
import type { InProcessOptions, InProcessPi } from "../support/pi/in-process-pi.ts";
import { useOwnAgentDirectory } from "../support/pi/workspaces.ts";
import { start } from "./message-setting.ts";

/**
 * Resolves when the condition holds.
 * @param what for the failure; a function where it tells how far it came
 * @param timeout in ms, for what is much work
 */
export async function until(
	condition: () => boolean | Promise<boolean>,
	what: string | (() => string),
	{ timeout = PATIENT.timeout }: { readonly timeout?: number } = {},
): Promise<void> {
	const look = async () => {
		if (!(await condition())) throw new Error(`This did not come: ${typeof what === "string" ? what : what()}`);
	};
	await vi.waitFor(look, { ...PATIENT, timeout });
}

/** Resolves when everything that waits for a fresh turn of the event loop has had it. */
export async function nextTurnOfLoop(): Promise<void> {
	await new Promise((resolve) => setImmediate(resolve));
	await new Promise((resolve) => setImmediate(resolve));
}

export interface SceneOptions extends Partial<InProcessOptions> {
	/** Tokens of the model's context. */
	readonly contextWindow?: number;
}

/** Tools of other packages, which do nothing but say so. */
export const harmless = (...names: readonly string[]) => {
	return (pi: ExtensionAPI): void => {
		for (const name of names) {
			pi.registerTool({
				name,
				label: name,
				description: name,
				parameters: Type.Object({}, { additionalProperties: true }),
				execute: async () => ({ content: [{ type: "text", text: `${name} ran` }], details: undefined }),
			});
		}
	};
};

/** The package's wiring, where a test can reach what a start reaches for and what came of it. */
export function wired(
	options: Pick<IncarnationOptions, "system">,
	onOpen: (parts: HostParts) => void = () => {},
): InlineExtension {
	return (pi) => {
		const host = new HostSession({
			pi,
			openDoors(parts) {
				openDoors(pi, parts);
				onOpen(parts);
			},
			...options,
		});
		registerFlags(pi);
		pi.on("session_start", (_event, context) => host.start(context));
		pi.on("session_shutdown", () => host.stop());
		pi.on("session_info_changed", () => host.refresh());
		guardPrompts(pi, host.turns);
		watchTurns(pi, host.turns);
	};
}

export class Scene {
	readonly pi: InProcessPi;
	readonly model: FauxModel;
	readonly peer: Session["presence"];
	/** Names of pi's events that matter here, oldest first. */
	readonly events: string[];
	/** Another extension in the session. */
	readonly other: ExtensionAPI;
	readonly instanceId: string;

	private constructor(parts: Pick<Scene, "pi" | "model" | "peer" | "events" | "other" | "instanceId">) {
		this.pi = parts.pi;
		this.model = parts.model;
		this.peer = parts.peer;
		this.events = parts.events;
		this.other = parts.other;
		this.instanceId = parts.instanceId;
	}

	/** Opens it in an agent directory of its own. */
	static async open(replies: readonly Reply[], options: SceneOptions = {}): Promise<Scene> {
		const agentDirectory = useOwnAgentDirectory();
		const { contextWindow, extensions = [], ...rest } = options;
		const model = new FauxModel(replies, contextWindow);
		const events: string[] = [];
		const others: ExtensionAPI[] = [];
		const watching: InlineExtension = (api) => {
			others.push(api);
			for (const type of [
				"agent_settled",
				"session_before_compact",
				"session_compact",
				"session_compact_failed",
			] as const) {
				api.on(type as "agent_settled", () => void events.push(type));
			}
		};
		const pi = await start({
			flags: ["cross-session-rpc"],
			...rest,
			extensions: [model.extension, watching, ...extensions],
		});
		await model.use(pi);
		forbidSteering(pi);
		const describe = () => ({ name: "peer", cwd: "/elsewhere", status: "idle" as const });
		const { presence: peer } = await openSession(peerPaths(agentDirectory), { describe });
		const { instanceId } = (await infoOf(pi.bus)).local;
		const [other] = others;
		if (other === undefined) throw new Error("The other extension did not load.");
		return new Scene({ pi, model, peer, events, other, instanceId });
	}

	get session() {
		return this.pi.session;
	}

	/** Sends a message and returns the code of its receipt. A text that is sent again needs an id of its own. */
	async send(text: string, messageId: string = idOf(text)): Promise<string> {
		const { receipt } = await this.peer.outbox.send({ target: this.instanceId, text, messageId });
		return receipt.code;
	}

	/** What the receiver says over the wire of a message that was sent. */
	async stateOf(text: string): Promise<string | null> {
		return (await this.peer.outbox.askState({ target: this.instanceId, messageId: idOf(text) })).state;
	}

	/** The texts of the messages that pi got, oldest first. */
	arrived(): string[] {
		return this.pi.arrivals().map(({ content }) => content.split("\n").at(-1) ?? "");
	}

	/** What the session's registration says that it is. */
	async status(): Promise<string | undefined> {
		return (await this.peer.directory.find(this.instanceId))?.status;
	}

	count(event: string): number {
		return this.events.filter((name) => name === event).length;
	}

	/** Resolves when as many turns have settled, and what follows from that has happened. */
	async settled(turns: number): Promise<void> {
		await until(() => this.count("agent_settled") >= turns && !this.session.isStreaming, `settlement ${turns}`);
		await nextTurnOfLoop();
	}

	/** The results of tool calls, as the model saw them. */
	results(): string[] {
		return this.pi.toolResults().map(({ text }) => text);
	}

	async stopped(): Promise<boolean> {
		return (await infoOf(this.pi.bus)).stopped;
	}
}

/** The id of the message with this text. */
function idOf(text: string): string {
	return text.replaceAll(" ", "-");
}

/** Nothing of a peer may ever stand in pi's own queues: an abort keeps them, and they join whatever runs next. */
export function forbidSteering(pi: InProcessPi): void {
	const { agent } = pi.session;
	const queued = [vi.spyOn(agent, "steer"), vi.spyOn(agent, "followUp")];
	onTestFinished(() => {
		const messages = queued.flatMap(({ mock }) => mock.calls.map(([message]) => message));
		const ours = messages.filter((message) => message.role === "custom" && message.customType === "cross-session");
		expect(ours).toEqual([]);
	});
}
