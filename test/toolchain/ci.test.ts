// What .ci/run makes of the commands that it runs, seen with a stand-in for run-clean.sh.
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { projectDirectory } from "./door.ts";

type Command = "test" | "check" | "matrix --older";

const allWell: Readonly<Record<Command, string>> = {
	test: "echo '5 passed, 0 failed, 1 skipped'",
	check: "echo '4 passed, 0 failed'",
	"matrix --older": "echo '3 passed, 0 failed'",
};

/** Runs a copy of .ci/run; `changes` is the bash text for commands of the door that are not all well. */
function runCi(changes: Partial<Record<Command, string>> = {}) {
	const project = mkdtempSync(path.join(tmpdir(), "ci run "));
	mkdirSync(path.join(project, ".ci"));
	copyFileSync(path.join(projectDirectory, ".ci/run"), path.join(project, ".ci/run"));
	const cases = Object.entries({ ...allWell, ...changes }).map(([command, text]) => `"${command}") ${text} ;;`);
	const door = path.join(project, "run-clean.sh");
	writeFileSync(door, `#!/usr/bin/env bash\ncase "$*" in\n${cases.join("\n")}\nesac\n`);
	chmodSync(door, 0o755);
	const { status, stdout } = spawnSync("bash", [path.join(project, ".ci/run")], { cwd: "/", encoding: "utf8" });
	return { exitCode: status, lastLine: stdout.trimEnd().split("\n").at(-1) };
}

it("runs the tests, the check and the older SDKs, and adds up their counts", () => {
	expect(runCi()).toEqual({ exitCode: 0, lastLine: "12 passed, 0 failed" });
});

it("fails with the failures of any command, and still runs the others", () => {
	const tests = runCi({ test: "echo '5 passed, 2 failed'; exit 1" });
	expect(tests).toEqual({ exitCode: 1, lastLine: "12 passed, 2 failed" });
	const matrix = runCi({ "matrix --older": "echo '1 passed, 2 failed'; exit 1" });
	expect(matrix).toEqual({ exitCode: 1, lastLine: "10 passed, 2 failed" });
});

const badEnds = [
	"echo 'Segmentation fault'; exit 139",
	"echo '5 passed, 0 failed'; exit 1",
	"echo '0 passed, 0 failed'",
	":",
];
const commands = Object.keys(allWell) as Command[];

it.for(commands.flatMap((command) => badEnds.map((text) => [command, text] as const)))(
	"fails when %s proves nothing or ends badly: %s",
	([command, text]) => {
		expect(runCi({ [command]: text })).toEqual({
			exitCode: 1,
			lastLine: expect.stringMatching(/^\d+ passed, 1 failed$/),
		});
	},
);
