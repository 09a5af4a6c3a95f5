/**
 * This project packed as npm publishes it, and pi with the packed file installed, all of it without a network: npm finds
 * the two dependencies in the cache of the clean run.
 */
import { execFile } from "node:child_process";
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { parsePackReport } from "../check/package-contents.ts";
import { cleanRunRoot } from "../support/clean-run.ts";
import { piCommand } from "../support/pi/pi-process.ts";
import { makeDirectory } from "../support/pi/workspaces.ts";

export const project = path.resolve(import.meta.dirname, "../..");
export const PACKAGE_NAME = "pi-cross-session-rpc";

const run = promisify(execFile);

/** What is neither packed nor needed for packing, wherever it lies. */
const leftOut = new Set(["node_modules", ".git", "coverage", "dist"]);

/** A release that differs from what the project is now. */
export interface OtherRelease {
	readonly version: string;
	readonly changelog: string;
}

/**
 * Packs a copy of the project, because packing builds and other tests use the project meanwhile.
 * @returns the packed file
 */
export async function packProject(other?: OtherRelease): Promise<string> {
	const directory = makeDirectory("packed");
	const copy = path.join(directory, "project");
	cpSync(project, copy, { recursive: true, filter: (file) => !leftOut.has(path.basename(file)) });
	symlinkSync(path.join(project, "node_modules"), path.join(copy, "node_modules"));
	if (other !== undefined) {
		const manifestFile = path.join(copy, "package.json");
		const manifest = JSON.parse(readFileSync(manifestFile, "utf8"));
		writeFileSync(manifestFile, JSON.stringify({ ...manifest, version: other.version }));
		writeFileSync(path.join(copy, "CHANGELOG.md"), other.changelog);
	}
	const words = ["pack", "--json", "--silent", "--pack-destination", directory];
	const { stdout } = await run("npm", words, { cwd: copy });
	return path.join(directory, parsePackReport(stdout).filename);
}

/** Runs one of pi's own commands, in the agent directory in force. Returns what it printed. */
export async function runPi(...words: readonly string[]): Promise<string> {
	const { stdout } = await run(process.execPath, [piCommand(), ...words], { cwd: cleanRunRoot() });
	return stdout;
}

/** Installs a packed file the one way that every supported pi takes: by the package's name, from a file. */
export async function installPacked(file: string): Promise<void> {
	await runPi("install", `npm:${PACKAGE_NAME}@file:${file}`);
}

/** Where pi put the packages, in the agent directory in force. */
export function installedModules(): string {
	return path.join(process.env.PI_CODING_AGENT_DIR ?? "", "npm/node_modules");
}

/** Names of the packages that are installed there. */
export function installedPackages(): string[] {
	return readdirSync(installedModules())
		.filter((name) => !name.startsWith("."))
		.sort();
}
