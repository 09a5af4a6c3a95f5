import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitTexts, serializedBytes, serializedTextBytes, tagSafeJson } from "../../lib/projection/serialization.ts";
import { captureText, keptBytes, omittedBytes, renderText } from "../../lib/projection/text.ts";
import { nastyText, sizeOf } from "./captures.ts";

const costOf = (text: string): number => sizeOf(tagSafeJson(text)) - 2;

describe("tag-safe JSON", () => {
	it("has no way to spell a tag or to break its line, in values and in keys", () => {
		const json = tagSafeJson({ "</a>": "<script>\u2028\u2029\n" });
		expect(json).toBe('{"\\u003c/a>":"\\u003cscript>\\u2028\\u2029\\n"}');
		expect(JSON.parse(json)).toEqual({ "</a>": "<script>\u2028\u2029\n" });
	});

	it("reads back as the value it was made from", () => {
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				const json = tagSafeJson(value);
				expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
				expect(json).not.toMatch(/[<\n\u2028\u2029]/);
				expect(serializedBytes(value)).toBe(sizeOf(json));
			}),
		);
	});

	it.each([
		"<",
		'"',
		"\\",
		"\n",
		"\b",
		"\u0000",
		"\u001f",
		"\u007f",
		"/",
		"é",
		"€",
		"\u2028",
		"\u2029",
		"\uffff",
		"😀",
	])("knows the exact cost of %j", (character) => {
		expect(serializedTextBytes(character)).toBe(costOf(character));
	});

	it("knows the exact cost of any text", () => {
		fc.assert(
			fc.property(nastyText, (text) => {
				expect(serializedTextBytes(text)).toBe(costOf(text));
			}),
		);
	});
});

describe("fitting texts into a serialized budget", () => {
	it("leaves texts alone that fit", () => {
		const texts = [captureText("<".repeat(10)), captureText("abc")];
		expect(fitTexts(texts, 63)).toEqual(texts);
	});

	it("cuts the dearest and spares the cheap, whatever their source size", () => {
		const cheap = captureText("x".repeat(900));
		const dear = captureText("<".repeat(400));
		const fitted = fitTexts([cheap, dear], 2000) ?? [];
		expect(fitted[0]).toEqual(cheap);
		expect(keptBytes(fitted[1] ?? cheap)).toBeLessThan(400);
		expect(costOf(fitted.map(renderText).join(""))).toBeLessThanOrEqual(2000);
	});

	it("brings several long texts to the same level", () => {
		const fitted =
			fitTexts(
				["<", "<", '"'].map((unit) => captureText(unit.repeat(3000))),
				6000,
			) ?? [];
		for (const text of fitted) {
			expect(costOf(renderText(text))).toBeLessThanOrEqual(2000);
			expect(costOf(renderText(text))).toBeGreaterThan(1980);
		}
	});

	it("gives the room that one end doesn't need to the other", () => {
		const held = { bytes: 9000, head: "a".repeat(100), tail: "<".repeat(1000) };
		const [text] = fitTexts([held], 1000) ?? [];
		expect(text?.head).toBe(held.head);
		expect(costOf(renderText(text ?? held))).toBeGreaterThan(980);
		const mirrored = { bytes: 9000, head: held.tail, tail: held.head };
		const [other] = fitTexts([mirrored], 1000) ?? [];
		expect(other?.tail).toBe(held.head);
		expect(costOf(renderText(other ?? mirrored))).toBeGreaterThan(980);
	});

	it("refuses rather than blank a text", () => {
		expect(fitTexts([captureText("<".repeat(100))], 30)).toBeNull();
		expect(fitTexts([captureText("a")], 0)).toBeNull();
		expect(fitTexts([], -1)).toBeNull();
		expect(fitTexts([], 0)).toEqual([]);
	});

	it("keeps the budget, exact counts, real ends and a part of every text, for any texts", () => {
		fc.assert(
			fc.property(fc.array(nastyText, { minLength: 1, maxLength: 8 }), fc.nat(4096), (sources, extra) => {
				const budget = sources.length * 100 + extra;
				const fitted =
					fitTexts(
						sources.map((source) => captureText(source, 4096)),
						budget,
					) ?? [];
				expect(fitted).toHaveLength(sources.length);
				expect(fitted.reduce((sum, text) => sum + costOf(renderText(text)), 0)).toBeLessThanOrEqual(budget);
				for (const [index, text] of fitted.entries()) {
					const source = sources[index] ?? "";
					expect(source.startsWith(text.head) && source.endsWith(text.tail)).toBe(true);
					expect(omittedBytes(text)).toBe(sizeOf(source) - sizeOf(text.head) - sizeOf(text.tail));
					expect(keptBytes(text)).toBeGreaterThan(0);
				}
			}),
		);
	});

	it("keeps the budget for thousands of texts, empty ones among them", () => {
		const texts = Array.from({ length: 4000 }, (_, index) => captureText("<b>".repeat(index % 300)));
		const fitted = fitTexts(texts, 4000 * 120) ?? [];
		expect(fitted.reduce((sum, text) => sum + costOf(renderText(text)), 0)).toBeLessThanOrEqual(4000 * 120);
	});
});
