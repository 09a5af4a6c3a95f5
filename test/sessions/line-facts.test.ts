/**
 * One line, read in three ways: straight from its bytes, by a parse, and by a parse of a copy without long strings. All
 * three must come to the same facts.
 */
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { utf8Bytes } from "../../lib/projection/text.ts";
import { nothingElided, readEntryFacts } from "../../lib/sessions/log/entry-facts.ts";
import { EntryIds } from "../../lib/sessions/log/entry-ids.ts";
import { textBlocks } from "../../lib/sessions/log/entry-text.ts";
import { asRecord, parseObject } from "../../lib/sessions/log/json-object.ts";
import { LineFacts } from "../../lib/sessions/log/line-facts.ts";
import { type FindElided, LineFilter } from "../../lib/sessions/log/line-filter.ts";
import { LineStructure } from "../../lib/sessions/log/line-structure.ts";
import { LongLine } from "../../lib/sessions/log/long-line.ts";
import { randomLog } from "../support/logs/random-tree.ts";
import { cuts, sliceAt } from "./byte-slices.ts";

vi.setConfig({ testTimeout: 60_000 });

/** The complete lines of a random log, as bytes, without their line feeds and the white space before them. */
const logLines: fc.Arbitrary<Buffer[]> = randomLog({ versions: [3, 2] }).map(({ bytes }) => {
	const lines: Buffer[] = [];
	for (let start = 0, feed = bytes.indexOf(10); feed >= 0; feed = bytes.indexOf(10, start)) {
		let end = feed;
		while (end > start && (bytes[end - 1] ?? 0) <= 32) end--;
		if (end > start) lines.push(bytes.subarray(start, end));
		start = feed + 1;
	}
	return lines;
});

function parsedFacts(line: Buffer, ids: EntryIds): LineFacts | null {
	const facts = new LineFacts();
	const value = parseObject(line.toString("utf8"));
	return value && readEntryFacts(value, nothingElided, ids, facts, false) ? facts : null;
}

describe("a line read from its bytes", () => {
	test("has the facts of the parsed line whenever its shape is known", () => {
		let known = 0;
		fc.assert(
			fc.property(logLines, (lines) => {
				const ids = new EntryIds();
				const structure = new LineStructure(ids);
				for (const line of lines) {
					const facts = new LineFacts();
					const parsed = parsedFacts(line, ids);
					// What doesn't parse may look whole; such lines are found out when they are loaded.
					if (!structure.read(line, 0, line.length, facts) || !parsed) continue;
					known++;
					expect({ line: line.toString("utf8"), facts }).toEqual({ line: line.toString("utf8"), facts: parsed });
				}
			}),
			{ numRuns: 150 },
		);
		expect(known).toBeGreaterThan(300);
	});
});

