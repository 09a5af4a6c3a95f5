import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	captureText,
	cutToBytes,
	keptBytes,
	omissionNotice,
	omittedBytes,
	renderText,
	utf8Bytes,
	wellFormedText,
} from "../../lib/projection/text.ts";
import { nastyText, sizeOf } from "./captures.ts";

describe("captured text", () => {
	it("counts UTF-8 bytes, a lone surrogate as the replacement character it becomes", () => {
		expect(utf8Bytes("aé€😀")).toBe(10);
		expect(captureText("a\ud83d")).toEqual({ bytes: 4, head: "a\ufffd", tail: "" });
		expect(captureText("\ude00z")).toEqual({ bytes: 4, head: "\ufffdz", tail: "" });
	});

	it("repairs ends that a reader handed over ill-formed without changing any size", () => {
		const repaired = wellFormedText({ bytes: 100, head: "a\ud83d", tail: "\ude00b" });
		expect(repaired).toEqual({ bytes: 100, head: "a\ufffd", tail: "\ufffdb" });
		expect(omittedBytes(repaired)).toBe(92);
	});

	it.each([
		{ name: "a text of exactly the limit stays whole", source: "abcdefgh", limit: 8, head: "abcdefgh", tail: "" },
		{ name: "one byte too many cuts to two halves", source: "abcdefghi", limit: 8, head: "abcd", tail: "fghi" },
		{ name: "an odd limit gives each end its strict half", source: "abcdefghij", limit: 7, head: "abc", tail: "hij" },
		{
			name: "an emoji across the head's border is left out",
			source: "abc😀defghij",
			limit: 12,
			head: "abc",
			tail: "efghij",
		},
		{
			name: "an emoji that ends at the head's border stays",
			source: "ab😀cdefghij",
			limit: 12,
			head: "ab😀",
			tail: "efghij",
		},
		{
			name: "an emoji across the tail's border is left out",
			source: "abcdefg😀hij",
			limit: 12,
			head: "abcdef",
			tail: "hij",
		},
		{
			name: "an emoji that begins at the tail's border stays",
			source: "abcdefgh😀ij",
			limit: 12,
			head: "abcdef",
			tail: "😀ij",
		},
		{ name: "three-byte characters are counted in bytes", source: "€€€€€", limit: 12, head: "€€", tail: "€€" },
		{ name: "two-byte characters are counted in bytes", source: "ééééé", limit: 6, head: "é", tail: "é" },
		{ name: "no room for one code point keeps nothing", source: "😀😀😀", limit: 7, head: "", tail: "" },
	])("$name", ({ source, limit, head, tail }) => {
		const cut = captureText(source, limit);
		expect(cut).toEqual({ bytes: sizeOf(source), head, tail });
		expect(omittedBytes(cut)).toBe(sizeOf(source) - sizeOf(head) - sizeOf(tail));
	});

	it("shows what is missing right where it is missing, with the exact number of source bytes", () => {
		expect(renderText(captureText("abc😀defghij", 12))).toBe("abc\n[… 5 bytes omitted …]\nefghij");
		expect(renderText({ bytes: 5, head: "abc", tail: "de" })).toBe("abcde");
		expect(omissionNotice(12345)).toBe("\n[… 12345 bytes omitted …]\n");
	});

	it("keeps a prefix and a suffix within the limit, and never more than three bytes an end under it", () => {
		fc.assert(
			fc.property(nastyText, fc.integer({ min: 0, max: 9000 }), (source, limit) => {
				const cut = captureText(source, limit);
				expect(source.startsWith(cut.head)).toBe(true);
				expect(source.endsWith(cut.tail)).toBe(true);
				expect(cut.head.isWellFormed() && cut.tail.isWellFormed()).toBe(true);
				expect(keptBytes(cut)).toBeLessThanOrEqual(Math.min(limit, sizeOf(source)));
				expect(keptBytes(cut)).toBeGreaterThanOrEqual(Math.min(sizeOf(source), limit - 7));
				expect(omittedBytes(cut)).toBe(sizeOf(source) - sizeOf(cut.head) - sizeOf(cut.tail));
			}),
		);
	});

	it("holds each end to its half also when the ends that are held would fit together", () => {
		const held = captureText("€€aaaaaa€😀", 8);
		expect(held).toMatchObject({ head: "€", tail: "😀" });
		expect(cutToBytes(held, 7)).toMatchObject({ head: "€", tail: "" });
		expect(cutToBytes(held, 7)).toEqual(captureText("€€aaaaaa€😀", 7));
	});

	it("gives the same when cut in two steps as when cut at once", () => {
		fc.assert(
			fc.property(nastyText, fc.nat(8000), fc.nat(8000), (source, one, other) => {
				const [small, large] = [Math.min(one, other), Math.max(one, other)];
				expect(cutToBytes(captureText(source, large), small)).toEqual(captureText(source, small));
			}),
		);
	});
});
