// The last line of a test run counts everything that went wrong, also what vitest does not count as a test.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { expect, it } from "vitest";
import { projectDirectory } from "./door.ts";

/** Runs vitest with the reporter over test files of these texts. */
function lastLineOf(texts: readonly string[]): string | undefined {
	const root = mkdtempSync(path.join(tmpdir(), "closing-"));
	symlinkSync(path.join(projectDirectory, "node_modules"), path.join(root, "node_modules"));
	mkdirSync(path.join(root, "test"));
	for (const [index, text] of texts.entries()) {
		writeFileSync(path.join(root, `test/${index}.test.js`), `import { describe, expect, it } from "vitest";\n${text}`);
	}
	const reporter = path.join(projectDirectory, "test/support/closing-line.ts");
	const config = { test: { reporters: [reporter], experimental: { viteModuleRunner: false } } };
	writeFileSync(path.join(root, "vitest.config.mjs"), `export default ${JSON.stringify(config)};`);
	const vitest = path.join(projectDirectory, "node_modules/vitest/vitest.mjs");
	const { stdout } = spawnSync(process.execPath, [vitest, "run"], { cwd: root, encoding: "utf8" });
	return stdout.trimEnd().split("\n").at(-1);
}

const passing = 'it("passes", () => expect(1).toBe(1));';

it("counts what passed, failed and was left out", () => {
	const failing = 'it("fails", () => expect(1).toBe(2));';
	const left = 'it.skipIf(true)("is left out", () => {});';
	expect(lastLineOf([passing, passing + failing + left])).toBe("2 passed, 1 failed, 1 skipped");
});

it("counts a file that can't be loaded, a broken hook and an error that nobody caught", () => {
	const unloadable = 'import "./gone.js";';
	const brokenHook = 'import { beforeAll } from "vitest"; beforeAll(() => { throw new Error("hook"); });';
	const uncaught = 'it("lets go", () => { setTimeout(() => { throw new Error("late"); }); });';
	expect(lastLineOf([passing, unloadable])).toBe("1 passed, 1 failed");
	expect(lastLineOf([passing, `${brokenHook} ${passing}`])).toMatch(/^1 passed, 1 failed/);
	expect(lastLineOf([`${uncaught} it("stays", () => new Promise((resolve) => setTimeout(resolve, 100)));`])).toBe(
		"2 passed, 1 failed",
	);
});
