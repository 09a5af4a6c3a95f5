/** Session references as a person meets them: pi on a real terminal of 80 columns. */
import { rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { VERSION } from "@earendil-works/pi-coding-agent";
import { describe, expect, onTestFinished, test } from "vitest";
import { defaultSessionDirectory } from "../../../lib/pi/workspace.ts";
import { SessionLog } from "../../sessions/session-log.ts";
import type { ScriptedReply } from "../../support/pi/scripted-model.ts";
import { storeSession } from "../../support/pi/stored-session.ts";
import { temporaryDirectory, useOwnAgentDirectory } from "../../support/pi/workspaces.ts";
import { provideFileSearch } from "../../support/terminal/file-search.ts";
import { KEYS, PiTerminal, type PiTerminalOptions } from "../../support/terminal/pi-terminal.ts";
import { clear, shows, waitForWrapped } from "../../support/terminal/wrapped-text.ts";
import { startNamed } from "../message-setting.ts";
import { citing } from "./citing-person.ts";

const TAB = "\t";

function setting() {
	const agentDirectory = useOwnAgentDirectory();
	const cwd = temporaryDirectory("workspace");
	const other = storeSession(cwd, [["Fix the retry.", "It doubles the delay now."]], { name: "Retry work" });
	return { agentDirectory, cwd, other };
}

async function open(options: PiTerminalOptions): Promise<PiTerminal> {
	const terminal = await PiTerminal.start(options);
	onTestFinished(() => terminal.stop());
	return terminal;
}

describe("completion", () => {
	test("offers sessions beside files; what is chosen is inserted; after CJK letters by Tab", async () => {
		const { agentDirectory, cwd, other } = setting();
		provideFileSearch(agentDirectory);
		writeFileSync(path.join(cwd, "retry.ts"), "");
		const terminal = await open({ cwd });
		terminal.press("see @retr");
		const offered = await terminal.waitFor(
			(screen) => ["retry.ts", "@Retry work"].every((text) => screen.some((line) => line.includes(text))),
			"a file and a session",
		);
		const rows = ["retry.ts", "@Retry work"].map((text) => offered.findIndex((line) => line.includes(text)));
		expect(rows[0]).toBeLessThan(rows[1] ?? 0);
		expect(offered[rows[1] ?? 0]).toMatch(/session · \d+s ago/);
		terminal.press(TAB);
		await terminal.waitForText("see @retry.ts");
		await clear(terminal, "see @retry.ts");

		terminal.press("see @work");
		await terminal.waitForText("@Retry work");
		terminal.press(TAB);
		await waitForWrapped(terminal, `see ${citing(other.id, "Retry work")}`);
		await clear(terminal, "see @[");

		terminal.press("請看@retry");
		await terminal.waitForText("請看@retry");
		terminal.press(TAB);
		await waitForWrapped(terminal, `請看${citing(other.id, "Retry work")}`);
	});

	test("offers live sessions twice: above the files to write to, below them to cite", async () => {
		const { agentDirectory, cwd, other } = setting();
		provideFileSearch(agentDirectory);
		writeFileSync(path.join(cwd, "retry.ts"), "");
		rmSync(other.file);
		const live = await startNamed("retrier", { cwd, script: [{ text: "Yes." }] });
		await live.session.prompt("Begin.");
		const terminal = await open({ cwd });
		terminal.press("ask @retr");
		const wanted = [/@retrier \[[0-9a-f]{8}\]/, /retry\.ts/, /@retrier +session · /];
		const rowsOn = (screen: readonly string[]) =>
			wanted.map((pattern) => screen.findIndex((line) => pattern.test(line)));
		const offered = await terminal.waitFor((screen) => !rowsOn(screen).includes(-1), "a peer, a file and a session");
		expect(rowsOn(offered)).toEqual(rowsOn(offered).toSorted((a, b) => a - b));
		terminal.press(TAB);
		await terminal.waitFor((screen) => screen.some((line) => /^ask @retrier \[[0-9a-f]{8}\]/.test(line)), "a target");
	});

	test("of a session with a long title of wide letters stays within 80 columns, and so does its card", async () => {
		const { cwd } = setting();
		const title = `重試 🔧 ${"試験の失敗を直す ".repeat(12)}`.trim();
		const long = storeSession(cwd, [["直して。", `直した。${"とても長い答え".repeat(40)}`]], { name: title });
		const terminal = await open({ cwd, script: [{ text: "I have read it." }] });
		terminal.press("see @重試");
		const offered = await terminal.waitForText("session · ");
		expect(offered.filter((line) => line.includes("@重試"))).toHaveLength(2);
		terminal.press(TAB);
		await waitForWrapped(terminal, citing(long.id, title));
		terminal.press(KEYS.enter);
		const folded = await terminal.waitForText("I have read it.");
		expect(folded).toContainEqual(expect.stringMatching(/^ › Cites @重試 .* · 2\/2 messages · 1\.\d KiB · \d+s ago$/));
		terminal.press(KEYS.expandTools);
		await terminal.waitForText("    直した。とても長い答え");
	});

	test("of five thousand sessions keeps up with what is typed, and the last word counts", async () => {
		const { agentDirectory, cwd } = setting();
		const directory = defaultSessionDirectory(agentDirectory, cwd);
		for (let index = 0; index < 5000; index += 1) {
			const log = new SessionLog({ id: `session-${index}`, cwd });
			log.user(`Prompt ${index}.`);
			writeFileSync(path.join(directory, `2026-${String(index).padStart(5, "0")}_x.jsonl`), log.toBuffer());
		}
		const terminal = await open({ cwd });
		const typed = "see @session-4321";
		const echoes: number[] = [];
		for (let length = 1; length <= typed.length; length += 1) {
			const pressed = performance.now();
			terminal.press(typed.slice(length - 1, length));
			await terminal.waitFor((screen) => screen.includes(typed.slice(0, length).trimEnd()), "an echo");
			echoes.push(performance.now() - pressed);
		}
		await terminal.waitFor(
			(screen) => screen.filter((line) => line.includes("@session-")).length === 2,
			"the one session that is left",
		);
		// A bound for what is broken: an editor that waits for a list.
		expect(Math.max(...echoes)).toBeLessThan(1000);
		terminal.press(TAB);
		await waitForWrapped(terminal, citing("session-4321", "session-4321"));
	});
});

test("/reference finds a session without completion, and its mention is seen in the editor at once", async () => {
	const { cwd, other } = setting();
	storeSession(cwd, [["q", "a"]], { name: "Retry again" });
	const hoursAgo = Date.now() / 1000 - 2 * 3600;
	utimesSync(other.file, hoursAgo, hoursAgo);
	const terminal = await open({ cwd });
	await terminal.submit("/reference retry");
	const screen = await terminal.waitForText("Cite which session?");
	expect(screen).toContainEqual(expect.stringMatching(/^ +→ 1\. Retry again · \d+s ago · \//));
	expect(screen).toContainEqual(expect.stringMatching(/^ +2\. Retry work · 2h ago · \//));
	terminal.press(KEYS.down);
	await terminal.waitForText("→ 2. Retry work");
	terminal.press(KEYS.enter);
	await waitForWrapped(terminal, citing(other.id, "Retry work"));
});

describe("the card of what was cited", () => {
	test("is one line folded, the conversation expanded, and the same when the session is resumed", async () => {
		const { cwd, other } = setting();
		const terminal = await open({ cwd, script: [{ text: "I have read it." }] });
		terminal.press(`Go on with ${citing(other.id, "Retry work")}`);
		await waitForWrapped(terminal, citing(other.id, "Retry work"));
		terminal.press(KEYS.enter);
		const folded = await terminal.waitForText("I have read it.");
		const card = folded.findIndex((line) => line.includes("› Cites @Retry work · 2/2 messages · "));
		const prompt = folded.findIndex((line) => line.includes("Go on with @Retry work"));
		expect(card).toBeGreaterThan(-1);
		expect(prompt).toBeGreaterThan(card);
		expect(shows(folded, "doubles the delay")).toBe(false);
		await expectToUnfold(terminal);
		await terminal.stop();

		const resumed = await open({ cwd, flags: ["-c"] });
		await resumed.waitForText("› Cites @Retry work · 2/2 messages · ");
		await expectToUnfold(resumed);
	});

	async function expectToUnfold(terminal: PiTerminal): Promise<void> {
		terminal.press(KEYS.expandTools);
		const expanded = await terminal.waitForText("    It doubles the delay now.");
		expect(expanded).toContainEqual(expect.stringMatching(/^ +session [0-9a-f-]{36} · \//));
		terminal.press(KEYS.expandTools);
		await terminal.waitFor((screen) => !shows(screen, "doubles the delay"), "a folded card");
	}
});

/** A run that goes on until it is cancelled. */
const endless: ScriptedReply[] = [
	{ calls: [{ name: "bash", arguments: { command: "sleep 100" } }] },
	{ text: "Next." },
];

/** A terminal on which a prompt that cites waits for a run that does not end, with half a thought in the editor. */
async function waiting(): Promise<{ terminal: PiTerminal; typed: string }> {
	const { cwd, other } = setting();
	const typed = `Compare with ${citing(other.id, "Retry work")}`;
	const terminal = await open({ cwd, script: endless });
	await terminal.submit("Sleep.");
	await terminal.waitForText("sleep 100");
	terminal.press(typed);
	await waitForWrapped(terminal, typed);
	terminal.press(KEYS.enter);
	await terminal.waitForText('1 prompt waits: "Compare with @Retry work" (/take-back)');
	await terminal.type("half a thought");
	return { terminal, typed };
}

describe("a prompt that waits", () => {
	test("comes back below what is being typed when the run is cancelled", async () => {
		const { terminal, typed } = await waiting();
		terminal.press(KEYS.escape);
		const screen = await waitForWrapped(terminal, typed);
		const rows = ["half a thought", "Compare with @["].map((text) => screen.findIndex((line) => line.startsWith(text)));
		expect(rows[1]).toBe((rows[0] ?? 0) + 2);
		expect([shows(screen, "1 prompt waits"), shows(screen, "The run was cancelled")]).toEqual([false, true]);
	});

	test("comes back at a new session, into its editor", async () => {
		const { terminal, typed } = await waiting();
		await clear(terminal, "half a thought");
		await terminal.submit("/new");
		const screen = await waitForWrapped(terminal, typed);
		expect(shows(screen, "1 prompt waits")).toBe(false);
	});
});

describe("what is typed while pi compacts", () => {
	const longAnswer = { text: "word ".repeat(200) };
	const untilDone = { name: "bash", arguments: { command: "until [ -e done ]; do sleep 0.05; done" } };

	/** A session that compacts until the file `go` is there; what was typed meanwhile; and the way to type more. */
	async function compacting(script: readonly ScriptedReply[]) {
		const { agentDirectory, cwd, other } = setting();
		const settings = { compaction: { enabled: false, keepRecentTokens: 10 } };
		writeFileSync(path.join(agentDirectory, "settings.json"), JSON.stringify(settings));
		const extensions = [path.join(import.meta.dirname, "slow-compaction.ts")];
		const terminal = await open({ cwd, extensions, script: [longAnswer, longAnswer, ...script] });
		for (const prompt of ["one", "two"]) {
			await terminal.submit(prompt);
			await terminal.waitFor((screen) => !shows(screen, "Working") && shows(screen, "word word"), "an answer");
		}
		await terminal.submit("/compact");
		await terminal.waitForText("Compacting context");
		const send = async (typed: string) => {
			terminal.press(typed);
			await waitForWrapped(terminal, typed);
			terminal.press(KEYS.enter);
			await waitForWrapped(terminal, `Steering: ${typed.slice(0, 20)}`);
		};
		return {
			terminal,
			send,
			cite: `Compare with ${citing(other.id, "Retry work")}`,
			make: (name: string) => {
				writeFileSync(path.join(cwd, name), "");
			},
		};
	}

	test("goes with its snapshot when pi has compacted, and what was typed after it joins its run", async () => {
		const { terminal, send, cite, make } = await compacting([{ text: "I have read it." }]);
		await send(cite);
		await send("And hurry.");
		make("go");
		const screen = await terminal.waitForText("I have read it.");
		const rows = ["› Cites @Retry work", "Compare with @Retry work", "And hurry."].map((text) =>
			screen.findIndex((line) => line.includes(text)),
		);
		expect(rows).not.toContain(-1);
		expect(rows).toEqual(rows.toSorted((a, b) => a - b));
	});

	test("after another prompt waits for that prompt's run, where pi tells of it at all", async () => {
		const { terminal, send, cite, make } = await compacting([
			{ calls: [untilDone] },
			{ text: "Done with the first." },
			{ text: "I have read it." },
		]);
		await send("A prompt that cites nothing.");
		await send(cite);
		make("go");
		const isTold = !/^0\.8[34]\./.test(VERSION);
		await waitForWrapped(terminal, isTold ? "1 prompt waits" : "Steering: Compare with");
		make("done");
		const screen = await terminal.waitForText(isTold ? "I have read it." : "Done with the first.");
		expect(shows(screen, "› Cites @Retry work")).toBe(isTold);
	});
});

test("a prompt that can't go is back in the editor, and the person reads why", async () => {
	const { cwd } = setting();
	const terminal = await open({ cwd });
	const typed = `See ${citing("nobody", "gone")}`;
	terminal.press(typed);
	await waitForWrapped(terminal, typed);
	terminal.press(KEYS.enter);
	const screen = await terminal.waitForText("The prompt was not sent. @gone:");
	expect(shows(screen, typed)).toBe(true);
});

test("a session of another workspace is asked about before it goes", async () => {
	const { other } = setting();
	const terminal = await open({ cwd: temporaryDirectory("elsewhere"), script: [{ text: "I have read it." }] });
	const typed = `See ${citing(other.id, "far")}`;
	terminal.press(typed);
	await waitForWrapped(terminal, typed);
	terminal.press(KEYS.enter);
	await terminal.waitForText("Cite sessions of other workspaces?");
	terminal.press(KEYS.enter);
	const screen = await terminal.waitForText("I have read it.");
	expect(shows(screen, "› Cites @far · 2/2 messages")).toBe(true);
});
