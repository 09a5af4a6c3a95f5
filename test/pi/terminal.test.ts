/** What a person sees of a look, in a real terminal of 80 columns. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { rpcOutcomes } from "../../lib/contract/index.ts";
import type { ScriptedReply } from "../support/pi/scripted-model.ts";
import { storeSession } from "../support/pi/stored-session.ts";
import { temporaryDirectory, useOwnAgentDirectory } from "../support/pi/workspaces.ts";
import { KEYS, PiTerminal, type PiTerminalOptions } from "../support/terminal/pi-terminal.ts";
import type { Cell } from "../support/terminal/terminal.ts";

/** An agent directory whose theme gives the box of a tool a background of its own. */
function useColours(): void {
	writeFileSync(path.join(useOwnAgentDirectory(), "settings.json"), '{"theme":"dark"}');
}

/** A terminal that the test ends. */
async function withTerminal(options: PiTerminalOptions, use: (terminal: PiTerminal) => Promise<void>): Promise<void> {
	const terminal = await PiTerminal.start({ flags: ["--cross-session-tool"], ...options });
	try {
		await use(terminal);
	} finally {
		await terminal.stop();
	}
}

const lookAt = (given: Record<string, unknown>, then: string): ScriptedReply[] => [
	{ calls: [{ name: "get_peer_context", arguments: given }] },
	{ text: then },
];

/** Rows of the newest look's box: those with the background of its first line, which names the tool. */
function boxRows(terminal: PiTerminal): number[] {
	const first = terminal.screen().findLastIndex((line) => line.startsWith(" peer context "));
	const background = backgroundOf(terminal, first);
	expect(background).not.toBe(-1);
	const rows = [];
	for (let row = first; row < terminal.rows && backgroundOf(terminal, row) === background; row += 1) rows.push(row);
	return rows;
}

const backgroundOf = (terminal: PiTerminal, row: number) => terminal.cells(row)[0]?.background ?? -1;

/** The text of the box, its padding and its last, empty line left out; ages are the test's own speed. */
function boxText(terminal: PiTerminal): string[] {
	const screen = terminal.screen();
	const lines = boxRows(terminal).map((row) => screen[row]?.slice(1).replaceAll(/\d+s ago/g, "0s ago") ?? "");
	return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
}

/** Every place of the box has its background, also behind a text that was cut. */
function expectWholeBox(terminal: PiTerminal): void {
	for (const row of boxRows(terminal)) {
		expect([row, ...backgroundsOf(terminal.cells(row))]).toEqual([row, backgroundOf(terminal, row)]);
	}
}

/** All backgrounds of a line. */
function backgroundsOf(cells: readonly Cell[]): Set<number> {
	const hasEmoji = cells.some(({ text }) => /[\p{Extended_Pictographic}\p{Regional_Indicator}]/u.test(text));
	// The emulator's table of widths is older than pi's: a line with emoji in it ends early there.
	const end = hasEmoji ? cells.findLastIndex(({ text }) => text !== "") + 1 : cells.length;
	return new Set(cells.slice(0, end).map(({ background }) => background));
}

describe("a look at another session", () => {
	test("is one line folded and the whole context expanded", async () => {
		useColours();
		const cwd = temporaryDirectory("workspace");
		const answer =
			"It doubles the delay now.\n\n```ts\nif (late) {\n\treturn 2;\n}\n```\nThe tests are left, and this last line is longer than eighty columns.";
		const { id } = storeSession(cwd, [["Fix the flaky test.", answer]], {
			name: "Fix the flaky retry test on machines that are slow",
			calls: ["read", "write"],
		});
		const script = lookAt({ sessionId: id }, "I have looked.");
		await withTerminal({ cwd, script }, async (terminal) => {
			await terminal.submit("Look at the other one.");
			await terminal.waitForText("I have looked.");
			expect(boxText(terminal)).toEqual([
				`peer context ${id} overview`,
				expect.stringMatching(/^Fix the flaky retry \w+… · offline · 2\/2 messages · turn 1 completed · 0s ago$/),
			]);
			expectWholeBox(terminal);

			terminal.press(KEYS.expandTools);
			await terminal.waitForText("tool calls");
			expect(boxText(terminal).slice(2)).toEqual([
				"",
				"user (not attested) · 0s ago",
				"  Fix the flaky test.",
				"",
				"assistant · 0s ago",
				"  It doubles the delay now.",
				"",
				"  ```ts",
				"  if (late) {",
				"      return 2;",
				"  }",
				"  ```",
				"  The tests are left, and this last line is longer than eighty columns.",
				"",
				"tool calls",
				"  read · completed · 0s ago",
				"  write · completed · 0s ago",
			]);
			expectWholeBox(terminal);

			terminal.press(KEYS.expandTools);
			await terminal.waitFor((screen) => !screen.includes(" tool calls"), "the look to be folded again");
			expect(boxText(terminal)).toHaveLength(2);
		});
	});

	test("that is refused shows the same sentence that the model gets", async () => {
		useColours();
		const script = lookAt({ sessionId: "no-such-session" }, "I may not.");
		await withTerminal({ cwd: temporaryDirectory("workspace"), script }, async (terminal) => {
			await terminal.submit("Look at the other one.");
			await terminal.waitForText("I may not.");
			const { message, next } = rpcOutcomes.unauthorized;
			const [first, ...rest] = boxText(terminal);
			expect(first).toBe("peer context no-such-session overview");
			expect(rest.join(" ")).toBe(`unauthorized: ${message} ${next}`);
			expectWholeBox(terminal);
		});
	});
});

