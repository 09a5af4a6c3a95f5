/** What pi shows of the changelog after an update: the entry of the new release, in full. */
import { copyFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory, useOwnAgentDirectory } from "../support/pi/workspaces.ts";
import { PiTerminal } from "../support/terminal/pi-terminal.ts";
import { installPacked, PACKAGE_NAME, packProject, project } from "./packed-project.ts";

/** Packing and installing twice, and two sessions, on a machine that may be busy; in ms. */
const PATIENCE_MS = 120_000;
/** More rows than a changelog has lines. */
const ROWS = 400;

const changelog = readFileSync(path.join(project, "CHANGELOG.md"), "utf8");
const { version } = JSON.parse(readFileSync(path.join(project, "package.json"), "utf8")) as { version: string };
const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
const next = `${major}.${minor}.${patch + 1}`;

/** Text without what pi renders: marks of Markdown, and where lines are broken. */
const words = (text: string) => text.replaceAll(/[#*`\s-]/g, "");

async function startInstalled(): Promise<PiTerminal> {
	const terminal = await PiTerminal.start({ cwd: temporaryDirectory("workspace"), rows: ROWS, installed: true });
	onTestFinished(() => terminal.stop());
	return terminal;
}

test("after an update pi shows what is unreleased now, under the release's heading", {
	timeout: PATIENCE_MS,
}, async () => {
	useOwnAgentDirectory();
	const file = await packProject();
	await installPacked(file);
	const before = await startInstalled();
	expect(before.screen().join("\n")).not.toContain("Extension Updates");
	await before.stop();

	const released = changelog.replace("## [Unreleased]", `## [${next}]`);
	// pi remembers what it has shown by the source, which has to stay the same one.
	copyFileSync(await packProject({ version: next, changelog: released }), file);
	await installPacked(file);
	const after = await startInstalled();
	const screen = await after.waitForText("Extension Updates");
	const entry = /^## \[Unreleased\]\n(.*?)(?=^## |$(?![\s\S]))/ms.exec(changelog)?.[1] ?? "no entry";
	expect(words(screen.join(""))).toContain(words(`${PACKAGE_NAME} [${next}]${entry}`));
});
