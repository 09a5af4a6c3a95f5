// What `./run-clean.sh exec` promises of the environment, of the files of a run, and of exit codes and signals.
import { existsSync, mkdtempSync, realpathSync, symlinkSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { spawn as spawnInTerminal } from "@lydell/node-pty";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { cleanRunRoot } from "../support/clean-run.ts";
import { openDoor, projectDirectory, throughDoor } from "./door.ts";

// Without one, the door would install into the tree that this very test runs from.
beforeAll(() => {
	cleanRunRoot();
});

const printRoot = 'echo "root=<$CROSS_PRIVATE_ROOT>"';
const rootIn = (stdout: string): string => /root=<(.*?)>/.exec(stdout)?.[1] ?? "";

describe("the environment", () => {
	it("holds nothing of the caller's", async () => {
		const environment = { FOREIGN_SECRET: "leaked", PI_SUBAGENT_CHILD: "1", NODE_PATH: "/leaked", TERM: "leaked" };
		const { stdout } = await throughDoor(["exec", "env"], { environment });
		expect(stdout).not.toContain("leaked");
		const names = stdout
			.trim()
			.split("\n")
			.map((line) => line.split("=", 1)[0])
			.sort();
		expect(names).toEqual(
			[
				...["CROSS_PRIVATE_ROOT", "HOME", "LANG", "NODE_OPTIONS", "PATH", "PI_CODING_AGENT_DIR", "PI_OFFLINE", "TERM"],
				...["TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"],
				...["npm_config_cache", "npm_config_offline", "npm_config_registry", "npm_config_update_notifier"],
			].sort(),
		);
	});

	it("points every private directory into one short root, which is gone after success", async () => {
		const { exitCode, stdout, stderr } = await throughDoor(["exec", "env"]);
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
		const values = new Map(
			stdout
				.trim()
				.split("\n")
				.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
		);
		const root = values.get("CROSS_PRIVATE_ROOT") ?? "";
		expect(root.length).toBeLessThan(26);
		expect(existsSync(root)).toBe(false);
		for (const name of [
			"HOME",
			"TMPDIR",
			"XDG_RUNTIME_DIR",
			"XDG_CONFIG_HOME",
			"XDG_CACHE_HOME",
			"PI_CODING_AGENT_DIR",
		]) {
			expect(values.get(name)?.startsWith(`${root}/`), name).toBe(true);
		}
		expect(values.get("PATH")?.split(":")[0]).toBe(`${root}/bin`);
	});

	it("runs everything on one Node that is new enough", async () => {
		const { stdout } = await throughDoor(["exec", "bash", "-c", "command -v node; node -p process.versions.node"]);
		const [where, version = ""] = stdout.trim().split("\n");
		expect(where).toMatch(/\/pcs\.\w+\/bin\/node$/);
		const [major = 0, minor = 0] = version.split(".").map(Number);
		expect(major * 1000 + minor).toBeGreaterThanOrEqual(22_019);
	});

	it("keeps the caller's directory and the arguments' spaces for exec", async () => {
		const directory = realpathSync(mkdtempSync(path.join(tmpdir(), "else where ")));
		const { stdout } = await throughDoor(["exec", "node", "-p", "process.cwd() + process.argv[1]", "a  b"], {
			directory,
		});
		expect(stdout).toBe(`${directory}a  b\n`);
	});

	it("is found through links from another directory", async () => {
		const directory = mkdtempSync(path.join(tmpdir(), "links "));
		symlinkSync(path.join(projectDirectory, "run-clean.sh"), path.join(directory, "first"));
		symlinkSync("first", path.join(directory, "second"));
		const { exitCode, stdout } = await throughDoor(["exec", "vitest", "--version"], { directory, script: "./second" });
		expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("vitest/") });
	});

	it("hands standard input on", async () => {
		const { stdout } = await throughDoor(["exec", "cat"], { input: "typed before" });
		expect(stdout).toBe("typed before");
	});
});