describe("a message with one byte changed", () => {
	const structure = '"id":"0a1b2c3d","parentId":"00000001","timestamp":"2026-04-01T12:00:00.000Z"';
	const usage = '"usage":{"input":6,"output":3,"cost":{"total":0.02}}';
	const call = ',"id":"c","name":"d","arguments":{"e":"\\"}],\\""}}';
	const messages = [
		'"role":"user","content":"a \\"b\\" c","timestamp":1772355671746',
		'"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"\\u00e9\\n"}],"timestamp":1772355671746',
		`"role":"assistant","content":[{"type":"text","text":"x"}],"api":"a","stopReason":"stop","timestamp":0,"more":null`,
		`"role":"assistant","content":[],${usage},"stopReason":"error","errorMessage":"{\\\\}"`,
		`"role":"assistant","content":[{"type":"toolCall"${call}],"api":"a","stopReason":"toolUse","timestamp":0`,
	];
	// Bytes that mean something in JSON, or in what is looked for.
	const bytes = fc.constantFrom(...Buffer.from('"\\{}[]:,0123456789abcdefghx -.eEtn\0\x1f\x7f\xc3\xff', "latin1"));

	test.each(messages)("%s: has the facts of the parsed line, or is not known", (message) => {
		const whole = Buffer.from(`{"type":"message",${structure},"message":{${message}}}`);
		const isWithin = (at: number, part: string, skipped: number) =>
			whole.includes(part) && at >= whole.indexOf(part) + skipped && at < whole.indexOf(part) + part.length;
		const unseen = (at: number) => isWithin(at, usage, '"usage":{'.length) || isWithin(at, call, 0);
		fc.assert(
			fc.property(fc.nat(whole.length - 1), bytes, (at, byte) => {
				const line = Buffer.from(whole);
				line[at] = byte;
				const ids = new EntryIds();
				const facts = new LineFacts();
				if (!new LineStructure(ids).read(line, 0, line.length, facts)) return;
				const parsed = parsedFacts(line, ids);
				if (parsed === null) expect(unseen(at), line.toString("latin1")).toBe(true);
				else expect(facts).toEqual(parsed);
			}),
			{ numRuns: 4000, examples: [[whole.length - 1, 0x7d]] },
		);
	});

	test.each(messages)("%s: is known as it is", (message) => {
		const whole = Buffer.from(`{"type":"message",${structure},"message":{${message}}}`);
		expect(new LineStructure(new EntryIds()).read(whole, 0, whole.length, new LineFacts())).toBe(true);
	});
});

/** A line of an assistant message, as pi writes it but for its content and what stands behind that. */
function assistantLine(content: unknown, rest = '"api":"a","stopReason":"toolUse","timestamp":0'): Buffer {
	const place = '"id":"0a1b2c3d","parentId":"00000001","timestamp":"2026-04-01T12:00:00.000Z"';
	const message = `{"role":"assistant","content":${JSON.stringify(content)},${rest}}`;
	return Buffer.from(`{"type":"message",${place},"message":${message}}`);
}

function toolCall(callArguments: unknown): Record<string, unknown> {
	return { type: "toolCall", id: "call-1", name: "write", arguments: callArguments };
}

/** The facts that a line's bytes tell, and those of the parsed line. */
function bothFacts(line: Buffer): { read: LineFacts | null; parsed: LineFacts | null } {
	const ids = new EntryIds();
	const facts = new LineFacts();
	const read = new LineStructure(ids).read(line, 0, line.length, facts) ? facts : null;
	return { read, parsed: parsedFacts(line, ids) };
}

