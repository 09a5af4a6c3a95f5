/** The pictures of screens in docs/references.md and README.md: a terminal of 80 columns shows them as they stand. */
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { decodeSessionReferenceUri, formatSessionReferenceMention } from "../../lib/references/index.ts";
import { storeSession } from "../support/pi/stored-session.ts";
import { temporaryDirectory, useOwnAgentDirectory } from "../support/pi/workspaces.ts";
import { provideFileSearch } from "../support/terminal/file-search.ts";
import { KEYS, PiTerminal } from "../support/terminal/pi-terminal.ts";
import { clear, waitForWrapped } from "../support/terminal/wrapped-text.ts";
import { blocksOf, expectPicture, pictureWith } from "./fenced-blocks.ts";

/** Where the sessions of the pictures work. */
const PICTURED = "/srv/app";
const TAB = "\t";
const HOUR_MS = 3_600_000;

function age(file: string, hours: number): void {
	const seconds = (Date.now() - hours * HOUR_MS) / 1000;
	utimesSync(file, seconds, seconds);
}

/** Two sessions and a file of one workspace, and a session of another one. */
function writePicturedSessions() {
	const agentDirectory = useOwnAgentDirectory();
	provideFileSearch(agentDirectory);
	const cwd = temporaryDirectory("app");
	mkdirSync(path.join(cwd, "src"));
	writeFileSync(path.join(cwd, "src", "retry.ts"), "");
	const said = ["Fix the flaky retry test.", "The delay is doubled now; the tests have to be adapted."] as const;
	const retry = storeSession(cwd, [said], { name: "retry work" });
	age(retry.file, 2);
	age(storeSession(cwd, [["Why?", "It ends there."]], { name: "Parser: retry on EOF" }).file, 30);
	const lexer = storeSession(temporaryDirectory("lib"), [["Why?", "It ends there."]]);
	const cite = (sessionId: string, label: string) => formatSessionReferenceMention({ sessionId, label });
	return {
		cwd,
		retry: cite(retry.id, "retry work"),
		lexer: cite(lexer.id, "lexer"),
		gone: cite("gone", "retry work"),
	};
}

/** The snapshot's size as it is with the directory of the pictures. */
function withPicturedSize(screen: readonly string[], cwd: string): string[] {
	const longer = Buffer.byteLength(cwd) - Buffer.byteLength(PICTURED);
	return screen.map((line) => line.replace(/(?<=· )\d+(?= B ·)/, (bytes) => String(Number(bytes) - longer)));
}

test("each picture is what the screen shows", async () => {
	const { cwd, retry, lexer, gone } = writePicturedSessions();
	const sleep = { name: "bash", arguments: { command: "sleep 100" } };
	const terminal = await PiTerminal.start({ cwd, script: [{ text: "Adapted." }, { calls: [sleep] }] });
	onTestFinished(() => terminal.stop());
	const submit = async (typed: string) => {
		terminal.press(typed);
		await waitForWrapped(terminal, typed);
		terminal.press(KEYS.enter);
	};
	const [list, chosen, choice, folded, expanded, question, failure, waiting, ...more] = blocksOf(
		"docs/references.md",
		"",
	);
	expect(more).toEqual([]);

	terminal.press("Adapt the tests to @retr");
	await terminal.waitForText("@Parser: retry on EOF");
	terminal.press(KEYS.down);
	expectPicture(await terminal.waitForText("→ @retry work"), list);
	terminal.press(TAB);
	expectPicture(await waitForWrapped(terminal, retry), chosen);
	await clear(terminal, "dsh-session");
	await clear(terminal, "Adapt");

	await terminal.submit("/reference retry");
	expectPicture(await terminal.waitForText("Cite which session?"), choice);
	terminal.press(KEYS.escape);
	await terminal.waitFor((screen) => !screen.join("").includes("Cite which"), "the editor");

	await submit(`Adapt the tests to ${retry}`);
	const card = withPicturedSize(await terminal.waitForText("Adapted."), cwd);
	expectPicture(card, folded);
	expectPicture(card, pictureWith("README.md", "› Cites"));
	terminal.press(KEYS.expandTools);
	expectPicture(withPicturedSize(await terminal.waitForText("The delay is doubled"), cwd), expanded);
	terminal.press(KEYS.expandTools);
	await terminal.waitFor((screen) => !screen.join("").includes("The delay is doubled"), "a folded card");

	await submit(`Look at ${lexer}`);
	expectPicture(await terminal.waitForText("Cite sessions of other workspaces?"), question);
	terminal.press(KEYS.escape);
	await waitForWrapped(terminal, "The prompt is back in the editor.");
	await clear(terminal, "dsh-session");
	await clear(terminal, "Look at");

	await submit(`Adapt the tests to ${gone}`);
	const isGone = "Remove the reference, or try again. The prompt is back in the editor.";
	expectPicture(await waitForWrapped(terminal, isGone), failure);
	await clear(terminal, "dsh-session");

	await submit("Sleep.");
	await terminal.waitForText("sleep 100");
	await submit(`Compare with ${retry}`);
	expectPicture(await terminal.waitForText("1 prompt waits"), waiting);
});

test("the mention in the pictures is that of the session in the pictures", () => {
	const all = blocksOf("docs/references.md", "").join("");
	const [uri = ""] = /dsh-session:[\w-]+/.exec(all) ?? [];
	expect(all).toContain(`session ${decodeSessionReferenceUri(uri)} · ${PICTURED}`);
});
