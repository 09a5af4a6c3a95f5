/**
 * pi on a terminal, as a person sees it, with this package and the scripted model loaded.
 */
import process from "node:process";
import { extensionArguments, piCommand, scriptEnvironment } from "../pi/pi-process.ts";
import { SCRIPTED, type ScriptedReply } from "../pi/scripted-model.ts";
import { Terminal } from "./terminal.ts";

export interface PiTerminalOptions {
	readonly cwd: string;
	readonly script?: readonly ScriptedReply[];
	/** More arguments for pi. */
	readonly flags?: readonly string[];
	/** More extensions, by path. */
	readonly extensions?: readonly string[];
	readonly environment?: Readonly<Record<string, string>>;
	readonly columns?: number;
	readonly rows?: number;
	/** Whether this package is installed in the agent directory, so that pi loads it from there. Default: false. */
	readonly installed?: boolean;
}

/** Keys that pi knows, as the bytes that a terminal sends for them. */
export const KEYS = Object.freeze({ enter: "\r", escape: "\u001b", down: "\u001b[B", expandTools: "\u000f" });

export class PiTerminal extends Terminal {
	private constructor({
		script = [],
		flags = [],
		extensions = [],
		environment,
		installed,
		...place
	}: PiTerminalOptions) {
		super({
			...place,
			command: process.execPath,
			arguments: [
				piCommand(),
				...extensionArguments(extensions, installed),
				...["--provider", SCRIPTED, "--model", SCRIPTED],
				...flags,
			],
			environment: { ...scriptEnvironment(script), ...environment },
		});
	}

	/** Starts pi and waits until it takes input. */
	static async start(options: PiTerminalOptions): Promise<PiTerminal> {
		const terminal = new PiTerminal(options);
		try {
			// The list of what was loaded comes last; an Enter before it may be lost.
			await terminal.waitForText("[Extensions]");
			return terminal;
		} catch (error) {
			await terminal.stop();
			throw error;
		}
	}

	/** Types one line and sends it. */
	async submit(line: string): Promise<void> {
		await this.type(line);
		this.press(KEYS.enter);
	}
}