describe("a message with tool calls", () => {
	const text = { type: "text", text: "a text" };
	const call = toolCall({ content: 'say "}],\\"api\\":\\"" and }}],{"type":"text"' });
	const contents: Record<string, unknown[]> = {
		"of which the last is its end": [text, call],
		"and nothing in them": [toolCall({})],
		"of which there are several": [call, call, call],
		"and a text behind them": [call, text],
		"with objects in an array": [toolCall({ edits: [{ old: "a" }, { old: "b" }] })],
		"with an object that looks like a text": [toolCall({ block: { type: "text", text: "no text" } })],
		"with an object that looks like an entry": [toolCall({ entry: { type: "message", message: { content: [] } } })],
		"with an array and a key behind it": [toolCall({ list: [1], more: 2 })],
	};
	test.each(Object.entries(contents))("%s: is known, and has the facts of the parsed line", (_, content) => {
		const { read, parsed } = bothFacts(assistantLine(content));
		expect(read).not.toBeNull();
		expect(read).toEqual(parsed);
	});

	test.each([
		["pi's word behind an array", assistantLine([toolCall({ list: [{}], api: "a" })])],
		[
			"another key behind the content",
			assistantLine([call], '"stopReason":"error","list":[{}],"api":"a","timestamp":0'),
		],
		[
			"a block that begins with its id behind them",
			assistantLine([call, { id: "call-2", type: "toolCall", name: "x" }]),
		],
	])("and %s: has the facts of the parsed line, or is left to the parse", (_, line) => {
		const { read, parsed } = bothFacts(line);
		expect(read ?? parsed).toEqual(parsed);
	});

	test("of any arguments, in any order of blocks, has the facts of the parsed line, or is left to the parse", () => {
		const word = fc.constantFrom("type", "text", "api", "toolCall", "content", "stopReason", 'a"],"api":"', "},{");
		const value = fc.letrec((tie) => ({
			any: fc.oneof(
				{ maxDepth: 3 },
				fc.oneof(word, fc.integer(), fc.constant(null)),
				fc.array(tie("any"), { maxLength: 3 }),
				fc.dictionary(word, tie("any"), { maxKeys: 3 }),
			),
		})).any;
		const block = fc.oneof(
			fc.constant(text),
			value.map(toolCall),
			value.map((any) => ({ ...toolCall(any), ...text })),
		);
		let known = 0;
		fc.assert(
			fc.property(fc.array(block, { maxLength: 4 }), (content) => {
				const { read, parsed } = bothFacts(assistantLine(content));
				if (read === null) return;
				known++;
				expect(read).toEqual(parsed);
			}),
			{ numRuns: 2000 },
		);
		expect(known).toBeGreaterThan(1000);
	});

	test("is not taken for whole when its writer stopped within and another wrote on, wherever that was", () => {
		const whole = assistantLine([text, call, toolCall({ list: [{ path: "a" }], more: "}]" }), call]);
		for (const other of [assistantLine([call]), assistantLine([text]), assistantLine([])]) {
			for (let cut = 1; cut <= whole.length; cut++) {
				const { read } = bothFacts(Buffer.concat([whole.subarray(0, cut), other]));
				expect(read, whole.toString("utf8", 0, cut)).toBeNull();
			}
		}
	});
});

describe("a mark", () => {
	const mark = {
		type: "custom",
		customType: "cross-session",
		data: { v: 1, kind: "input", source: "unclear", entry: "00000001" },
		id: "00000002",
		parentId: "00000001",
		timestamp: "2026-04-01T12:00:00.000Z",
	};

	const bytes = fc.constantFrom(...Buffer.from('"\\{}[]:,0123456789abcdefghx -.T\0\xff', "latin1"));

	test("that pi wrote for this package is known, and has the facts of the parsed line", () => {
		const line = Buffer.from(JSON.stringify(mark));
		const ids = new EntryIds();
		const facts = new LineFacts();
		expect(new LineStructure(ids).read(line, 0, line.length, facts)).toBe(true);
		expect(facts.mark).toEqual({ entry: ids.intern("00000001"), bit: 4 });
		expect(facts).toEqual(parsedFacts(line, ids));
	});

	test("with one byte changed has the facts of the parsed line, or is not known", () => {
		const whole = Buffer.from(JSON.stringify(mark));
		fc.assert(
			fc.property(fc.nat(whole.length - 1), bytes, (at, byte) => {
				const line = Buffer.from(whole);
				line[at] = byte;
				const ids = new EntryIds();
				const facts = new LineFacts();
				if (!new LineStructure(ids).read(line, 0, line.length, facts)) return;
				const parsed = parsedFacts(line, ids);
				// Damage in what nobody looks at isn't seen; a mark is looked at to the letter.
				if (parsed === null) expect(facts.mark).toBeNull();
				else expect(facts).toEqual(parsed);
			}),
			{ numRuns: 4000 },
		);
	});

	test("is not taken for one where more stands behind what looks like its end", () => {
		const whole = JSON.stringify({ ...mark, data: { ...mark.data, entry: "x".repeat(20) } });
		for (let length = 1; length < 64; length++) {
			const line = Buffer.from(whole.replace("x".repeat(20), "x".repeat(length)) + "x}".repeat(40));
			expect(new LineStructure(new EntryIds()).read(line, 0, line.length, new LineFacts())).toBe(false);
		}
	});

	test("is told by its bytes or left to the parse, in whatever order its keys stand", () => {
		const keys = Object.keys(mark);
		const orders = fc.shuffledSubarray(keys.slice(1), { minLength: keys.length - 1 });
		fc.assert(
			fc.property(orders, fc.constantFrom(0, 300_000), (order, padding) => {
				const more = padding > 0 ? { more: "x".repeat(padding) } : {};
				const line = Buffer.from(JSON.stringify({ ...mark, ...more }, ["type", "more", ...order, ...dataKeys]));
				const ids = new EntryIds();
				const structure = new LineStructure(ids);
				const facts = new LineFacts();
				const parsed = parsedFacts(line, ids);
				expect(parsed?.mark).not.toBeNull();
				if (structure.read(line, 0, line.length, facts)) expect(facts).toEqual(parsed);
				const long = new LongLine(structure);
				long.take(line, 0, line.length, facts);
				expect(long.finish(ids, facts, false)).toBe(true);
				expect(facts).toEqual(parsed);
			}),
		);
	});

	const dataKeys = Object.keys(mark.data);
});

