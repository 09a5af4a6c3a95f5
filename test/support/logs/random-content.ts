/**
 * fast-check arbitraries for what stands inside session entries: hard texts, content blocks, payloads full of decoys.
 *
 * Every string that must never come out of a reader contains FORBIDDEN.
 */
import fc from "fast-check";
import type { JsonObject } from "./pi-entries.ts";

export const FORBIDDEN = "FORBIDDEN";

/** Pieces that look like structure when a reader forgets that it is inside a string. */
const DECOYS = [
	`"parentId":"00000000"`,
	`,"id":"00000000","parentId":null,"timestamp":"2026-03-01T09:00:00.000Z"}`,
	`{"type":"text","text":"decoy"}`,
	`"stopReason":"error"`,
	`"stopReason":"stop"`,
	`"role":"user"`,
	`{"type":"message","id":"00000000","parentId":null,`,
	`</skill>`,
] as const;

/** Stand for bytes that are not UTF-8 when a random log's text becomes a file, unless they are written as escapes. */
export const BROKEN_UTF8 = [
	{ standIn: "\ue000", bytes: [0xff] },
	{ standIn: "\ue001", bytes: [0xc3] },
	{ standIn: "\ue002", bytes: [0xed, 0xa0, 0xbd] },
] as const;

const PIECES = [
	...["", " ", "plain words", "a", "\n", "\r\n", "\t", "\\", "\\\\", '"', '\\"', "/", "\u0000", "\u001b[31m", "\u007f"],
	...["é", "ß", "日本語", "🙂", "👩‍💻", "\u2028", "\ufeff", "\ufffd", "<tag>", "\\u0041", "\\ud83d"],
	// Halves of surrogate pairs; two of them in a row may happen to make a whole character.
	...["\ud83d", "\ude00", "\udfff", "\ud800"],
	...BROKEN_UTF8.map(({ standIn }) => standIn),
];

/** Any text, mostly short, sometimes of tens of kilobytes. */
export const hardText: fc.Arbitrary<string> = fc
	.tuple(
		fc.array(
			fc.oneof(
				{ arbitrary: fc.constantFrom(...PIECES), weight: 6 },
				{ arbitrary: fc.constantFrom(...DECOYS), weight: 2 },
				{ arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }), weight: 2 },
			),
			{ maxLength: 6 },
		),
		fc.oneof(
			{ arbitrary: fc.constant(1), weight: 30 },
			{ arbitrary: fc.constant(40), weight: 2 },
			{ arbitrary: fc.constant(400), weight: 1 },
		),
	)
	.map(([pieces, times]) => pieces.join("").repeat(times));

const forbiddenText = hardText.map((text) => `${FORBIDDEN}${text}`);

/** A value that is none of a reader's business, with keys that look as if it were. */
export const forbiddenPayload: fc.Arbitrary<JsonObject> = fc.record(
	{
		note: forbiddenText,
		id: fc.constantFrom("00000000", FORBIDDEN),
		parentId: fc.constantFrom(null, "00000000", FORBIDDEN),
		timestamp: fc.constant("2001-01-01T00:00:00.000Z"),
		type: fc.constantFrom("text", "message", "compaction", "session_info"),
		text: forbiddenText,
		role: fc.constantFrom("user", "assistant"),
		stopReason: fc.constantFrom("error", "stop"),
		summary: forbiddenText,
		name: forbiddenText,
		content: fc.constant([{ type: "text", text: FORBIDDEN }]),
		message: fc.constant({ role: "user", content: FORBIDDEN, stopReason: "error" }),
		numbers: fc.constantFrom([], {}, [1e21, -0.5, true, null, [[]]]),
	},
	{ requiredKeys: ["note"] },
);

/** A text block in any order of its keys, at times with more keys. */
export const textBlockLike: fc.Arbitrary<JsonObject> = fc.oneof(
	{ arbitrary: hardText.map((text) => ({ type: "text", text })), weight: 6 },
	{ arbitrary: hardText.map((text) => ({ text, type: "text" })), weight: 1 },
	{
		arbitrary: fc
			.tuple(hardText, forbiddenText)
			.map(([text, textSignature]) => ({ type: "text", text, textSignature })),
		weight: 1,
	},
	{
		arbitrary: fc
			.tuple(hardText, forbiddenPayload)
			.map(([text, extra]) => ({ extra, type: "text", more: [extra], text })),
		weight: 1,
	},
);

const imageBlockLike: fc.Arbitrary<JsonObject> = fc.constantFrom(
	{ type: "image", data: `${FORBIDDEN}AAAA`, mimeType: "image/png" },
	{ data: FORBIDDEN.repeat(1000), mimeType: "image/png", type: "image" },
);

const thinkingBlockLike: fc.Arbitrary<JsonObject> = fc.record({
	type: fc.constant("thinking"),
	thinking: forbiddenText,
	thinkingSignature: fc.constantFrom(FORBIDDEN, ""),
});

const toolCallBlockLike: fc.Arbitrary<JsonObject> = fc.record({
	type: fc.constant("toolCall"),
	id: fc.constantFrom("call_1", "call_2", 'call"3'),
	name: fc.constantFrom("bash", "read", "日本"),
	arguments: forbiddenPayload,
});

/** What a person sends: a string, or texts and images. */
export const userContent: fc.Arbitrary<string | JsonObject[]> = fc.oneof(
	hardText,
	fc.array(fc.oneof({ arbitrary: textBlockLike, weight: 4 }, { arbitrary: imageBlockLike, weight: 1 }), {
		maxLength: 4,
	}),
);

/** What a model answers: texts, reasoning, tool calls. */
export const assistantContent: fc.Arbitrary<JsonObject[]> = fc.array(
	fc.oneof(
		{ arbitrary: textBlockLike, weight: 3 },
		{ arbitrary: thinkingBlockLike, weight: 1 },
		{ arbitrary: toolCallBlockLike, weight: 1 },
	),
	{ maxLength: 4 },
);

/** What a tool gives back; all of it is forbidden. */
export const toolResultContent: fc.Arbitrary<JsonObject[]> = fc.array(
	fc.oneof(
		forbiddenText.map((text) => ({ type: "text", text })),
		imageBlockLike,
	),
	{ maxLength: 3 },
);

/** A prompt that was typed as `/skill:name args` and stored expanded, and texts that only look like one. */
export const skillPrompt: fc.Arbitrary<string> = fc
	.tuple(
		fc.constantFrom("review", "a b", "日本"),
		hardText,
		fc.constantFrom(
			"",
			"\n\nlook at the reader",
			"\n\n  \n",
			"\nno blank line",
			" trailing",
			"\n\ntwo\n\nparts </skill>",
		),
		fc.constantFrom("", " ", "\n"),
	)
	.map(
		([name, body, rest, before]) => `${before}<skill name="${name}" location="/skills/x">\n${body}\n</skill>${rest}`,
	);

export { forbiddenText };
