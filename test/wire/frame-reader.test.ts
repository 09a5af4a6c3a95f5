/** Frames out of bytes: exact bounds, strict UTF-8, and independence from how the bytes were split. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FrameItem, FrameReader } from "../../lib/wire/frame-reader.ts";

const BOUND = 1_048_576;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const byteOrderMark = Uint8Array.of(0xef, 0xbb, 0xbf);
const frame = (text: string): FrameItem => ({ type: "frame", text });
const fault = (kind: "too_large" | "bad_utf8" | "unfinished"): FrameItem => ({ type: "fault", fault: kind });

function join(...parts: Uint8Array[]): Uint8Array {
	return new Uint8Array(Buffer.concat(parts));
}

/** Reads `input` in chunks of the given sizes (the last one takes the rest) and says that it ended. */
function readInChunks(input: Uint8Array, sizes: readonly number[], maxBytes = BOUND): FrameItem[] {
	const reader = new FrameReader(maxBytes);
	const items: FrameItem[] = [];
	let start = 0;
	for (const size of [...sizes, input.length]) {
		items.push(...reader.push(input.subarray(start, start + size)));
		start += size;
	}
	return [...items, ...reader.end()];
}

const read = (input: Uint8Array, maxBytes = BOUND): FrameItem[] => readInChunks(input, [], maxBytes);

describe("cutting frames", () => {
	it("gives several frames of one chunk as several frames, in order", () => {
		expect(read(bytes("one\ntwo\n\nthree\n"))).toEqual([frame("one"), frame("two"), frame(""), frame("three")]);
	});

	it("puts a frame together that comes byte by byte", () => {
		const input = bytes("grüße 🧭\n");
		expect(readInChunks(input, new Array(input.length).fill(1))).toEqual([frame("grüße 🧭")]);
	});

	it("gives the good frames before a bad one in the same chunk", () => {
		expect(read(join(bytes("good\nalso good\n"), Uint8Array.of(0xff, 0x0a), bytes("never\n")))).toEqual([
			frame("good"),
			frame("also good"),
			fault("bad_utf8"),
		]);
	});

	it("looks at nothing after a fault", () => {
		const reader = new FrameReader();
		reader.push(Uint8Array.of(0xff));
		expect(reader.push(bytes("late\n"))).toEqual([]);
		expect(reader.end()).toEqual([]);
	});

	it("calls bytes without a line feed unfinished, and no bytes an end", () => {
		expect(read(bytes("whole\nhalf"))).toEqual([frame("whole"), fault("unfinished")]);
		expect(read(bytes("whole\n"))).toEqual([frame("whole")]);
	});
});

describe("the bound of a frame", () => {
	it.each([
		["ASCII", "a".repeat(BOUND - 1)],
		["multi-byte text", "€".repeat((BOUND - 1) / 3)],
	])("takes exactly 1,048,576 bytes of %s with the line feed", (_, text) => {
		expect(bytes(`${text}\n`).length).toBe(BOUND);
		expect(read(bytes(`${text}\n`))).toEqual([frame(text)]);
	});

	it("refuses one byte more", () => {
		expect(read(bytes(`${"a".repeat(BOUND)}\n`))).toEqual([fault("too_large")]);
	});

	it("counts a first byte order mark, which is not part of the text", () => {
		const exact = join(byteOrderMark, bytes(`${"a".repeat(BOUND - 4)}\n`));
		expect(exact.length).toBe(BOUND);
		expect(read(exact)).toEqual([frame("a".repeat(BOUND - 4))]);
		expect(read(join(byteOrderMark, bytes(`${"a".repeat(BOUND - 3)}\n`)))).toEqual([fault("too_large")]);
	});

	it("counts an unfinished multi-byte tail", () => {
		const tail = Uint8Array.of(0xf0, 0x9f, 0xa7);
		expect(read(join(bytes("a".repeat(BOUND - 4)), tail))).toEqual([fault("unfinished")]);
		expect(read(join(bytes("a".repeat(BOUND - 3)), tail))).toEqual([fault("too_large")]);
	});

	it("refuses a frame as soon as it can't end within the bound", () => {
		const reader = new FrameReader();
		expect(reader.push(bytes("a".repeat(BOUND - 1)))).toEqual([]);
		expect(reader.push(bytes("a"))).toEqual([fault("too_large")]);
	});

	it("starts anew for each frame", () => {
		const text = "b".repeat(9);
		expect(read(bytes(`${text}\n${text}\n`), 10)).toEqual([frame(text), frame(text)]);
	});
});

describe("strict UTF-8", () => {
	it.each([
		["a stray continuation", [0x80]],
		["an overlong slash", [0xc0, 0xaf]],
		["a surrogate", [0xed, 0xa0, 0x80]],
		["beyond the last code point", [0xf4, 0x90, 0x80, 0x80]],
		["a sequence cut by the line feed", [0xe2, 0x82]],
	])("refuses %s", (_, sequence) => {
		expect(read(join(bytes("ok\n"), Uint8Array.from([0x61, ...sequence, 0x0a])))).toEqual([
			frame("ok"),
			fault("bad_utf8"),
		]);
	});

	it("takes only the first byte order mark of the stream for one", () => {
		const input = join(byteOrderMark, bytes("one\n"), byteOrderMark, bytes("two\n"));
		expect(readInChunks(input, [1, 1, 3, 1])).toEqual([frame("one"), frame("\ufefftwo")]);
	});
});

describe("any split of any bytes", () => {
	const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 60 });

	it("gives back the lines that were put in", () => {
		const texts = fc.array(
			fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.replaceAll("\n", "").replaceAll("\ufeff", "")),
			{ maxLength: 6 },
		);
		fc.assert(
			fc.property(texts, sizes, (lines, chunks) => {
				const input = bytes(lines.map((text) => `${text}\n`).join(""));
				expect(readInChunks(input, chunks)).toEqual(lines.map(frame));
			}),
		);
	});

	it("gives the same frames and the same first fault, whatever the split", () => {
		const piece = fc.oneof(
			fc.constantFrom(Uint8Array.of(0x0a), byteOrderMark, bytes("€"), bytes("🧭"), Uint8Array.of(0xe2, 0x82)),
			fc.uint8Array({ maxLength: 5 }),
			fc.string({ maxLength: 5 }).map(bytes),
		);
		const inputs = fc.array(piece, { maxLength: 12 }).map((pieces) => join(...pieces));
		fc.assert(
			fc.property(inputs, sizes, (input, chunks) => {
				expect(readInChunks(input, chunks, 16)).toEqual(read(input, 16));
			}),
			{ numRuns: 500 },
		);
	});
});
