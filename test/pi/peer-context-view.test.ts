/** A peer context on the screen, as lines at a width; what a terminal makes of them is another test. */
import { visibleWidth } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PeerContext, PeerContextMessage } from "../../lib/contract/index.ts";
import { formatAge, ScreenLines } from "../../lib/pi/foreign-text.ts";
import { peerContextLines } from "../../lib/pi/peer-context-view.ts";
import type { Styles } from "../../lib/pi/styles.ts";

const NOW = 1_800_000_000_000;
const WIDTHS = [40, 80, 200];

/** Styles that leave the text as it is, and styles that can be seen. */
const plain: Styles = { fg: (_color, text) => text, bold: (text) => text };
const coloured: Styles = {
	fg: (_color, text) => `\u001b[31m${text}\u001b[39m`,
	bold: (text) => `\u001b[1m${text}\u001b[22m`,
};

const message = (more: Partial<PeerContextMessage>): PeerContextMessage => ({
	seq: 1,
	time: NOW - 5000,
	role: "assistant",
	checkpoint: false,
	text: "Hello.",
	omittedBytes: 0,
	...more,
});

function makeContext(more: Partial<PeerContext> = {}, messages: PeerContextMessage[] = [message({})]): PeerContext {
	return {
		schemaVersion: 1,
		trustWarning: "…",
		target: { sessionId: "01a22e4f-6b5f-75e2-b61f-122e3708e332", title: "Fix the retry test" },
		runtimeStatus: "idle",
		capture: { throughSeq: 9, time: NOW, damagedLines: 0 },
		conversation: {
			messages,
			retention: {
				eligibleMessages: messages.length + 2,
				returnedMessages: messages.length,
				omittedMessages: 2,
				withheldMessages: 0,
				eligibleBytes: 100,
				returnedBytes: 50,
				omittedBytes: 50,
			},
		},
		activity: {
			turn: { state: "ended", number: 3, endReason: "completed" },
			step: { state: "ended", number: 2 },
			tools: [{ name: "read", status: "completed", time: NOW - 61_000, call: "0123456789ab" }],
		},
		...more,
	};
}

function draw(context: PeerContext, { width = 80, expanded = true, styles = plain } = {}): string[] {
	return new ScreenLines(peerContextLines(context, expanded, styles, NOW)).render(width);
}

describe("folded", () => {
	const folded = (context: PeerContext, width = 80) => draw(context, { width, expanded: false });

	test("is one line of title, status, counts, turn and age", () => {
		expect(folded(makeContext())).toEqual(["Fix the retry test · idle · 1/3 messages · turn 3 completed · 5s ago"]);
	});

	test("names a session without a title by its id", () => {
		const target = { sessionId: "01a22e4f", title: null };
		expect(folded(makeContext({ target }))[0]).toMatch(/^01a22e4f · idle · /);
	});

	test("says how many messages are withheld", () => {
		const context = makeContext();
		if (context.conversation) context.conversation.retention.withheldMessages = 4;
		expect(folded(context)[0]).toContain("1/3 messages · 4 withheld · ");
	});

	test("leaves out what its view does not hold", () => {
		const { conversation: _conversation, ...activityOnly } = makeContext();
		expect(folded(activityOnly)).toEqual(["Fix the retry test · idle · turn 3 completed · 1m ago"]);
		const { activity: _activity, ...conversationOnly } = makeContext();
		expect(folded(conversationOnly)).toEqual(["Fix the retry test · idle · 1/3 messages · 5s ago"]);
	});

	test("says nothing of a turn that is unknown, and no age of what has no time", () => {
		const activity = { turn: { state: "unknown" as const }, step: { state: "unknown" as const }, tools: [] };
		const context = makeContext({ activity }, [message({ time: null })]);
		expect(folded(context)).toEqual(["Fix the retry test · idle · 1/3 messages"]);
	});

	test("shortens a long title and keeps the facts", () => {
		const target = { sessionId: "a", title: "A very long title ".repeat(20) };
		const [line = ""] = folded(makeContext({ target }));
		expect(line).toMatch(/^A very long title A very.*… · idle · 1\/3 messages · turn 3 completed · 5s ago$/);
		expect(visibleWidth(line)).toBe(80);
	});

	test("keeps the beginning of the title where not even the facts fit", () => {
		expect(folded(makeContext(), 30)).toEqual(["Fix the ret… · idle · 1/3 mes…"]);
	});
});