describe("the end of a run", () => {
	it("keeps the files of a failed run, and says where they are", async () => {
		const { exitCode, stdout, stderr } = await throughDoor([
			"exec",
			"bash",
			"-c",
			`${printRoot}; touch "$TMPDIR/trace"; exit 41`,
		]);
		const root = rootIn(stdout);
		onTestFinished(() => rm(root, { recursive: true }));
		expect(exitCode).toBe(41);
		expect(stderr).toContain(root);
		expect(existsSync(path.join(root, "tmp/trace"))).toBe(true);
	});

	it("removes files that a test took its own permissions from", async () => {
		const { stdout } = await throughDoor([
			"exec",
			"bash",
			"-c",
			`${printRoot}; mkdir -p "$TMPDIR/a/b"; chmod 0 "$TMPDIR/a"`,
		]);
		expect(existsSync(rootIn(stdout))).toBe(false);
	});

	it.for([true, false])("removes the peers directory of the run's agent directory (succeeds: %s)", async (succeeds) => {
		const listen = `
			const { createHash } = require("node:crypto");
			const hash = createHash("sha256").update(process.env.PI_CODING_AGENT_DIR).digest("hex").slice(0, 12);
			const directory = "/tmp/pi-peers-" + process.getuid() + "-" + hash;
			require("node:fs").mkdirSync(directory, { mode: 0o700 });
			require("node:net").createServer().listen(directory + "/a.sock", () => {
				console.log("directory=" + directory + "\\nroot=<" + process.env.CROSS_PRIVATE_ROOT + ">");
				process.exit(${succeeds ? 0 : 1});
			});`;
		const { exitCode, stdout } = await throughDoor(["exec", "node", "-e", listen]);
		expect(exitCode).toBe(succeeds ? 0 : 1);
		if (!succeeds) await rm(rootIn(stdout), { recursive: true });
		const directory = /directory=(.*)/.exec(stdout)?.[1] ?? "";
		expect(directory).toMatch(/^\/tmp\/pi-peers-\d+-[0-9a-f]{12}$/);
		expect(existsSync(directory)).toBe(false);
	});

	it("ends what the command left running", async () => {
		// Standard output closes when nobody holds it any more: this would wait for the sleeper.
		const { exitCode } = await throughDoor(["exec", "bash", "-c", "sleep 600 &"]);
		expect(exitCode).toBe(0);
	});

	it("passes the exit code of a command that does not exist", async () => {
		const { exitCode, stderr } = await throughDoor(["exec", "no-such-command"]);
		onTestFinished(() => rm(/files are in (.*)/.exec(stderr)?.[1] ?? "", { recursive: true }));
		expect(exitCode).toBe(127);
	});
});

describe("a signal", () => {
	const waitFor = (signal: string) => `
		process.on("${signal}", () => { console.log("caught ${signal}"); process.exit(7); });
		setInterval(() => {}, 1000);
		console.log("root=<" + process.env.CROSS_PRIVATE_ROOT + ">\\nready");`;

	it.for(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
		"reaches the command, whose exit code passes: %s",
		async (signal) => {
			const door = openDoor(["exec", "node", "-e", waitFor(signal)]);
			await door.printed("ready");
			process.kill(door.pid, signal);
			const { exitCode, stdout, stderr } = await door.ended;
			expect({ exitCode, stderr }).toEqual({ exitCode: 7, stderr: "" });
			expect(stdout).toContain(`caught ${signal}`);
			expect(existsSync(rootIn(stdout))).toBe(false);
		},
	);

	it("ends the command's own children too, and shows as 128 and its number", async () => {
		const door = openDoor(["exec", "bash", "-c", "sleep 600 & echo ready; wait"]);
		await door.printed("ready");
		process.kill(door.pid, "SIGTERM");
		expect((await door.ended).exitCode).toBe(128 + 15);
	});

	it("comes once when it is typed at a terminal, where the command can also read", async () => {
		const script = `
			process.stdin.once("data", (line) => {
				let count = 0;
				process.on("SIGINT", () => { count += 1; setTimeout(() => { console.log("signals=" + count); process.exit(9); }, 200); });
				console.log("read=" + line);
			});
			console.log("ready");`;
		const terminal = spawnInTerminal(path.join(projectDirectory, "run-clean.sh"), ["exec", "node", "-e", script], {
			cwd: projectDirectory,
			env: process.env,
		});
		let screen = "";
		const answers: readonly (readonly [string, string])[] = [
			["ready", "hello\r"],
			["read=hello", "\x03"],
		];
		let next = 0;
		terminal.onData((data) => {
			screen += data;
			const answer = answers[next];
			if (answer === undefined || !screen.includes(answer[0])) return;
			next += 1;
			terminal.write(answer[1]);
		});
		const exitCode = await new Promise((resolve) => terminal.onExit((end) => resolve(end.exitCode)));
		expect(screen).toContain("signals=1");
		expect(exitCode).toBe(9);
	});
});

describe("the command line", () => {
	it.for([[["unheard-of"]], [["exec"]]])("explains %j with exit code 2 and starts nothing", async ([given]) => {
		const { exitCode, stdout, stderr } = await throughDoor(given ?? []);
		expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
		expect(stderr).toMatch(/usage: |needs a command/);
	});

	it.for([[[]], [["--help"]]])("prints its usage for %j", async ([given]) => {
		const { exitCode, stdout } = await throughDoor(given ?? []);
		expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("usage: ") });
	});
});
