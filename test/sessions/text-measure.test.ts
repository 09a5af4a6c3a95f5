/**
 * Sizes of JSON strings, counted without decoding them.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findStringEnd, TextMeasure } from "../../lib/sessions/log/json-bytes.ts";
import { hardText } from "../support/logs/random-content.ts";
import { renderJson } from "../support/logs/render-json.ts";
import { cuts, sliceAt } from "./byte-slices.ts";

const escapes = fc.constantFrom("none", "wide", "every", "everyUpperCase", "slashes");

/** A JSON string without its opening quote, and more bytes behind it. */
const jsonString = fc
	.tuple(hardText, escapes, fc.constantFrom("", ',"more":"\\u00e9"}', '""'))
	.map(([text, style, rest]) => {
		const raw = renderJson(text, { spaced: false, escapes: style, escapedKeys: false }).slice(1);
		return { text, length: Buffer.byteLength(raw), bytes: Buffer.from(raw + rest) };
	});

/** Takes slices up to the closing quote; returns the number of bytes before it, or -1. */
function takeAll(measure: TextMeasure, slices: readonly Buffer[]): number {
	let taken = 0;
	for (const slice of slices) {
		const close = measure.take(slice, 0, slice.length);
		if (close >= 0) return taken + close;
		taken += slice.length;
	}
	return -1;
}

describe("the measure of a text", () => {
	test("is the UTF-8 size of the decoded, well-formed text, wherever the string was cut into slices", () => {
		fc.assert(
			fc.property(jsonString, cuts, ({ text, length, bytes }, fractions) => {
				const measure = new TextMeasure();
				expect(takeAll(measure, sliceAt(bytes, fractions))).toBe(length - 1);
				expect(measure.trusted).toBe(true);
				expect(measure.bytes).toBe(Buffer.byteLength(text.toWellFormed()));
			}),
			{ numRuns: 1000 },
		);
	});

	test("ends where the search for the closing quote ends", () => {
		fc.assert(
			fc.property(jsonString, ({ length, bytes }) => {
				expect(findStringEnd(bytes, 0, bytes.length)).toBe(length - 1);
				expect(findStringEnd(bytes, 0, length - 1)).toBe(-1);
			}),
			{ numRuns: 1000 },
		);
	});

	test("starts anew after a reset, whatever came before", () => {
		fc.assert(
			fc.property(jsonString, jsonString, cuts, (before, { text, bytes }, fractions) => {
				const measure = new TextMeasure();
				const [slice] = sliceAt(before.bytes, fractions);
				if (slice) measure.take(slice, 0, slice.length);
				measure.reset();
				takeAll(measure, [bytes]);
				expect([measure.trusted, measure.bytes]).toEqual([true, Buffer.byteLength(text.toWellFormed())]);
			}),
			{ numRuns: 500 },
		);
	});

	test("is not trusted for bytes that are no UTF-8, wherever the string was cut into slices", () => {
		const broken = fc.constantFrom(
			...[[0xff], [0xc3], [0x80], [0xed, 0xa0, 0xbd], [0xe2, 0x82], [0xf0, 0x9f, 0x99], [0xf8, 0x88, 0x80, 0x80]],
		);
		const around = fc.constantFrom("", "a", "é", "日本", "🙂", "\\n", "x".repeat(100));
		fc.assert(
			fc.property(around, broken, around, cuts, (before, bytes, after, fractions) => {
				const string = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(`${after}"`)]);
				const measure = new TextMeasure();
				takeAll(measure, sliceAt(string, fractions));
				expect(measure.trusted).toBe(false);
			}),
			{ numRuns: 1000 },
		);
	});

	test.each(["\n", "\u0000", "\u001f", "\\x", "\\u12", "\\uzzzz", "\\u00g0"])(
		"is not trusted for %j, which no JSON writer leaves in a string",
		(wrong) => {
			for (const before of ["", "y".repeat(10)]) {
				const measure = new TextMeasure();
				takeAll(measure, [Buffer.from(`${before}${wrong}z"`)]);
				expect(measure.trusted).toBe(false);
			}
		},
	);
});
