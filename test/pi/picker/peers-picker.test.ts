/** The picker as it is used: what is drawn at which size, what each key does, and what is left when it is closed. */
import { visibleWidth } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PeerContext } from "../../../lib/contract/index.ts";
import { formatSessionReferenceMention } from "../../../lib/references/index.ts";
import { candidate, NOW, peer, rowsOf } from "./picker-rows.ts";
import { openPicker, PRESS } from "./picker-setting.ts";

const printer = peer("printer", { status: "busy", git: { worktree: "/", branch: "feature/retry", head: "0" } });
const far = peer("far away", { cwd: "/code/other-documents", inbound: "refuse" });
const label = {
	printer: `printer [${printer.instanceId.slice(0, 8)}]`,
	far: `far away [${far.instanceId.slice(0, 8)}]`,
};

const rows = rowsOf({
	peers: [printer, far],
	candidates: [
		candidate("printer", { changedAt: NOW - 12_000 }),
		candidate("Retry work", { changedAt: NOW - 7_200_000 }),
		candidate("A plan that has a name which is far longer than any list of sessions wants to show", {
			changedAt: NOW - 400 * 86_400_000,
		}),
	],
});

const context: PeerContext = {
	schemaVersion: 1,
	trustWarning: "…",
	target: { sessionId: "id-of-printer", title: "printer" },
	runtimeStatus: "running",
	capture: { throughSeq: 9, time: NOW },
	conversation: {
		messages: [
			{ seq: 1, time: NOW - 9000, role: "user", checkpoint: false, text: "Fix it.", omittedBytes: 0, attested: true },
			{ seq: 2, time: NOW - 5000, role: "assistant", checkpoint: false, text: "I do.", omittedBytes: 0 },
		],
		retention: {
			eligibleMessages: 2,
			returnedMessages: 2,
			omittedMessages: 0,
			withheldMessages: 0,
			eligibleBytes: 12,
			returnedBytes: 12,
			omittedBytes: 0,
		},
	},
	activity: {
		turn: { state: "open", number: 3 },
		step: { state: "open", number: 1 },
		tools: [{ name: "read", status: "running", time: NOW - 1000, call: "0123456789ab" }],
	},
};

const HINTS = " enter look   tab cite   ctrl+s message   ctrl+x copy id   esc close";

describe("the list", () => {
	test("shows title, status, age and branch in columns, the chosen row below, and the keys", async () => {
		const picker = await openPicker(rows);
		expect(picker.screen()).toEqual([
			"─".repeat(80),
			" Sessions · 2 live · 2 earlier",
			" Filter >",
			"",
			" → printer                                   busy     12s ago   feature/retry",
			"   far away                                  idle",
			"   Retry work                                offline  2h ago",
			"   A plan that has a name which is far lon…  offline  400d ago",
			"",
			`   ${label.printer}`,
			"   on feature/retry · this directory",
			"   id-of-printer",
			"",
			HINTS,
			"─".repeat(80),
		]);
	});

	test("keeps title, status and age at 40 columns; the rest is below", async () => {
		const picker = await openPicker(rows);
		await picker.press(PRESS.down);
		expect(picker.screen(40)).toEqual([
			"─".repeat(40),
			" Sessions · 2 live · 2 earlier",
			" Filter >",
			"",
			"   printer          busy     12s ago",
			" → far away         idle",
			"   Retry work       offline  2h ago",
			"   A plan that ha…  offline  400d ago",
			"",
			`   ${label.far}`,
			"   takes no messages · /code/other-doc…",
			"   id-of-far away",
			"",
			" enter look   tab cite   ctrl+s message",
			" ctrl+x copy id   esc close",
			"─".repeat(40),
		]);
	});

	test("has room for the directory of sessions elsewhere at 200 columns", async () => {
		const picker = await openPicker(rows);
		expect(picker.screen(200).slice(4, 6)).toEqual([
			" → printer                                                           busy     12s ago   feature/retry",
			expect.stringMatching(/^ {3}far away {58}idle {30}in other-documents$/),
		]);
	});

	test("says that it looks, that nobody is there, and that it could not look", async () => {
		const picker = await openPicker([]);
		expect(picker.screen().slice(1, -3)).toEqual([
			" Sessions · 0 live · 0 earlier",
			" Filter >",
			"",
			"   No other session is live, and none worked in this directory before.",
			"   Start pi in another terminal: it shows up here by itself.",
		]);
		picker.listFails = true;
		await picker.wait(2000);
		expect(picker.screen()).toContain("   The list could not be brought up to date. Trying again.");
	});

	test("scrolls on a low screen and says where it is", async () => {
		const many = rowsOf({ candidates: Array.from({ length: 40 }, (_, index) => candidate(`session ${index}`)) });
		const picker = await openPicker(many, { lines: 24 });
		await picker.press(PRESS.pageDown, PRESS.pageDown, PRESS.up);
		expect(picker.marked()).toContain("session 9");
		expect(picker.screen()).toContain("   (10/40)");
		expect(picker.screen()).toHaveLength(17);
		await picker.press(PRESS.pageUp);
		expect(picker.marked()).toContain("session 4");
	});
});

