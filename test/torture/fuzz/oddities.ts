/**
 * What breaks parsers, by experience: odd characters, odd byte sequences, odd numbers, odd names.
 */

/** Byte sequences that are no UTF-8, or rarely met UTF-8. */
export const ODD_BYTES: readonly [Buffer, ...Buffer[]] = [
	Buffer.of(0xef, 0xbb, 0xbf),
	Buffer.of(0xff, 0xfe),
	Buffer.of(0x80),
	Buffer.of(0xc0, 0xaf),
	Buffer.of(0xe2, 0x82),
	Buffer.of(0xed, 0xa0, 0x80),
	Buffer.of(0xed, 0xb0, 0x80),
	Buffer.of(0xf0, 0x9f, 0xa7),
	Buffer.of(0xf4, 0x90, 0x80, 0x80),
	Buffer.of(0x00),
	Buffer.of(0x0a),
	Buffer.of(0x0d, 0x0a),
	Buffer.of(0x1b, 0x5b, 0x32, 0x4a),
	Buffer.of(0x9b),
	Buffer.from("\u2028"),
	Buffer.from("\u202e"),
	Buffer.from("\u200d"),
	Buffer.from("\u0301".repeat(9)),
	Buffer.from("\ufffd"),
	Buffer.from("👩‍👩‍👧‍👦"),
	Buffer.from("İıſK"),
];

/** Pieces of JSON strings, as they are spelled. */
export const ODD_SPELLINGS: readonly [string, ...string[]] = [
	"\\u0000",
	"\\ud800",
	"\\udc00",
	"\\ud83d\\ude00",
	"\\ude00\\ud83d",
	"\\u001b]0;x\\u0007",
	"\\u2028",
	"\\u0022",
	"\\u005c",
	"\\/",
	"\\\\",
	'\\"',
	"\\n",
	"\\u",
	"\\x41",
	"\t",
	"<",
	"</",
];

export const ODD_NUMBERS: readonly [string, ...string[]] = [
	"0",
	"-0",
	"-1",
	"1.5",
	"1e999",
	"-1e999",
	"1e-999",
	"01",
	"0x10",
	"1_000",
	".5",
	"NaN",
	"4294967296",
	"2147483648",
	"9007199254740992",
	"-9007199254740993",
	"1.7976931348623157e308",
	"123456789012345678901234567890",
	"8640000000000001",
];

/** Keys that objects have without being given them. */
export const ODD_KEYS: readonly [string, ...string[]] = [
	"__proto__",
	"constructor",
	"prototype",
	"toString",
	"toJSON",
	"hasOwnProperty",
	"then",
	"length",
	"",
	"0",
	"\u0000",
	"type ",
];

/** Whole JSON values. */
export const ODD_VALUES: readonly [unknown, ...unknown[]] = [
	null,
	true,
	false,
	0,
	-1,
	1.5,
	2 ** 53,
	"",
	" ",
	"\ud800",
	"text",
	[],
	{},
	[[]],
	[null],
	{ toString: 1 },
	{ length: 3 },
	JSON.parse('{"__proto__":{"polluted":true}}'),
];
