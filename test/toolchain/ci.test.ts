// What .ci/run makes of the commands that it runs, seen with a stand-in for run-clean.sh.
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { expect, it } from "vitest";
import { projectDirectory } from "./door.ts";

/** Runs a copy of .ci/run; `commands` is the bash text for each command of the door. */
function runCi(commands: Readonly<Record<"test" | "check", string> & { matrix?: string }>) {
	const project = mkdtempSync(path.join(tmpdir(), "ci run "));
	mkdirSync(path.join(project, ".ci"));
	copyFileSync(path.join(projectDirectory, ".ci/run"), path.join(project, ".ci/run"));
	const cases = Object.entries(commands).map(([command, text]) => `${command}) ${text} ;;`);
	const door = path.join(project, "run-clean.sh");
	writeFileSync(door, `#!/usr/bin/env bash\ncase $1 in\n${cases.join("\n")}\nesac\n`);
	chmodSync(door, 0o755);
	const env = { ...process.env, ...(commands.matrix !== undefined && { CROSS_CI_MATRIX: "1" }) };
	const { status, stdout } = spawnSync("bash", [path.join(project, ".ci/run")], { cwd: "/", encoding: "utf8", env });
	return { exitCode: status, lastLine: stdout.trimEnd().split("\n").at(-1) };
}

it("adds up the counts of all commands", () => {
	const all = { test: "echo '5 passed, 0 failed, 1 skipped'", check: "echo '4 passed, 0 failed'" };
	expect(runCi(all)).toEqual({ exitCode: 0, lastLine: "9 passed, 0 failed" });
	const withMatrix = { ...all, matrix: "echo '3 passed, 0 failed'" };
	expect(runCi(withMatrix)).toEqual({ exitCode: 0, lastLine: "12 passed, 0 failed" });
});

it("fails with the failures of any command, and still runs the others", () => {
	const ended = runCi({ test: "echo '5 passed, 2 failed'; exit 1", check: "echo '4 passed, 0 failed'" });
	expect(ended).toEqual({ exitCode: 1, lastLine: "9 passed, 2 failed" });
});

it.for(["echo 'Segmentation fault'; exit 139", "echo '5 passed, 0 failed'; exit 1", "echo '0 passed, 0 failed'", ":"])(
	"fails when a command proves nothing or ends badly: %s",
	(text) => {
		const { exitCode, lastLine } = runCi({ test: text, check: "echo '4 passed, 0 failed'" });
		expect({ exitCode, lastLine }).toEqual({ exitCode: 1, lastLine: expect.stringMatching(/^\d passed, 1 failed$/) });
	},
);
