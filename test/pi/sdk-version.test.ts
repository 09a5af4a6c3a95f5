/** Which pi the other tests here are about. */
import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { VERSION } from "@earendil-works/pi-coding-agent";
import { expect, it } from "vitest";
import { piCommand } from "../support/pi/pi-process.ts";

const project = path.resolve(import.meta.dirname, "../..");
const command = piCommand();

it("a pi that a test starts as a process is of the version that the test itself has loaded", () => {
	const printed = execFileSync(process.execPath, [command, "--version"], { encoding: "utf8" });
	expect(printed.trim()).toBe(VERSION);
});

it("it is the one that was asked for: the matrix's choice, else the project's own", () => {
	const root = realpathSync(
		process.env.PI_SDK_ROOT ?? path.join(project, "node_modules/@earendil-works/pi-coding-agent"),
	);
	expect(command.startsWith(`${root}${path.sep}`)).toBe(true);
	expect(JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")).version).toBe(VERSION);
});