interface Copy {
	readonly value: unknown;
	readonly find: FindElided;
}

/** Raw bytes of a text that the copy keeps from each end. */
const KEPT_BYTES = 64 * 1024;

/** The line with each of its texts repeated until it has at least this many bytes. */
function lengthened(line: Buffer, least: number): Buffer {
	const strings = /("(?:text|content|summary|name)":\s*")((?:[^"\\]|\\.)+)"/g;
	const longer = line
		.toString("latin1")
		.replace(
			strings,
			(_found, before: string, text: string) => `${before}${text.repeat(Math.ceil(least / text.length))}"`,
		);
	return Buffer.from(longer, "latin1");
}

function copyOf(slices: readonly Buffer[]): Copy | null {
	const filter = new LineFilter();
	for (const slice of slices) filter.take(slice, 0, slice.length);
	return filter.parse();
}

describe("the copy of a long line", () => {
	/** As they are, barely too long to be kept whole, and with a middle that is kept in no part. */
	const lengths = fc.constantFrom(0, KEPT_BYTES, 3 * KEPT_BYTES);

	test("has the facts of the whole line, wherever the line was cut into slices", () => {
		let elided = 0;
		fc.assert(
			fc.property(logLines, cuts, lengths, (lines, fractions, least) => {
				const ids = new EntryIds();
				for (const short of lines.filter((line) => isValidText(line) && !isSkill(line))) {
					const line = lengthened(short, least);
					const copy = copyOf(sliceAt(line, fractions));
					const facts = new LineFacts();
					const isRead = copy !== null && readEntryFacts(copy.value, copy.find, ids, facts, false);
					const parsed = parsedFacts(line, ids);
					if (parsed?.name) parsed.name = expect.any(String) as unknown as string;
					if (parsed !== null) elided += copy && JSON.stringify(copy.value).length < line.length ? 1 : 0;
					expect({ line: short.toString("utf8"), facts: isRead ? facts : null }).toEqual({
						line: short.toString("utf8"),
						facts: parsed,
					});
				}
			}),
			{ numRuns: 75 },
		);
		expect(elided).toBeGreaterThan(50);
	});

	test("keeps both ends of a text that it leaves out, and its exact size", () => {
		let elided = 0;
		fc.assert(
			fc.property(logLines, cuts, lengths, (lines, fractions, least) => {
				for (const short of lines.filter(isValidText)) {
					const line = lengthened(short, least);
					const copy = copyOf(sliceAt(line, fractions));
					const whole = parseObject(line.toString("utf8"));
					if (!copy || !whole) continue;
					const sources = textsOf(whole, nothingElided);
					for (const [index, text] of textsOf(asRecord(copy.value), copy.find).entries()) {
						const source = sources[index];
						if (typeof source !== "string") throw new Error("A whole line leaves nothing out.");
						if (typeof text === "string") {
							expect(text).toBe(source);
							continue;
						}
						elided++;
						expect(text.bytes).toBe(utf8Bytes(source));
						expect(source.startsWith(text.head)).toBe(true);
						expect(source.endsWith(text.tail)).toBe(true);
						expect(text.head.isWellFormed() && text.tail.isWellFormed()).toBe(true);
						expect(utf8Bytes(text.head) + utf8Bytes(text.tail)).toBeLessThanOrEqual(text.bytes);
					}
				}
			}),
			{ numRuns: 75 },
		);
		expect(elided).toBeGreaterThan(50);
	});

	test("keeps nearly 64 KiB from each end", () => {
		const text = "plain \\u00e9 é 日本 \\ud83d\\ude00 🙂 \\\\ \\n".repeat(10_000);
		const line = Buffer.from(`{"type":"message","message":{"role":"user","content":"${text}"}}`);
		const copy = copyOf([line]);
		const [elided] = textsOf(asRecord(copy?.value), copy?.find ?? nothingElided);
		if (typeof elided !== "object") throw new Error("The text is too long to be kept whole.");
		const decoded = JSON.parse(`"${text}"`) as string;
		// An escape takes more bytes than what it stands for.
		const least = KEPT_BYTES * (utf8Bytes(decoded) / utf8Bytes(text)) - 32;
		expect(utf8Bytes(elided.head)).toBeGreaterThan(least);
		expect(utf8Bytes(elided.tail)).toBeGreaterThan(least);
	});

	test("knows a text by its key, also when the key was written with escapes", () => {
		const text = "x".repeat(200_000);
		const key = "\\u0063ont\\u0065nt";
		const copy = copyOf([Buffer.from(`{"type":"message","message":{"role":"user","${key}":"${text}"}}`)]);
		expect(textsOf(asRecord(copy?.value), copy?.find ?? nothingElided)).toEqual([
			{ bytes: 200_000, head: "x".repeat(KEPT_BYTES), tail: expect.stringMatching(/^x{65500,65536}$/) },
		]);
	});

	test("shows a long skill expansion as what was typed", () => {
		const text = JSON.stringify(
			`<skill name="review" location="/s">\n${"x\n".repeat(50_000)}</skill>\n\nlook at <this>`,
		);
		const copy = copyOf([Buffer.from(`{"type":"message","message":{"role":"user","content":${text}}}`)]);
		const { content } = asRecord(asRecord(copy?.value)?.message) ?? {};
		expect(textBlocks(content, copy?.find ?? nothingElided, true)).toEqual(["/skill:review look at <this>"]);
	});

	test("holds nothing that a line could have spelled itself in place of what was left out", () => {
		const spelled = '{"0123456789abcdef01234567":0}';
		const line = `{"type":"message","message":{"role":"user","content":[{"type":"text","text":${spelled}}],"more":"${"x".repeat(9000)}"}}`;
		const copy = copyOf([Buffer.from(line)]);
		expect(textsOf(asRecord(copy?.value), copy?.find ?? nothingElided)).toEqual([]);
	});

	test("is given up, and said to be, when it would become too large itself", () => {
		const filter = new LineFilter();
		const strings = Buffer.from(`${'"short",'.repeat(10_000)}`);
		filter.take(Buffer.from("["), 0, 1);
		for (let count = 0; count < 200; count++) filter.take(strings, 0, strings.length);
		expect(filter.parse()).toBeNull();
		expect(filter.overflowed).toBe(true);
	});
});

function isValidText(line: Buffer): boolean {
	// Broken bytes are U+FFFD in a parse; a long text that has some can't be measured and counts as damaged.
	return Buffer.from(line.toString("utf8")).equals(line);
}

/** What was typed can be told from a stored skill only while its end is there. */
function isSkill(line: Buffer): boolean {
	return JSON.stringify(parseObject(line.toString("utf8"))).includes("<skill ");
}

function textsOf(entry: Record<string, unknown> | null, find: FindElided) {
	const content = asRecord(entry?.message)?.content ?? asRecord(entry?.replacement)?.content ?? entry?.summary;
	return textBlocks(content, find, false);
}
