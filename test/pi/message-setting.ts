/**
 * Sessions that talk to each other inside the test's process, and ways to keep one of them busy.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { vi } from "vitest";
import type { Receipt } from "../../lib/contract/index.ts";
import { PATIENT } from "../support/patience.ts";
import { type InProcessOptions, InProcessPi } from "../support/pi/in-process-pi.ts";
import type { ScriptedReply } from "../support/pi/scripted-model.ts";
import { ownedByTest, temporaryDirectory } from "../support/pi/workspaces.ts";

export const start = async (options: Partial<InProcessOptions> = {}): Promise<InProcessPi> =>
	ownedByTest(await InProcessPi.start({ cwd: temporaryDirectory("workspace"), ...options }));

/** A named session; its log and its registration carry the name. */
export async function startNamed(name: string, options: Partial<InProcessOptions> = {}): Promise<InProcessPi> {
	const pi = await start(options);
	pi.session.setSessionName(name);
	return pi;
}

/** The tool's answer, parsed, and whether it counts as failed. */
export interface Answer {
	readonly isError: boolean;
	readonly value: {
		readonly receipt?: Receipt;
		readonly target?: string | null;
		readonly candidates?: readonly string[];
		readonly state?: string;
		readonly [key: string]: unknown;
	};
}

/** A session whose model makes these calls, one after the other, when it is prompted. */
export const calling = (name: string, calls: readonly Record<string, unknown>[]): ScriptedReply[] => [
	...calls.map((given) => ({ calls: [{ name, arguments: given }] })),
	{ text: "Done." },
];

/** What the tools answered so far. */
export function answers(pi: InProcessPi): Answer[] {
	return pi.toolResults().map(({ text, isError }) => ({ isError, value: JSON.parse(text) }));
}

/** Runs a command of the session and returns what the person was told by it. */
export async function command(pi: InProcessPi, text: string): Promise<string[]> {
	const before = pi.told.length;
	await pi.session.prompt(text);
	return pi.told.slice(before).map(({ text: line }) => line);
}

/** Resolves when the session has settled after a turn that somebody else began. */
export async function answered(pi: InProcessPi, text: string): Promise<void> {
	await vi.waitFor(() => {
		if (pi.session.isStreaming || pi.session.getLastAssistantText() !== text) throw new Error("not answered yet");
	}, PATIENT);
}

/** A gate that a test opens, and a tool and a compaction that wait in front of it. */
export class Gate {
	readonly #opened = Promise.withResolvers<void>();
	readonly #reached = Promise.withResolvers<void>();
	/** Resolves when something waits. */
	readonly reached = this.#reached.promise;

	open(): void {
		this.#opened.resolve();
	}

	async #wait(): Promise<void> {
		this.#reached.resolve();
		await this.#opened.promise;
	}

	/** An extension with the tool `wait`. */
	readonly tool = (pi: ExtensionAPI): void => {
		pi.registerTool({
			name: "wait",
			label: "Wait",
			description: "Wait",
			parameters: Type.Object({}),
			execute: async () => {
				await this.#wait();
				return { content: [{ type: "text", text: "waited" }], details: undefined };
			},
		});
	};

	/** An extension that holds every compaction, and then cancels it. */
	readonly compaction = (pi: ExtensionAPI): void => {
		pi.on("session_before_compact", async () => {
			await this.#wait();
			return { cancel: true };
		});
	};
}
