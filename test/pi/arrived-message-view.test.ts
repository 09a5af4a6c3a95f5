/** A message of another session on the screen: one line or all of it, at every width, with nothing the terminal obeys. */
import { visibleWidth } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { IncomingMessage } from "../../lib/inbox/inbox.ts";
import { peerPaths } from "../../lib/peers/paths.ts";
import { toArrivedMessage } from "../../lib/pi/arrived-message.ts";
import { renderArrivedMessage } from "../../lib/pi/arrived-message-view.ts";
import { registrationFor } from "../peers/temporary-peers.ts";

const plain = { fg: (_color: string, text: string) => text, bold: (text: string) => text };
const instanceId = "0123456789abcdef".repeat(2);

function arrived(changes: { text?: string; summary?: string; name?: string } = {}) {
	const { text = "the whole text", summary = "the summary", name = "parser" } = changes;
	const sender = registrationFor(peerPaths("/agent"), { instanceId, name, id: "session-1", cwd: "/home/日本語" });
	const times = { sentAt: 1_000, expiresAt: 31_000 };
	const message: IncomingMessage = {
		messageId: "m",
		text,
		summary,
		...times,
		sender,
		capabilities: [],
		mode: "accept",
	};
	return toArrivedMessage(message);
}

/** What is drawn, by pi's own measure of a line's width. */
function draw(message: { content: unknown; details?: unknown }, expanded: boolean, width: number): string[] {
	const lines = renderArrivedMessage(message, { expanded, outputPad: 0 }, plain)?.render(width) ?? [];
	for (const line of lines) expect(visibleWidth(line)).toBeLessThanOrEqual(width);
	return lines;
}

test("folded it is one line: who, and what about", () => {
	expect(draw(arrived(), false, 80)).toEqual(["› Message from @parser: the summary"]);
});

test("it stands as far from the edge as pi's own texts", () => {
	const folded = renderArrivedMessage(arrived(), { expanded: false }, plain)?.render(80);
	expect(folded).toEqual([" › Message from @parser: the summary"]);
});

test("expanded it also shows where it comes from and the whole text, line by line behind an edge", () => {
	const lines = draw(arrived({ text: "first\n\n  second\tcolumn" }), true, 80);
	expect(lines).toEqual([
		"› Message from @parser: the summary",
		"  [01234567] · session session-1 · /home/日本語",
		"  first",
		"  ",
		"    second    column",
	]);
});

const hostile = "\u001b[2J\u001b]0;title\u0007\u202egnp\u0000\u009b31m\u200b";

test.each([40, 80, 120, 200])(
	"at %d columns nothing that a terminal obeys is drawn, and no line is too long",
	(width) => {
		const text = `${hostile}日本語のとても長い文章${"漢字".repeat(120)} ${"word ".repeat(60)}👩‍👩‍👧‍👦 end`;
		const message = arrived({ text, summary: `${hostile}${"要約".repeat(60)}`, name: `${"名".repeat(90)}` });
		expect(draw(message, false, width)).toHaveLength(1);
		const drawn = draw(message, true, width);
		expect(drawn.length).toBeGreaterThan(5);
		expect(drawn.join("\n")).not.toMatch(/[^\P{Cc}\n]|[\u200b\u202e]/u);
		expect(drawn.at(-1)).toContain("end");
	},
);

test("holds for any text, name and summary at any width", () => {
	const text = fc.string({ unit: "binary", minLength: 1, maxLength: 300 });
	const property = fc.property(text, text, fc.integer({ min: 40, max: 200 }), (body, summary, width) => {
		const drawn = draw(arrived({ text: body, summary }), true, width).join("\n");
		expect(drawn).not.toMatch(/[^\P{Cc}\n]/u);
	});
	fc.assert(property, { numRuns: 60 });
});

test("a very long text is drawn to a bound, and the rest is counted", () => {
	const lines = draw(arrived({ text: `${"x".repeat(16_384)}${"z".repeat(1_000)}` }), true, 80);
	expect(lines.at(-1)).toBe("  … 1000 more characters");
	expect(lines.join("")).not.toContain("z");
});

describe("what is no message of this package", () => {
	test.each([
		["without details", { content: "text" }],
		["with details of another kind", { content: "text", details: { version: 2 } }],
		["whose content is no text", { ...arrived(), content: [{ type: "text", text: "x" }] }],
	])("%s is left to pi", (_name, message) => {
		expect(renderArrivedMessage(message, { expanded: false }, plain)).toBeUndefined();
	});
});
