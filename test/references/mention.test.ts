import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	encodeSessionReferenceUri,
	formatSessionReferenceMention,
	parseSessionReferenceMentions,
	parseSessionReferenceText,
} from "../../lib/references/index.ts";
import { MENTIONS, READ_TEXTS, REFUSED_TEXTS } from "./foreign-cases.ts";

const invalidReference = expect.objectContaining({ code: "SESSION_REFERENCE_INVALID_REFERENCE" });

const anyString = fc.oneof(
	fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
	fc.string({ unit: fc.constantFrom("\\", "]", "[", "(", ")", "@", "\n", "\ud83d", "a", "dsh-session:") }),
);

describe("a mention", () => {
	test.each(MENTIONS)("of $sessionId is written as other harnesses write it: $mention", (expected) => {
		const { sessionId, label, mention, shown, readLabel } = expected;
		expect(formatSessionReferenceMention({ sessionId, label })).toBe(mention);
		const read = { text: `pre ${shown} post`, references: [{ sessionId, label: readLabel }] };
		expect(parseSessionReferenceText(`pre ${mention} post`)).toEqual(read);
		expect(parseSessionReferenceMentions(`pre ${mention} post`)).toEqual(read);
	});

	test("reads back as the reference it was made of, whatever id and label hold", () => {
		fc.assert(
			fc.property(anyString, anyString, (sessionId, label) => {
				const mention = formatSessionReferenceMention({ sessionId, label });
				const read = { text: `a @${label} b`, references: [{ sessionId, label }] };
				expect(parseSessionReferenceText(`a ${mention} b`)).toEqual(read);
				expect(parseSessionReferenceMentions(`a ${mention} b`)).toEqual(read);
			}),
		);
	});

	test("escapes nothing in a label but backslashes and closing brackets", () => {
		const label = "a\\b]c[d(e)f*g_h`i<j>\n";
		expect(formatSessionReferenceMention({ sessionId: "x", label })).toContain("@[a\\\\b\\]c[d(e)f*g_h`i<j>\n](");
	});

	test("keeps a backslash that escapes nothing", () => {
		expect(parseSessionReferenceText(`@[C:\\notes](${encodeSessionReferenceUri("x")})`)).toEqual({
			text: "@C:\\notes",
			references: [{ sessionId: "x", label: "C:\\notes" }],
		});
	});

	test("with a malformed URI names its label in the error", () => {
		expect(() => parseSessionReferenceText("see @[the\ndraft](dsh-session:bad)")).toThrow(
			expect.objectContaining({ label: "the\ndraft", message: expect.stringContaining("@the draft: ") }),
		);
	});
});

describe("a text", () => {
	test.each(READ_TEXTS)("reads %j as other harnesses read it", (text, reads, references) => {
		expect(parseSessionReferenceText(text)).toEqual({
			text: reads,
			references: references.map(([sessionId, label]) => ({ sessionId, label })),
		});
	});

	test.each(REFUSED_TEXTS)("is refused as other harnesses refuse it: %j", (text) => {
		expect(() => parseSessionReferenceText(text)).toThrow(invalidReference);
	});

	test("keeps its references in order, duplicates and mixed spellings included", () => {
		const [first, second] = [encodeSessionReferenceUri("one"), encodeSessionReferenceUri("two")];
		expect(parseSessionReferenceText(`${second} @[1](${first}) ${first} @[2](${second})`)).toEqual({
			text: "@two @1 @one @2",
			references: [
				{ sessionId: "two", label: "two" },
				{ sessionId: "one", label: "1" },
				{ sessionId: "one", label: "one" },
				{ sessionId: "two", label: "2" },
			],
		});
	});

	test("without the scheme comes back unchanged", () => {
		const text = fc.string({ unit: fc.constantFrom("@[", "]", "](", ")", "\\", "dsh-session", ":", "x", " ", "\n") });
		fc.assert(
			fc.property(
				text.filter((candidate) => !candidate.includes("dsh-session:")),
				(unchanged) => {
					expect(parseSessionReferenceText(unchanged)).toEqual({ text: unchanged, references: [] });
				},
			),
		);
	});

	test("read for mentions only keeps bare URIs, valid or not, as text", () => {
		const uri = encodeSessionReferenceUri("x");
		for (const text of [uri, "dsh-session:foo is a scheme", `[x](${uri})`, `@[A](${uri} )`, `\`${uri}\``]) {
			expect(parseSessionReferenceMentions(text)).toEqual({ text, references: [] });
		}
		expect(() => parseSessionReferenceMentions("@[A](dsh-session:foo)")).toThrow(invalidReference);
	});

	test.each([
		["openings", "@["],
		["openings of mentions that never end", "@[a](dsh-session:"],
		["escapes", "@[\\\\\\]"],
		["schemes", "dsh-session:"],
	])("of nothing but %s is read in time that grows with its length", (_what, piece) => {
		// Searching to the end from each of them would take many minutes here.
		const text = piece.repeat(1_000_000);
		expect(parseSessionReferenceMentions(text).text).toBe(text);
	});
});