describe.each([10, 14, 19, 20, 24])("on a terminal of %i lines", (lines) => {
	/** What pi has below the picker. */
	const fits = (screen: readonly string[]) => screen.length <= lines - 2;
	const many = rowsOf({ candidates: Array.from({ length: 40 }, (_, index) => candidate(`session ${index}`)) });

	test("the list is to be seen as a whole: the filter, the chosen row, what was said, and the keys", async () => {
		const picker = await openPicker(many, { lines });
		await picker.press(PRESS.up, PRESS.message);
		const screen = picker.screen();
		expect(fits(screen)).toBe(true);
		expect(screen).toEqual(expect.arrayContaining([" Filter >", " Only a live session can get a message.", HINTS]));
		expect(picker.marked()).toContain("session 39");
	});

	test("a look is to be seen as a whole: whose it is, the end of the text, what was said, and the keys", async () => {
		const picker = await openPicker(many, { lines });
		picker.context = context;
		await picker.press(PRESS.enter, ...Array.from({ length: 20 }, () => PRESS.down), PRESS.message);
		const screen = picker.screen();
		expect(fits(screen)).toBe(true);
		expect(screen[1]).toMatch(/^ printer · running/);
		expect(screen).toEqual(
			expect.arrayContaining(["   read · running · 1s ago", " Only a live session can get a message."]),
		);
		expect(screen.at(-2)).toMatch(/esc back$/);
	});
});

describe("typing", () => {
	test("narrows the list and keeps the columns; the keys of the list still work", async () => {
		const picker = await openPicker(rows);
		await picker.press("r", "e", "t", "r", "y");
		expect(picker.screen().slice(1, 8)).toEqual([
			" Sessions · 2 of 4",
			" Filter > retry",
			"",
			" → printer                                   busy     12s ago   feature/retry",
			"   Retry work                                offline  2h ago",
			"",
			"",
		]);
		await picker.press(PRESS.down);
		expect(picker.marked()).toContain("Retry work");
		await picker.press(PRESS.down);
		expect(picker.marked()).toContain("printer");
	});

	test("that fits nothing says so, with what was typed; nothing can be done then", async () => {
		const picker = await openPicker(rows);
		await picker.press("q", "q", "q", PRESS.enter, PRESS.tab, PRESS.message, PRESS.copy, PRESS.up, PRESS.pageDown);
		expect(picker.screen()).toContain("   Nothing fits “qqq”.");
		expect([picker.closed, picker.copied, picker.looks]).toEqual([[], [], []]);
	});
});

describe("a newer listing", () => {
	test("comes every two seconds; the chosen session stays chosen and its age goes on", async () => {
		const picker = await openPicker(rows);
		await picker.press(PRESS.down, PRESS.down);
		picker.rows = rowsOf({ peers: [peer("new"), printer, far], candidates: [candidate("Retry work")] });
		await picker.wait(1999);
		expect(picker.screen()).not.toContainEqual(expect.stringContaining("new"));
		await picker.wait(1);
		expect(picker.screen()[4]).toMatch(/^ {3}new +idle/);
		expect(picker.marked()).toMatch(/^ → Retry work +offline {2}7s ago$/);
		await picker.wait(2000);
		expect(picker.marked()).toMatch(/9s ago$/);
	});

	test("that fails leaves the list as it is and says so until the next one", async () => {
		const picker = await openPicker(rows);
		picker.listFails = true;
		await picker.wait(2000);
		expect(picker.marked()).toContain("printer");
		expect(picker.screen()).toContain("   The list could not be brought up to date. Trying again.");
		picker.listFails = false;
		await picker.wait(2000);
		expect(picker.screen()).not.toContainEqual(expect.stringContaining("Trying again"));
	});
});