/** Stands in all that the peer wrote, and nowhere else. */
const MARK = "Ж";

const hostileTexts = [
	`${MARK}\u001b[2J${MARK}\u001b[H${MARK}\u001b[1;1H${MARK}\u001b[20A${MARK}\u001b[31;44m${MARK}\u001b[?1049l${MARK}\u001bc${MARK}`,
	`${MARK}\u001b]0;STOLEN\u0007${MARK}\u001b]52;c;U1RPTEVO\u0007${MARK}\u001b]8;;https://example.org\u0007${MARK}\u009d0;STOLEN\u009c`,
	`${MARK}\r${MARK}\b\b\b${MARK}\u0007${MARK}\v${MARK}\f${MARK}\u0085${MARK}\u2028${MARK}\u009b2J${MARK}\u001b${MARK}`,
	`${MARK}\u202e${MARK}\u2066${MARK}\u200f${MARK}\u061c${MARK}\u200b${MARK}\ufeff${MARK}\u{e0041}${MARK}`,
	`${"漢字".repeat(100)}${MARK}${"👩‍👩‍👧🇦🇶".repeat(40)}${MARK}`,
	MARK.repeat(1900),
	`\t\t\t${MARK}\t${MARK}${"\t".repeat(60)}${MARK}`,
	`user\nassistant · 0s ago\n ${MARK}\n${MARK}${"\n".repeat(8)}${MARK}`,
];

test("whatever the other session's people, model and tools wrote stays in its place", async () => {
	useColours();
	const cwd = temporaryDirectory("workspace");
	const texts = hostileTexts.slice(0, 6);
	const turns = [0, 2, 4].map((index) => [texts[index] ?? "", texts[index + 1] ?? ""] as const);
	const { id } = storeSession(cwd, [...turns, [hostileTexts[6] ?? "", hostileTexts[7] ?? ""]], {
		name: `${MARK}\u001b[1;1H${MARK}\u001b]0;STOLEN\u0007\u202e${"漢字".repeat(80)}${MARK}`,
		calls: [`${MARK}\u001b[5;5H${MARK}\u202e${"字".repeat(100)}`],
	});
	const script = [
		...lookAt({ sessionId: id, view: "conversation" }, "I have looked."),
		...lookAt({ sessionId: id, view: "activity" }, "I have looked again."),
	];
	await withTerminal({ cwd, script, rows: 250 }, async (terminal) => {
		const frame = () => terminal.screen().slice(-5, -1);
		const before = { frame: frame(), titles: [...terminal.titles] };
		await terminal.submit("Look.");
		await terminal.waitForText("I have looked.");
		expectMarksInPlace(terminal);
		terminal.press(KEYS.expandTools);
		await terminal.waitFor((screen) => screen.some((line) => /^ assistant · \d+s ago$/.test(line)), "the messages");
		expect(expectMarksInPlace(terminal)).toBeGreaterThan(1900);
		await terminal.submit("Look again.");
		await terminal.waitForText("I have looked again.");
		expectMarksInPlace(terminal);
		expect({ frame: frame(), titles: terminal.titles }).toEqual(before);
		expect([terminal.bells, terminal.clipboard]).toEqual([0, []]);
	});
});

/** Every mark on the screen stands in a box of a look, and right of its left edge; returns how many there are. */
function expectMarksInPlace(terminal: PiTerminal): number {
	const background = backgroundOf(terminal, boxRows(terminal)[0] ?? -1);
	expectWholeBox(terminal);
	let marks = 0;
	for (let row = 0; row < terminal.rows; row += 1) {
		const cells = terminal.cells(row);
		const columns = cells.flatMap(({ text }, column) => (text.includes(MARK) ? [column] : []));
		marks += columns.length;
		if (columns.length === 0) continue;
		expect([row, cells[0]?.text.trim(), cells.at(-1)?.text.trim()]).toEqual([row, "", ""]);
		expect([row, ...backgroundsOf(cells)]).toEqual([row, background]);
		expect(cells.filter(({ text }) => /[\p{Cf}\p{Cc}]/u.test(text))).toEqual([]);
	}
	return marks;
}
