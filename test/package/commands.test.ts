/** The commands of README.md and of the example adapter, run as they stand; only npm's registry is the packed file here. */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { RpcClient } from "@earendil-works/pi-coding-agent";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../lib/pi/config.ts";
import { blocksOf } from "../docs/fenced-blocks.ts";
import { piCommand } from "../support/pi/pi-process.ts";
import { temporaryDirectory } from "../support/pi/workspaces.ts";
import { PACKAGE_NAME, packProject, project } from "./packed-project.ts";

/** Packing, npm and pi one after the other, on a machine that may be busy; in ms. */
const PATIENCE = { timeout: 120_000 };
const ADAPTER = "docs/examples/host-adapter";

const [install = "", once = "", tour = "", ...others] = blocksOf("README.md", "sh");
const [adapter = "", ...more] = blocksOf("docs/examples/host-adapter/README.md", "sh");

test("every command block is one of them", () => {
	expect([others, more]).toEqual([[], []]);
});

let packed: string;
beforeAll(async () => {
	packed = await packProject();
}, PATIENCE.timeout);

/** The same commands with the packed file in the place of npm's registry. */
const fromPacked = (commands: string) =>
	commands.replaceAll(`npm:${PACKAGE_NAME}`, `npm:${PACKAGE_NAME}@file:${packed}`);

/** A home in which nothing is yet, with pi on the PATH. */
function freshHome() {
	const home = temporaryDirectory("home");
	const agentDirectory = path.join(home, ".pi/agent");
	const programs = path.join(home, "bin");
	mkdirSync(programs);
	const pi = `#!/bin/sh\nexec '${process.execPath}' '${piCommand()}' "$@"\n`;
	writeFileSync(path.join(programs, "pi"), pi, { mode: 0o755 });
	const environment = { HOME: home, PATH: `${programs}:${process.env.PATH}`, PI_CODING_AGENT_DIR: agentDirectory };
	return { home, environment };
}

async function shell(commands: string, cwd: string, environment: Record<string, string>): Promise<string> {
	const run = promisify(execFile);
	const { stdout } = await run("bash", ["-euc", commands], { cwd, env: { ...process.env, ...environment } });
	return stdout;
}

/** Starts pi by a command line as it stands, for a client instead of a terminal, and names the commands that it has. */
async function commandsOf(line: string, cwd: string, env: Record<string, string>): Promise<readonly string[]> {
	const [program, ...args] = line.trim().split(/\s+/);
	expect(program).toBe("pi");
	// Offline, pi would not fetch what `-e` names.
	const client = new RpcClient({ cliPath: piCommand(), cwd, args, env: { ...env, PI_OFFLINE: "" } });
	onTestFinished(() => client.stop());
	await client.start();
	return (await client.getCommands()).map(({ name }) => name);
}

describe("README.md", () => {
	test("installs it for all sessions, with a configuration that is right", PATIENCE, async () => {
		const { home, environment } = freshHome();
		await shell(fromPacked(install), home, environment);
		expect(await shell("pi list", home, environment)).toContain(`node_modules/${PACKAGE_NAME}`);
		expect(await commandsOf("pi", home, environment)).toContain("peers");
		expect(readConfig(environment.PI_CODING_AGENT_DIR)).toMatchObject({ config: { tool: true }, problem: null });
	});

	test("runs it once from a checkout", PATIENCE, async () => {
		const { environment } = freshHome();
		expect(await commandsOf(once, project, environment)).toContain("cross-session-status");
	});

	test("names commands of run-clean.sh that it has", async () => {
		const help = await shell("./run-clean.sh help", project, {});
		const lines = tour.trim().split("\n");
		expect(lines).toEqual(["./run-clean.sh demo", "./run-clean.sh test"]);
		for (const line of lines) expect(help).toMatch(new RegExp(`^  ${line.split(" ")[1]} `, "m"));
	});
});

test("the example adapter is installed and loaded beside the package", PATIENCE, async () => {
	const { home, environment } = freshHome();
	const copy = path.join(home, "adapter");
	cpSync(path.join(project, ADAPTER), copy, { recursive: true });
	const manifest = JSON.parse(readFileSync(path.join(copy, "package.json"), "utf8"));
	manifest.dependencies[PACKAGE_NAME] = `file:${packed}`;
	writeFileSync(path.join(copy, "package.json"), JSON.stringify(manifest));
	const lines = fromPacked(adapter).trim().split("\n");
	const line = lines.pop() ?? "";
	await shell(lines.join("\n"), copy, environment);
	expect(await commandsOf(line, copy, environment)).toEqual(expect.arrayContaining(["peers", "hand-off", "mailbox"]));
});
