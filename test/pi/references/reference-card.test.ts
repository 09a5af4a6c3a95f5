/** The card of snapshots: one line a session, or what was said there, at every width and with nothing the terminal obeys. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { describe, expect, test } from "vitest";
import { renderReferences } from "../../../lib/pi/references/reference-card.ts";
import { toReferenceMessage } from "../../../lib/pi/references/reference-message.ts";
import { SessionReferences } from "../../../lib/references/index.ts";
import {
	assistant,
	checkpoint,
	InMemorySessions,
	type StoredMessage,
	storedSession,
	user,
	WORKSPACE,
} from "../../references/in-memory-sessions.ts";

const plain = { fg: (_color: string, text: string) => text, bold: (text: string) => text };

/** The message that a prompt with these citations stores. */
async function stored(cited: readonly { label: string; messages: StoredMessage[] }[], maxReferenceBytes = 65_536) {
	const sessions = new InMemorySessions(
		...cited.map(({ messages }, index) => storedSession(`session-${index}`, { messages })),
	);
	const references = cited.map(({ label }, index) => ({ sessionId: `session-${index}`, label }));
	const library = new SessionReferences(sessions, { maxReferenceBytes });
	const { additionalContext } = await library.prepare({ sessionId: "me", cwd: WORKSPACE }, null, references);
	if (additionalContext === undefined) throw new Error("Nothing was cited.");
	return { ...toReferenceMessage(additionalContext), timestamp: Date.now() - 125_000 };
}

/** What is drawn, by pi's own measure of a line's width. */
function draw(message: Parameters<typeof renderReferences>[0], expanded: boolean, width = 80): string[] {
	const lines = renderReferences(message, { expanded, outputPad: 0 }, plain)?.render(width) ?? [];
	for (const line of lines) expect(visibleWidth(line)).toBeLessThanOrEqual(width);
	return lines;
}

describe("folded", () => {
	test("it is one line a session: label, how much of it, size, age", async () => {
		const message = await stored([
			{ label: "Retry work", messages: [user("Fix it."), assistant("Done.")] },
			{ label: "Parser", messages: [] },
		]);
		expect(draw(message, false)).toEqual([
			expect.stringMatching(/^› Cites @Retry work · 2\/2 messages · \d{3} B · 2m ago$/),
			expect.stringMatching(/^› Cites @Parser · 0\/0 messages · \d{2,3} B · 2m ago$/),
		]);
	});

	test("the label gives way to the facts", async () => {
		const message = await stored([{ label: "長い題名".repeat(40), messages: [user("Fix it.")] }]);
		expect(draw(message, false, 60)).toEqual([
			expect.stringMatching(/^› Cites @[長い題名]+… · 1\/1 message · \d+ B · 2m ago$/),
		]);
	});
});

test("expanded it also shows where, what was left out, and what was said", async () => {
	const messages = [user("a".repeat(900)), checkpoint("The plan."), user("Fix\n  it."), assistant("Done.")];
	const message = await stored([{ label: "Retry work", messages }], 600);
	expect(draw(message, true)).toEqual([
		expect.stringMatching(/^› Cites @Retry work · 3\/4 messages · \d{3} B · 2m ago$/),
		`  session session-0 · ${WORKSPACE}`,
		"  begins with the summary of its compaction",
		"  left out: 1 message, 900 B",
		"",
		"  user",
		"    The plan.",
		"",
		"  user",
		"    Fix",
		"      it.",
		"",
		"  assistant",
		"    Done.",
	]);
});

test("a large one is shown up to a bound, and says so", async () => {
	const message = await stored([
		{ label: "Large", messages: Array.from({ length: 60 }, () => user("x".repeat(1000))) },
	]);
	const lines = draw(message, true);
	expect(lines.at(-1)).toBe("  … the rest is in the session's log");
	expect(lines.join("").length).toBeLessThan(25_000);
});

const hostile = "\u001b[2J\u001b]0;title\u0007\u202egnp\u0000\u009b31m\u200b";

test.each([40, 80, 200])("at %d columns nothing that a terminal obeys is drawn", async (width) => {
	const text = `${hostile}日本語${"漢字".repeat(120)} ${"word ".repeat(60)}👩‍👩‍👧‍👦 end`;
	const message = await stored([{ label: `${hostile}${"名".repeat(90)}`, messages: [user(text)] }]);
	const drawn = [...draw(message, false, width), ...draw(message, true, width)].join("\n");
	expect(drawn).not.toMatch(/[^\P{Cc}\n]|[\u200b\u202e]/u);
	expect(drawn).toContain("end");
});

test("what is stored and can't be read is pi's own affair, or loses only what can't be read", async () => {
	const message = await stored([{ label: "Retry work", messages: [user("Fix it.")] }]);
	expect(renderReferences({ ...message, details: { kind: "other" } }, { expanded: false }, plain)).toBeUndefined();
	expect(renderReferences({ ...message, content: [] }, { expanded: false }, plain)).toBeUndefined();
	expect(draw({ ...message, content: "[damaged\n" }, true)).toEqual([
		"› Cites @Retry work · 1/1 message · 2m ago",
		"  session session-0",
	]);
});
