/** The picker as a person meets it: pi on a real terminal, of 80 and of 40 columns. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { storeSession } from "../../support/pi/stored-session.ts";
import { onBranch, temporaryDirectory, useOwnAgentDirectory } from "../../support/pi/workspaces.ts";
import { KEYS, PiTerminal, type PiTerminalOptions } from "../../support/terminal/pi-terminal.ts";
import { start, startNamed } from "../message-setting.ts";
import { citing } from "../references/citing-person.ts";
import { PRESS } from "./picker-setting.ts";

const ID = /^ {3}[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function open(options: PiTerminalOptions): Promise<PiTerminal> {
	const terminal = await PiTerminal.start({ environment: { DISPLAY: "", WAYLAND_DISPLAY: "" }, ...options });
	onTestFinished(() => terminal.stop());
	return terminal;
}

/** A terminal on which the picker stands, with what there is to choose from. */
async function openPicker(options: PiTerminalOptions): Promise<PiTerminal> {
	const terminal = await open(options);
	await terminal.submit("/peers");
	await terminal.waitForText("Sessions · ");
	return terminal;
}

/** A workspace with two earlier sessions, on a branch. */
function setting(branch = "feature/retry") {
	const agentDirectory = useOwnAgentDirectory();
	const cwd = temporaryDirectory("workspace");
	onBranch(cwd, branch);
	storeSession(cwd, [["Plan it.", "Planned."]], { name: "Old plans" });
	const retry = storeSession(cwd, [["Fix the retry.", "It doubles the delay now."]], {
		name: "Retry work",
		calls: ["read"],
	});
	return { agentDirectory, cwd, retry };
}

/** The rows of the picker on the screen, borders included, and which they are. */
function pickerRows(terminal: PiTerminal): { first: number; last: number; lines: string[] } {
	const screen = terminal.screen();
	const isBorder = (line: string) => line === "─".repeat(terminal.columns);
	const first = screen.findLastIndex((line, row) => isBorder(line) && row < screen.findLastIndex(isBorder));
	const last = screen.findLastIndex(isBorder);
	return { first, last, lines: screen.slice(first + 1, last) };
}

const withoutBlanks = (lines: readonly string[]) => lines.join("").replaceAll(/\s/g, "");

/** A text that the editor may have broken anywhere. */
const waitForEditor = (terminal: PiTerminal, text: string) =>
	terminal.waitFor((screen) => withoutBlanks(screen).includes(text.replaceAll(/\s/g, "")), JSON.stringify(text));

test("is filtered, shows a session's context on enter, and cites it on tab, at 80 columns", async () => {
	const { cwd, retry } = setting();
	await startNamed("printer", { cwd });
	const terminal = await openPicker({ cwd });
	const { lines } = pickerRows(terminal);
	expect(lines[0]).toBe(" Sessions · 1 live · 2 earlier");
	expect(lines[3]).toMatch(/^ → printer {5}idle {14}feature\/retry$/);
	expect(lines.slice(4, 6).sort()).toEqual([
		expect.stringMatching(/^ {3}Old plans {3}offline {2}\d+s ago$/),
		expect.stringMatching(/^ {3}Retry work {2}offline {2}\d+s ago$/),
	]);
	expect(lines.slice(7)).toEqual([
		expect.stringMatching(/^ {3}printer \[[0-9a-f]{8}\]$/),
		"   on feature/retry · this directory",
		expect.stringMatching(ID),
		"",
		" enter look   tab cite   ctrl+s message   ctrl+x copy id   esc close",
	]);

	terminal.press("rty wo");
	await terminal.waitForText("Sessions · 1 of 3");
	terminal.press(KEYS.enter);
	await terminal.waitForText("doubles");
	expect(pickerRows(terminal).lines.map((line) => line.replaceAll(/\d+s ago/g, "0s ago"))).toEqual([
		" Retry work · offline · 2/2 messages · turn 1 completed · 0s ago",
		" this directory",
		` ${retry.id}`,
		"",
		" user (not attested) · 0s ago",
		"   Fix the retry.",
		"",
		" assistant · 0s ago",
		"   It doubles the delay now.",
		"",
		" tool calls",
		"   read · completed · 0s ago",
		"",
		" ↑↓ scroll   tab cite   ctrl+s message   ctrl+x copy id   esc back",
	]);
	terminal.press(KEYS.escape);
	await terminal.waitForText("Filter > rty wo");
	terminal.press(PRESS.tab);
	await waitForEditor(terminal, citing(retry.id, "Retry work"));
	await terminal.waitFor((screen) => !screen.some((line) => line.includes("Filter >")), "the end of the picker");
});

