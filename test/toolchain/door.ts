// Starts run-clean.sh the way a person or CI does, and watches it from outside.
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import process from "node:process";

export const projectDirectory: string = path.resolve(import.meta.dirname, "../..");

export interface DoorOptions {
	/** The script's path as the caller writes it; default: the project's own. */
	readonly script?: string;
	/** The caller's directory; default: the project's. */
	readonly directory?: string;
	/** Added to the caller's environment; undefined takes a variable away. */
	readonly environment?: Record<string, string | undefined>;
	readonly input?: string;
}

export interface Ended {
	/** The exit code; null when a signal ended it. */
	readonly exitCode: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

export interface OpenDoor {
	readonly pid: number;
	/** Resolves when standard output holds `text`; rejects when it ends before. */
	printed(text: string): Promise<void>;
	readonly ended: Promise<Ended>;
}

/** Starts `run-clean.sh …given`; the caller awaits `ended`. */
export function openDoor(given: readonly string[], options: DoorOptions = {}): OpenDoor {
	const { script = path.join(projectDirectory, "run-clean.sh"), directory = projectDirectory } = options;
	const child = spawn(script, given, { cwd: directory, env: { ...process.env, ...options.environment } });
	child.stdin.end(options.input ?? "");
	const text = { stdout: "", stderr: "" };
	for (const name of ["stdout", "stderr"] as const) {
		child[name].setEncoding("utf8").on("data", (chunk: string) => {
			text[name] += chunk;
		});
	}
	const ended = once(child, "close").then(([exitCode]: (number | null)[]) => ({ exitCode: exitCode ?? null, ...text }));
	return {
		pid: child.pid ?? Number.NaN,
		ended,
		printed: (wanted) =>
			new Promise((resolve, reject) => {
				const look = () => text.stdout.includes(wanted) && resolve();
				child.stdout.on("data", look);
				ended.then(({ stderr }) => reject(new Error(`It ended without printing "${wanted}": ${stderr}`)));
				look();
			}),
	};
}

/** Runs `run-clean.sh …given` to its end. */
export const throughDoor = (given: readonly string[], options?: DoorOptions): Promise<Ended> =>
	openDoor(given, options).ended;
