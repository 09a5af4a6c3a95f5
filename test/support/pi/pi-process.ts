/**
 * A real pi session in a process of its own, driven over pi's RPC mode, with this package and the scripted model loaded.
 */
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { RpcClient } from "@earendil-works/pi-coding-agent";
import { SCRIPTED, type ScriptedReply } from "./scripted-model.ts";

const projectDirectory = path.resolve(import.meta.dirname, "../../..");
const supportDirectory = import.meta.dirname;

/** The package's own entry, as pi loads it. */
export const extensionPath = path.join(projectDirectory, "extension.ts");

const probePath = path.join(supportDirectory, "bus-probe.ts");

/** pi's command-line entry, by the `bin` of the installed package. */
export function piCommand(): string {
	const entry = fileURLToPath(import.meta.resolve("@earendil-works/pi-coding-agent"));
	const root = entry.slice(0, entry.lastIndexOf(`${path.sep}dist${path.sep}`));
	const { bin } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { bin: { pi: string } };
	return path.join(root, bin.pi);
}

export interface PiProcessOptions {
	readonly cwd: string;
	readonly script: readonly ScriptedReply[];
	/** More arguments for pi. */
	readonly flags?: readonly string[];
	/** More extensions, by path. */
	readonly extensions?: readonly string[];
	readonly environment?: Record<string, string>;
	/** Whether this package is installed in the agent directory, so that pi loads it from there. Default: false. */
	readonly installed?: boolean;
	/** The provider, and its model of the same name; default: the scripted one. */
	readonly provider?: string;
}

/** Arguments for pi that load this package unless it is installed, the scripted model and more extensions. */
export function extensionArguments(extensions: readonly string[] = [], installed = false): string[] {
	const all = [...(installed ? [] : [extensionPath]), path.join(supportDirectory, "scripted-model.ts"), ...extensions];
	return all.flatMap((extension) => ["-e", extension]);
}

/** The environment in which the scripted model says these replies. */
export function scriptEnvironment(script: readonly ScriptedReply[]): Record<string, string> {
	const file = path.join(mkdtempSync(path.join(tmpdir(), "script-")), "replies.json");
	writeFileSync(file, JSON.stringify(script));
	return { SCRIPTED_MODEL: file };
}

/** What a finished tool call left, as pi reports it. */
export interface FinishedCall {
	readonly toolName: string;
	readonly text: string;
	readonly isError: boolean;
}

export class PiProcess {
	readonly client: RpcClient;
	readonly finishedCalls: FinishedCall[] = [];
	/** What the person was shown, oldest first. */
	readonly notifications: string[] = [];
	/** Every event that pi reported, as JSON, oldest first. */
	readonly events: string[] = [];
	readonly #watchers = new Set<() => void>();

	constructor(options: PiProcessOptions) {
		this.client = new RpcClient({
			cliPath: piCommand(),
			cwd: options.cwd,
			provider: options.provider ?? SCRIPTED,
			model: options.provider ?? SCRIPTED,
			args: [
				...extensionArguments([probePath, ...(options.extensions ?? [])], options.installed),
				...(options.flags ?? []),
			],
			env: { ...scriptEnvironment(options.script), ...options.environment },
		});
		this.client.onEvent((event) => {
			this.events.push(JSON.stringify(event));
			// Requests to the user interface come the same way, though the client's types leave them out.
			const request: { type: string; method?: unknown; message?: unknown } = event;
			if (request.type === "extension_ui_request" && request.method === "notify") {
				this.notifications.push(String(request.message));
			}
			this.#keepCall(event);
			for (const look of [...this.#watchers]) look();
		});
	}

	#keepCall(event: Parameters<Parameters<RpcClient["onEvent"]>[0]>[0]): void {
		if (event.type !== "tool_execution_end") return;
		const content: { type: string; text?: string }[] = event.result?.content ?? [];
		const text = content.map((block) => block.text ?? "").join("");
		this.finishedCalls.push({ toolName: event.toolName, text, isError: event.isError });
	}

	async start(): Promise<void> {
		await this.client.start();
		// The first answer comes when the session is there, extensions included.
		await this.client.getState();
	}

	/** Runs one prompt to its end. */
	async prompt(text: string): Promise<void> {
		const settled = this.client.waitForIdle();
		await this.client.prompt(text);
		await settled;
	}

	/** Runs an extension's command; resolves when its handler has ended. */
	async command(text: string): Promise<void> {
		await this.client.prompt(text);
	}

	/** Resolves when pi has reported an event of which the condition holds, now or earlier. */
	async reported(condition: (event: string) => boolean): Promise<void> {
		await new Promise<void>((resolve) => {
			const look = () => {
				if (!this.events.some(condition)) return;
				this.#watchers.delete(look);
				resolve();
			};
			this.#watchers.add(look);
			look();
		});
	}

	/** Asks the session's own event bus, as an extension inside of it does; `{ error: code }` when that fails. */
	async ask(topic: string, request: object = {}): Promise<unknown> {
		return this.reportOf("ask", { topic, request: { requestId: randomUUID(), ...request } });
	}

	/** Names of all tools of the session. */
	async toolNames(): Promise<unknown> {
		return this.reportOf("tools", {});
	}

	/** Runs an extension's command that reports `{ id, value }` as a notification; resolves with the value. */
	async reportOf(command: string, question: object): Promise<unknown> {
		const id = randomUUID();
		await this.command(`/${command} ${JSON.stringify({ id, ...question })}`);
		const index = this.notifications.findIndex((text) => text.startsWith(`{"id":"${id}"`));
		const [text] = this.notifications.splice(index, 1);
		if (index === -1 || text === undefined) throw new Error(`/${command} reported nothing.`);
		return JSON.parse(text).value;
	}

	async sessionId(): Promise<string> {
		return (await this.client.getState()).sessionId;
	}

	async stop(): Promise<void> {
		await this.client.stop();
	}
}
