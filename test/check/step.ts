// What a step of the check is, and how a step runs a tool.
import { execFile } from "node:child_process";
import path from "node:path";
import process from "node:process";

export interface Step {
	/** The sentence that holds when the step passes; it is printed. */
	readonly proves: string;
	/** Rejects with a CheckFailure, whose message tells what is wrong and where. */
	run(): Promise<void>;
}

/** Something in the project is not as it should be, as opposed to a fault of the check itself. */
export class CheckFailure extends Error {
	override readonly name = "CheckFailure";
}

export const projectDirectory: string = path.resolve(import.meta.dirname, "../..");

export interface ToolResult {
	/** 0 to 255; 1 when the tool could not be started or was ended by a signal. */
	readonly exitCode: number;
	readonly stdout: string;
	/** Standard output, then standard error. */
	readonly output: string;
}

/** Runs a tool that is on the PATH, in the project's directory unless told otherwise. Never rejects. */
export function runTool(tool: string, given: readonly string[], directory = projectDirectory): Promise<ToolResult> {
	return new Promise((resolve) => {
		const options = { cwd: directory, maxBuffer: 64 * 1024 * 1024, env: { ...process.env, NO_COLOR: "1" } };
		execFile(tool, given, options, (error, stdout, stderr) => {
			const exitCode = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
			const fault = error !== null && typeof error.code === "string" ? `${tool}: ${error.code}\n` : "";
			resolve({ exitCode, stdout, output: `${fault}${stdout}${stderr}`.trim() });
		});
	});
}

/** The same for a tool that has to succeed: its standard output, or a CheckFailure with all that it said. */
export async function requireTool(tool: string, given: readonly string[], directory?: string): Promise<string> {
	const { exitCode, stdout, output } = await runTool(tool, given, directory);
	if (exitCode !== 0) throw new CheckFailure(`${tool} ${given.join(" ")} ended with exit code ${exitCode}\n${output}`);
	return stdout;
}
