import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPrintableLine, printableLine } from "../../lib/projection/printable.ts";

describe("printable lines", () => {
	it.each([
		{ name: "a plain text stays", text: "Fix the parser", line: "Fix the parser" },
		{ name: "line breaks and tabs become one space", text: " a\r\n\tb\u2028c\u2029d\u0085e ", line: "a b c d e" },
		{ name: "wide and no-break spaces become plain ones", text: "a\u00a0\u3000b", line: "a b" },
		{ name: "colour sequences vanish whole", text: "\u001b[31;1mred\u001b[0m", line: "red" },
		{ name: "8-bit control sequences vanish whole", text: "a\u009b2Jb", line: "ab" },
		{ name: "hyperlinks leave their words", text: "\u001b]8;;http://x\u001b\\here\u001b]8;;\u0007", line: "here" },
		{ name: "an unfinished sequence loses its escape", text: "a\u001b[", line: "a [" },
		{ name: "bidirectional overrides and isolates vanish", text: "a\u202egpj\u202c\u2066b\u2069", line: "agpjb" },
		{ name: "zero-width characters and a BOM vanish", text: "\ufeffa\u200bb\u200dc\u00ad", line: "abc" },
		{ name: "backspace and delete can't eat what stands before", text: "ab\b\u007fc", line: "ab c" },
		{ name: "a lone surrogate becomes the replacement character", text: "a\ud800b", line: "a\ufffdb" },
		{ name: "nothing printable leaves nothing", text: "\u001b[0m \n\u200b", line: "" },
	])("$name", ({ text, line }) => {
		expect(printableLine(text, 200)).toBe(line);
	});

	it("cuts by code points, never through an emoji, and leaves no space at the cut", () => {
		expect(printableLine("😀😀😀", 2)).toBe("😀😀");
		expect(printableLine("ab cd", 3)).toBe("ab");
		expect(printableLine("abc", 3)).toBe("abc");
		expect(printableLine("abc", 0)).toBe("");
	});

	it("is one bounded, well-formed line without controls for any text", () => {
		const unit = fc.constantFrom(
			"\u001b",
			"[",
			"]",
			"3",
			"m",
			"\u0007",
			"\u009b",
			"\u009d",
			"\\",
			" ",
			"a",
			"\u202e",
			"😀",
		);
		const text = fc.oneof(fc.string({ unit }), fc.string({ unit: "binary" }));
		fc.assert(
			fc.property(text, fc.nat(50), (source, limit) => {
				const line = printableLine(source, limit);
				expect([...line].length).toBeLessThanOrEqual(limit);
				expect(isPrintableLine(line)).toBe(true);
				expect(printableLine(line, limit)).toBe(line);
				expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]| {2}|^ | $/u);
			}),
		);
	});

	it("stays linear on a megabyte of unfinished sequences", () => {
		for (const start of ["\u009d", "\u001b]", "\u001b[", "\u009b0", "\u001b[0 "]) {
			expect([...printableLine(start.repeat(300_000), 64)].length).toBeLessThanOrEqual(64);
		}
	});
});

describe("a line that others wrote", () => {
	it("is printable as it stands when nothing in it hides or moves", () => {
		for (const text of ["größer", "日本語", "👩‍🚀 parser", "नमस्ते", ""]) expect(isPrintableLine(text)).toBe(true);
		for (const text of ["\u001b[2J", "a\nb", "a\u202eb", "a\u200bb", "\ud83e", "a\u2028b", "\u009b"]) {
			expect(isPrintableLine(text)).toBe(false);
		}
	});
});
