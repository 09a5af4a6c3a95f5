// When run-clean.sh installs, and on which Node it runs: seen in a project of its own, with a stand-in for npm that notes
// what it was asked for, and one for a machine's Node that says to be too old.
import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { beforeEach, expect, it } from "vitest";
import { type DoorOptions, type Ended, projectDirectory, throughDoor } from "./door.ts";

let project: string;
let machine: string;

async function executable(file: string, text: string): Promise<void> {
	await writeFile(file, `#!/usr/bin/env bash\n${text}\n`);
	await chmod(file, 0o755);
}

const standInNpm = `
echo "$1 $2" >>"$NPM_NOTES"
echo "npm talks" && echo "npm warns" >&2
[[ $1 != ci ]] || exec bash -c "$NPM_CI"
`;

const bringNode = `rm -rf node_modules; mkdir -p node_modules/node/bin; ln -s '${process.execPath}' node_modules/node/bin/node`;

async function beOldMachine(): Promise<void> {
	const pretend = path.join(machine, "pretend.cjs");
	await writeFile(
		pretend,
		'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.18.9" } });',
	);
	await rm(path.join(machine, "node"));
	await executable(path.join(machine, "node"), `exec '${process.execPath}' --require '${pretend}' "$@"`);
}

beforeEach(async () => {
	project = path.join(await mkdtemp(path.join(tmpdir(), "install ")), "a project");
	machine = path.join(project, "../machine");
	for (const directory of [machine, path.join(project, "test/support")]) await mkdir(directory, { recursive: true });
	for (const file of ["run-clean.sh", "test/support/network-guard.mjs"]) {
		await copyFile(path.join(projectDirectory, file), path.join(project, file));
	}
	await writeFile(path.join(project, "package.json"), '{ "dependencies": { "zod": "4.0.0", "mitt": "3.0.0" } }');
	await writeFile(path.join(project, "package-lock.json"), "{}");
	await executable(path.join(machine, "npm"), standInNpm);
	await symlink(process.execPath, path.join(machine, "node"));
});

const run = (options: DoorOptions["environment"] = {}, given = ["exec", "node", "-p", "1 + 1"]): Promise<Ended> =>
	throughDoor(given, {
		script: path.join(project, "run-clean.sh"),
		directory: project,
		environment: {
			PATH: `${machine}:/usr/bin:/bin`,
			NPM_NOTES: path.join(machine, "notes"),
			NPM_CI: bringNode,
			...options,
		},
	});

const npmNotes = async (): Promise<readonly string[]> =>
	(await readFile(path.join(machine, "notes"), "utf8")).trim().split("\n");

const installing = ["ci --prefix", "cache add", "config get"];

it("installs on the first run, with what npm says kept out of standard output", async () => {
	const { exitCode, stdout, stderr } = await run();
	expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "2\n" });
	expect(stderr).toContain("npm talks");
	expect(await npmNotes()).toEqual(installing);
});

it("asks npm nothing again until the lock file changes", async () => {
	await run();
	await run();
	expect(await npmNotes()).toEqual(installing);
	await writeFile(path.join(project, "package-lock.json"), '{ "changed": true }');
	await run();
	expect(await npmNotes()).toEqual([...installing, ...installing]);
});

it("lets npm see the caller's own settings", async () => {
	await run({ npm_config_registry: "set by the caller", NPM_CI: `${bringNode}; env >'${machine}/seen'` });
	expect(await readFile(path.join(machine, "seen"), "utf8")).toContain("npm_config_registry=set by the caller");
});

it("ends with npm's exit code when the install fails, and installs again next time", async () => {
	const failed = await run({ NPM_CI: "mkdir -p node_modules; exit 37" });
	expect({ exitCode: failed.exitCode, stdout: failed.stdout }).toEqual({ exitCode: 37, stdout: "" });
	expect((await run()).stdout).toBe("2\n");
});

it("runs on the machine's Node when it is new enough", async () => {
	const { exitCode } = await run({ NPM_CI: "mkdir -p node_modules" });
	expect(exitCode).toBe(0);
});

it("runs on the packages' Node when the machine's is too old", async () => {
	await beOldMachine();
	const bundled = path.join(project, "node_modules/node/bin/node");
	const copyNode = `mkdir -p '${path.dirname(bundled)}'; cp '${process.execPath}' '${bundled}'`;
	const { stdout } = await run({ NPM_CI: copyNode }, ["exec", "node", "-p", "process.execPath"]);
	expect(stdout.trim()).toBe(bundled);
});

it("says what to do when the packages' Node is needed and did not come", async () => {
	await beOldMachine();
	const { exitCode, stderr } = await run({ NPM_CI: "mkdir -p node_modules" });
	expect(exitCode).toBe(2);
	expect(stderr).toContain("did not bring its binary");
});

it("takes the Node that CROSS_TEST_NODE names, and refuses one that is too old or missing", async () => {
	const chosen = path.join(machine, "chosen node");
	await copyFile(process.execPath, chosen);
	const { stdout } = await run({ CROSS_TEST_NODE: chosen }, ["exec", "node", "-p", "process.execPath"]);
	expect(stdout.trim()).toBe(chosen);
	await beOldMachine();
	for (const wrong of [path.join(machine, "node"), path.join(machine, "nowhere")]) {
		const { exitCode, stderr } = await run({ CROSS_TEST_NODE: wrong });
		expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(wrong) });
	}
});

it.for(["demo", "check", "matrix", "bench", "torture"])(
	"says with exit code 2 that there is no %s yet",
	async (command) => {
		const { exitCode, stderr } = await run({}, [command]);
		expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("not there yet") });
		expect(existsSync(path.join(machine, "notes"))).toBe(false);
	},
);