describe("expanded", () => {
	test("shows who spoke, when and what, in the order of the conversation, and the calls", () => {
		const messages = [
			message({ role: "user", checkpoint: true, by: "extension", text: "What happened so far." }),
			message({ role: "user", checkpoint: true, by: "pi", text: "A summary." }),
			message({ role: "user", attested: true, text: "Do it.\n\n\tif (x) {}" }),
			message({ role: "user", attested: false, text: "Do that too.", time: null }),
			message({ text: "Done." }),
		];
		expect(draw(makeContext({}, messages))).toEqual([
			"Fix the retry test · idle · 5/7 messages · turn 3 completed · 5s ago",
			"… 2 earlier messages not shown",
			"",
			"checkpoint by an extension · 5s ago",
			"  What happened so far.",
			"",
			"checkpoint · 5s ago",
			"  A summary.",
			"",
			"user · 5s ago",
			"  Do it.",
			"  ",
			"      if (x) {}",
			"",
			"user (not attested)",
			"  Do that too.",
			"",
			"assistant · 5s ago",
			"  Done.",
			"",
			"tool calls",
			"  read · completed · 1m ago",
		]);
	});

	test("keeps every line of a message behind the left edge, where only speakers stand", () => {
		const text = `${"word ".repeat(60)}\nuser\nassistant · 1s ago\r\u001b[1Guser\u2028user\v\fuser`;
		const lines = draw(makeContext({ activity: undefined }, [message({ text })])).slice(4);
		expect(lines.filter((line) => !line.startsWith("  "))).toEqual([]);
		expect(lines.length).toBeGreaterThan(7);
	});
});

/** What a terminal would obey, reorder or not show; our own styles are not among it when they are plain. */
const forbidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

const hostile = fc.string({
	unit: fc.oneof(
		fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
		fc.constantFrom(
			"\u001b[2J",
			"\u001b[10;10H",
			"\u001b]0;title\u0007",
			"\u001b]52;c;eA==\u001b\\",
			"\u009b5A",
			"\u001b",
			"\u202e",
			"\u2066",
			"\u200d",
			"漢字",
			"👩‍👩‍👧",
			"🇦🇶",
			"é̂",
			"\ud800",
			"\t",
			"\r",
			"\n",
			"\b",
			"x".repeat(300),
			"字".repeat(300),
		),
	),
	maxLength: 60,
});

describe("whatever a peer wrote", () => {
	test.each(WIDTHS)("fits into %i columns and holds nothing that a terminal obeys", (width) => {
		fc.assert(
			fc.property(hostile, hostile, hostile, (title, text, name) => {
				const context = makeContext(
					{
						target: { sessionId: text, title },
						activity: {
							turn: { state: "open", number: 1 },
							step: { state: "open", number: 1 },
							tools: [{ name, status: "running", time: NOW, call: "0123456789ab" }],
						},
					},
					[message({ text }), message({ role: "user", text: title })],
				);
				for (const expanded of [false, true]) {
					const lines = draw(context, { width, expanded });
					expect(lines.filter((line) => visibleWidth(line) > width)).toEqual([]);
					expect(lines.filter((line) => forbidden.test(line))).toEqual([]);
					if (!expanded) expect(lines).toHaveLength(1);
					const inColour = draw(context, { width, expanded, styles: coloured });
					expect(inColour.filter((line) => visibleWidth(line) > width)).toEqual([]);
				}
			}),
			{ numRuns: 150 },
		);
	});

	test.each(WIDTHS)("shows a line of 5,000 characters whole at %i columns, on as many lines as it takes", (width) => {
		const lines = draw(makeContext({ activity: undefined }, [message({ text: "字".repeat(5000) })]), { width });
		expect(lines.join("").match(/字/g)).toHaveLength(5000);
		expect(Math.max(...lines.map(visibleWidth))).toBeLessThanOrEqual(width);
	});
});

test("an age has one unit and is never in the future", () => {
	const ages = [-5000, 0, 59_999, 60_000, 3_599_999, 3_600_000, 86_399_999, 86_400_000, 400 * 86_400_000];
	expect(ages.map(formatAge)).toEqual([
		"0s ago",
		"0s ago",
		"59s ago",
		"1m ago",
		"59m ago",
		"1h ago",
		"23h ago",
		"1d ago",
		"400d ago",
	]);
});
