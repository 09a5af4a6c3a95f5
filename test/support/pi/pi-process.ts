/**
 * A real pi session in a process of its own, driven over pi's RPC mode, with this package and the scripted model loaded.
 */
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

	constructor(options: PiProcessOptions) {
		const script = path.join(mkdtempSync(path.join(tmpdir(), "script-")), "replies.json");
		writeFileSync(script, JSON.stringify(options.script));
		const extensions = [extensionPath, path.join(supportDirectory, "scripted-model.ts"), ...(options.extensions ?? [])];
		this.client = new RpcClient({
			cliPath: piCommand(),
			cwd: options.cwd,
			provider: SCRIPTED,
			model: SCRIPTED,
			args: [...extensions.flatMap((extension) => ["-e", extension]), ...(options.flags ?? [])],
			env: { SCRIPTED_MODEL: script, ...options.environment },
		});
		this.client.onEvent((event) => {
			if (event.type !== "tool_execution_end") return;
			const content: { type: string; text?: string }[] = event.result?.content ?? [];
			const text = content.map((block) => block.text ?? "").join("");
			this.finishedCalls.push({ toolName: event.toolName, text, isError: event.isError });
		});
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

	async sessionId(): Promise<string> {
		return (await this.client.getState()).sessionId;
	}

	async stop(): Promise<void> {
		await this.client.stop();
	}
}
