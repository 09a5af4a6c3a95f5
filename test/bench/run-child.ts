/**
 * Runs one measurement in a process of its own: plain Node, so that no loader's work is part of a figure.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { ManySessions } from "./many-sessions.ts";

const execute = promisify(execFile);

/** A script in `children/`, and what it is told and returns. */
export interface Children {
	"overview-time": { job: { file: string; warmUpFile?: string }; figures: number };
	"scan-time": { job: { file: string; warmUpFile?: string }; figures: number };
	"sdk-time": { job: { file: string }; figures: number };
	"overview-memory": { job: { file: string }; figures: { idle: number; above: number } };
	"overview-block": { job: { file: string }; figures: { longest: number; idle: number } };
	"second-read-time": {
		job: { file: string; leafId: string | null; warmUpFile: string; copy: string };
		figures: { unchanged: number; grown: number };
	};
	"send-time": { job: Record<string, never>; figures: { send: number; bare: number } };
	"candidates-time": { job: ManySessions; figures: number };
	"sdk-list-time": { job: ManySessions; figures: number };
	"snapshot-time": { job: { few: string; many: string; cwd: string }; figures: { few: number; many: number } };
	"request-time": { job: Record<string, never>; figures: { rpc: number; bare: number } };
}

/** Runs the script and returns its figures. Rejects with its standard error when it fails. */
export async function runChild<Name extends keyof Children>(
	name: Name,
	job: Children[Name]["job"],
): Promise<Children[Name]["figures"]> {
	const script = fileURLToPath(new URL(`./children/${name}.ts`, import.meta.url));
	const { stdout } = await execute(process.execPath, ["--expose-gc", script, JSON.stringify(job)]);
	return JSON.parse(stdout) as Children[Name]["figures"];
}