describe("enter", () => {
	test("shows the bounded context with the activity, brought up to date while it is open; escape goes back", async () => {
		const picker = await openPicker(rows);
		picker.context = context;
		await picker.press(PRESS.enter);
		expect(picker.screen()).toEqual([
			"─".repeat(80),
			" printer · running · 2/2 messages · turn 3 open · 1s ago",
			" on feature/retry · this directory",
			" id-of-printer",
			"",
			" user · 9s ago",
			"   Fix it.",
			"",
			" assistant · 5s ago",
			"   I do.",
			"",
			" tool calls",
			"   read · running · 1s ago",
			"",
			" ↑↓ scroll   tab cite   ctrl+s message   ctrl+x copy id   esc back",
			"─".repeat(80),
		]);
		picker.context = { ...context, runtimeStatus: "idle" };
		await picker.wait(2000);
		expect(picker.screen()[1]).toBe(" printer · idle · 2/2 messages · turn 3 open · 3s ago");
		await picker.press(PRESS.escape);
		expect([picker.marked().includes("printer"), picker.closed]).toEqual([true, []]);
		const { length } = picker.looks;
		await picker.wait(10_000);
		expect(picker.looks).toHaveLength(length);
	});

	test("scrolls what is longer than the screen, and ends at both ends", async () => {
		const picker = await openPicker(rows, { lines: 24 });
		const messages = [{ seq: 1, time: NOW, role: "user" as const, checkpoint: false, omittedBytes: 0 }].map(
			(message) => ({
				...message,
				text: Array.from({ length: 30 }, (_, index) => `line ${index}`).join("\n"),
			}),
		);
		picker.context = { ...context, conversation: { ...context.conversation, messages } as PeerContext["conversation"] };
		await picker.press(PRESS.enter);
		expect(picker.screen()).toContain(" lines 1–6 of 35");
		await picker.press(PRESS.pageDown, PRESS.down);
		expect(picker.screen()).toContain(" lines 7–12 of 35");
		for (let page = 0; page < 10; page += 1) await picker.press(PRESS.pageDown);
		expect(picker.screen()).toContain(" lines 30–35 of 35");
		for (let page = 0; page < 10; page += 1) await picker.press(PRESS.pageUp);
		expect(picker.screen()).toContain(" lines 1–6 of 35");
	});

	test.each([
		[
			"a private session",
			rowsOf({ peers: [printer], isPrivate: () => true }),
			"This session is private: nobody reads it.",
		],
		[
			"a session elsewhere",
			rowsOf({ peers: [far] }),
			"This session works in another directory; only those of this one can be looked at.",
		],
		[
			"a session of which nothing is stored",
			rowsOf({ peers: [printer] }),
			"Nothing of this session can be read: nothing is stored yet, or it is private.",
		],
		[
			"a session that was deleted, or has become private since the last list",
			rows,
			"This session can't be read any more: it was deleted, or it is private now.",
		],
	])("on %s says why there is nothing to see", async (_name, listed, reason) => {
		const picker = await openPicker(listed);
		await picker.press(PRESS.enter);
		expect(picker.screen(200)).toContain(` ${reason}`);
	});

	test("takes what was shown off the screen when it may not be read any more", async () => {
		const picker = await openPicker(rows);
		picker.context = context;
		await picker.press(PRESS.enter);
		picker.context = null;
		await picker.wait(2000);
		expect(picker.screen().join("\n")).not.toMatch(/Fix it|turn 3/);
	});
});

describe("what is done with a session", () => {
	test("tab closes with its mention, from the list and from a look", async () => {
		const mention = formatSessionReferenceMention({ sessionId: "id-of-printer", label: "printer" });
		const fromList = await openPicker(rows);
		await fromList.press(PRESS.tab);
		const fromLook = await openPicker(rows);
		await fromLook.press(PRESS.enter, PRESS.tab);
		expect([fromList.closed, fromLook.closed]).toEqual([[mention], [mention]]);
	});

	test("ctrl+s closes with the beginning of a prompt that names it for the model's tool", async () => {
		const picker = await openPicker(rows);
		await picker.press(PRESS.message);
		expect(picker.closed).toEqual([`Tell @${label.printer}:`]);
	});

	test("ctrl+x gives its id to the clipboard, and shows the id where there is none", async () => {
		const picker = await openPicker(rows);
		await picker.press(PRESS.copy);
		expect(picker.copied).toEqual(["id-of-printer"]);
		expect(picker.screen()).toContain(" Sent to the clipboard: id-of-printer");
		picker.hasClipboard = false;
		await picker.press(PRESS.copy);
		expect(picker.screen()).toContain(" There is no clipboard here. The id: id-of-printer");
		await picker.press(PRESS.down);
		expect(picker.screen()).not.toContainEqual(expect.stringContaining("clipboard"));
	});

	test.each([
		[
			"cite a private one",
			rowsOf({ peers: [printer], isPrivate: () => true }),
			PRESS.tab,
			"A private session can't be cited.",
		],
		[
			"cite one of which nothing is stored",
			rowsOf({ peers: [printer] }),
			PRESS.tab,
			"It can't be cited: nothing of it is stored yet, or it is private.",
		],
		[
			"write to an earlier one",
			rowsOf({ candidates: [candidate("old")] }),
			PRESS.message,
			"Only a live session can get a message.",
		],
		["write to one that takes none", rowsOf({ peers: [far] }), PRESS.message, "It takes no messages now."],
	])("is refused with a reason: to %s", async (_name, listed, key, reason) => {
		const picker = await openPicker(listed);
		await picker.press(key);
		expect([picker.closed, picker.screen().includes(` ${reason}`)]).toEqual([[], true]);
	});

	test("is done with the session that is looked at, also when the list has changed below it", async () => {
		const picker = await openPicker(rows);
		picker.context = context;
		await picker.press(PRESS.enter);
		picker.rows = rowsOf({ candidates: [candidate("Retry work")] });
		await picker.wait(2000);
		await picker.press(PRESS.copy);
		expect(picker.copied).toEqual(["id-of-printer"]);
	});
});