test("has room for all of it at 40 columns", async () => {
	const { cwd } = setting();
	await startNamed("printer", { cwd });
	const terminal = await openPicker({ cwd, columns: 40 });
	const { lines } = pickerRows(terminal);
	expect(lines[3]).toMatch(/^ → printer {5}idle$/);
	expect(lines.slice(8)).toEqual([
		"   on feature/retry · this directory",
		expect.stringMatching(ID),
		"",
		" enter look   tab cite   ctrl+s message",
		" ctrl+x copy id   esc close",
	]);
	terminal.press("retry work");
	await terminal.waitForText("Sessions · 1 of 3");
	terminal.press(KEYS.enter);
	await terminal.waitForText("doubles");
	expect(pickerRows(terminal).lines.slice(-2)).toEqual([
		" ↑↓ scroll   tab cite   ctrl+s message",
		" ctrl+x copy id   esc back",
	]);
});

test("shows who comes, what they do, and who goes, while it is open", async () => {
	const { cwd } = setting();
	const terminal = await openPicker({ cwd });
	expect(pickerRows(terminal).lines[0]).toBe(" Sessions · 0 live · 2 earlier");
	const worker = await startNamed("printer", { cwd, script: [{ text: "I print." }] });
	await terminal.waitForText("Sessions · 1 live · 2 earlier");
	await worker.session.prompt("Print.");
	await terminal.waitFor((screen) => screen.some((line) => /printer +idle +\d+s ago/.test(line)), "its age");
	worker.session.setSessionName("printer two");
	await terminal.waitForText("printer two");
	await worker.dispose();
	await terminal.waitForText("Sessions · 0 live · 3 earlier");
	expect(pickerRows(terminal).lines).toContainEqual(expect.stringMatching(/printer two +offline/));
});

describe("the keys", () => {
	test("of a page move through the list and the text that is looked at, not through pi's transcript", async () => {
		const { cwd } = setting();
		for (let number = 0; number < 20; number += 1) storeSession(cwd, [["Count.", "1\n".repeat(40)]], { name: "Many" });
		const terminal = await openPicker({ cwd, rows: 24 });
		terminal.press("many");
		await terminal.waitForText("20 of 22");
		terminal.press(PRESS.pageDown);
		await terminal.waitForText("(6/20)");
		terminal.press(KEYS.enter);
		await terminal.waitForText("lines 1–");
		terminal.press(PRESS.pageDown);
		await terminal.waitForText("lines 6–");
	});

	test("ctrl+s begins a prompt that addresses the session, behind what stands in the editor", async () => {
		const { cwd } = setting();
		await startNamed("printer", { cwd });
		const terminal = await openPicker({ cwd });
		const address = pickerRows(terminal)
			.lines.find((line) => /^ {3}printer \[/.test(line))
			?.trim();
		terminal.press(PRESS.message);
		await terminal.waitForText(`Tell @${address}:`);
		await terminal.type("I take it");
		await terminal.waitForText(`Tell @${address}: I take it`);
	});

	test("ctrl+x hands the id to the terminal where the system has no clipboard", async () => {
		const { cwd, retry } = setting();
		const terminal = await openPicker({ cwd });
		terminal.press("retry");
		await terminal.waitForText("1 of 2");
		terminal.press(PRESS.copy);
		await terminal.waitForText(`Sent to the clipboard: ${retry.id}`);
		expect(terminal.clipboard).toEqual([`c;${Buffer.from(retry.id).toString("base64")}`]);
	});

	test("escape leaves the editor as it was", async () => {
		const { cwd } = setting();
		const terminal = await openPicker({ cwd });
		terminal.press(KEYS.escape);
		await terminal.waitFor((screen) => !screen.some((line) => line.includes("Filter >")), "the end of the picker");
		await terminal.type("half a thought");
		expect(terminal.screen()).toContain("half a thought");
	});
});

test("closes with the session, and a prompt that was given back meanwhile is in the editor", async () => {
	const { cwd, retry } = setting();
	const signal = path.join(temporaryDirectory("signal"), "now");
	const script = [{ calls: [{ name: "bash", arguments: { command: "sleep 100" } }] }, { text: "Next." }];
	const extension = path.join(import.meta.dirname, "new-session-extension.ts");
	const terminal = await open({ cwd, script, extensions: [extension] });
	await terminal.submit(`/new-when ${signal}`);
	await terminal.waitFor((screen) => !screen.some((line) => line.startsWith("/new-when")), "an empty editor");
	await terminal.submit("Sleep.");
	await terminal.waitForText("sleep 100");
	const typed = `Compare with ${citing(retry.id, "Retry work")}`;
	terminal.press(typed);
	await waitForEditor(terminal, typed);
	terminal.press(KEYS.enter);
	await terminal.waitForText('1 prompt waits: "Compare with @Retry work"');
	await terminal.submit("/peers");
	await terminal.waitForText("Sessions · ");
	writeFileSync(signal, "");
	const screen = await waitForEditor(terminal, typed);
	expect(screen.some((line) => line.includes("Filter >"))).toBe(false);
	await terminal.type(" and more");
});

/** Stands in all that other sessions wrote, and nowhere else. */
const MARK = "Ж";

const hostileTitles = [
	`${MARK}\u001b[2J${MARK}\u001b[H${MARK}\u001b[31;44m${MARK}\u001b[?1049l${MARK}\u001bc${MARK}`,
	`${MARK}\u001b]0;STOLEN\u0007${MARK}\u001b]52;c;U1RPTEVO\u0007${MARK}\u009d0;STOLEN\u009c${MARK}`,
	`${MARK}\r\n${MARK}\b\b\b${MARK}\u0007${MARK}\v${MARK}\u0085${MARK}\u2028${MARK}\u009b2J${MARK}`,
	`${MARK}\u202e${MARK}\u2066${MARK}\u200f${MARK}\u200b${MARK}\u{e0041}${MARK}`,
	`${MARK}${"漢字".repeat(60)}${MARK}`,
	`${MARK}${"👩‍👩‍👧🇦🇶".repeat(40)}${MARK}`,
	`${MARK}${"x".repeat(10_000)}${MARK}`,
];

describe.each(["dark", "light"])("in the theme %s", (theme) => {
	test.each([80, 40])(
		"foreign texts stay in their place, and nothing has a background, at %i columns",
		async (columns) => {
			const { agentDirectory, cwd } = setting(`${MARK}/${"漢".repeat(70)}`);
			writeFileSync(path.join(agentDirectory, "settings.json"), JSON.stringify({ theme }));
			for (const name of hostileTitles) storeSession(cwd, [[name, name]], { name, calls: [name] });
			await start({ cwd });
			const terminal = await openPicker({ cwd, columns, rows: 60 });
			const { titles, bells } = { titles: [...terminal.titles], bells: terminal.bells };
			const marks = { list: [] as number[], look: [] as number[] };
			for (let row = 0; row < 3 + hostileTitles.length; row += 1) {
				marks.list.push(expectMarksInPlace(terminal));
				terminal.press(KEYS.enter);
				await terminal.waitForText("esc back");
				await terminal.waitFor((screen) => !screen.some((line) => line.includes("Looking…")), "the look");
				marks.look.push(expectMarksInPlace(terminal));
				terminal.press(KEYS.escape);
				await terminal.waitForText("esc close");
				terminal.press(PRESS.down);
			}
			// The list names all of them each time; a look has one that is hostile, but for two that are not.
			expect(Math.min(...marks.list)).toBeGreaterThanOrEqual(hostileTitles.length);
			expect(marks.look.filter((count) => count > 0)).toHaveLength(marks.look.length - 2);
			expect([terminal.titles, terminal.bells, terminal.clipboard]).toEqual([titles, bells, []]);
		},
	);
});

/** Every mark on the screen stands between the borders of the picker and away from its edge; returns how many there are. */
function expectMarksInPlace(terminal: PiTerminal): number {
	const { first, last } = pickerRows(terminal);
	let marks = 0;
	// The last lines are pi's own, two or three; one names its directory and the branch there.
	for (let row = 0; row < terminal.rows - 2; row += 1) {
		const cells = terminal.cells(row);
		if (row > last && cells[0]?.text === path.sep) continue;
		const columns = cells.flatMap(({ text }, column) => (text.includes(MARK) ? [column] : []));
		marks += columns.length;
		if (row > first && row < last) expect(new Set(cells.map(({ background }) => background))).toEqual(new Set([-1]));
		if (columns.length === 0) continue;
		expect([row > first, row < last, cells[0]?.text.trim()]).toEqual([true, true, ""]);
		expect(cells.filter(({ text }) => /[\p{Cf}\p{Cc}]/u.test(text))).toEqual([]);
	}
	return marks;
}