describe("the end", () => {
	test("escape closes the list without a text", async () => {
		const picker = await openPicker(rows);
		await picker.press(PRESS.escape);
		expect(picker.closed).toEqual([null]);
	});

	test.each(["list", "look"])("of the incarnation closes it, and no timer is left (%s)", async (view) => {
		const picker = await openPicker(rows);
		picker.context = context;
		if (view === "look") await picker.press(PRESS.enter);
		expect(picker.clock.pending).toBeGreaterThan(0);
		picker.fence.abort();
		expect([picker.closed, picker.clock.pending]).toEqual([[null], 0]);
	});

	test("by pi, which only disposes of it, leaves no timer, and the incarnation's end nothing to close", async () => {
		const picker = await openPicker(rows);
		picker.context = context;
		await picker.press(PRESS.enter);
		picker.picker.dispose();
		picker.picker.dispose();
		expect(picker.clock.pending).toBe(0);
		picker.fence.abort();
		expect(picker.closed).toEqual([]);
	});
});

/** Texts as they must not reach a terminal, and texts whose width is hard to tell. */
const hostile = fc.oneof(
	fc.constantFrom(
		"\u001b[2J\u001b[H\u001b]0;x\u0007\u001b]52;c;eA==\u0007",
		"\u202e\u2066\u200f\u061c",
		"漢字".repeat(90),
		"👩‍👩‍👧🇦🇶".repeat(50),
		"e\u0301\u0301\u0301\u0301\u0301\u0301".repeat(40),
		"a\nb\r\nc\td\u0085e\u2028f",
		"x".repeat(10_000),
		"\ud800 \udfff",
		"ﷺ𒐫꧅".repeat(30),
	),
	fc.string({ unit: "binary", maxLength: 60 }),
);

test("no line is ever wider than its place, and no foreign text in it is more than text, at 40 to 200 columns", async () => {
	const text = fc.array(hostile, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(""));
	await fc.assert(
		fc.asyncProperty(
			text,
			text,
			text,
			fc.integer({ min: 40, max: 200 }),
			fc.boolean(),
			async (a, b, c, width, isLook) => {
				const listed = rowsOf({
					peers: [peer("p", { id: `1${a}`, name: b, cwd: `/${c}`, git: { worktree: "/", branch: a, head: "0" } })],
					candidates: [candidate(c, { sessionId: `2${b}` }), candidate(a, { sessionId: `1${a}` })],
				});
				const picker = await openPicker(listed);
				const [message] = context.conversation?.messages ?? [];
				if (message === undefined || context.conversation === undefined) throw new Error("no message");
				picker.context = {
					...context,
					target: { sessionId: a, title: b },
					conversation: { ...context.conversation, messages: [{ ...message, text: c }] },
					activity: {
						turn: { state: "open" },
						step: { state: "open" },
						tools: [{ name: a, status: "error", time: 0, call: b }],
					},
				};
				await picker.press(...(isLook ? [PRESS.enter] : [PRESS.down, PRESS.copy]));
				for (const line of picker.drawn(width)) expect(visibleWidth(line)).toBeLessThanOrEqual(width);
				expect(picker.screen(width).join("")).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
				picker.picker.dispose();
			},
		),
		{ numRuns: 200 },
	);
});
