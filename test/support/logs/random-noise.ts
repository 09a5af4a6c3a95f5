/**
 * Physical lines that are no entries: blank ones, damaged ones, JSON that is no object, headers where none belongs.
 */
import fc from "fast-check";

const BLANK = ["", " ", "\t", "\r", "  \r"] as const;

const NOT_AN_OBJECT = [
	"123",
	"null",
	"[]",
	"true",
	'"text"',
	'[{"type":"message","id":"00000000","parentId":null}]',
	"-0.5e3",
];

const DAMAGED = [
	"not JSON at all",
	"{",
	"}",
	'{"type":"message"',
	'{"type":"custom","data":{}} and more',
	'{"type":"message",}',
	"\u0000\u0000\u0000\u0000",
	'"parentId":"00000000","timestamp":"2026-03-01T09:00:00.000Z"}',
];

/**
 * Two torn lines that became one: its head and its tail look whole. Only for files in which an entry's ancestors are
 * found by id: where the order of lines makes the tree, nobody can tell what such a line stood for.
 */
const MERGED = [
	'{"type":"message","id":"dead0001","parentId":null,"timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"user","content":"torn {"type":"message","id":"dead0002","parentId":"dead0001","timestamp":"2026-03-01T09:00:01.000Z","message":{"role":"user","content":"FORBIDDEN","timestamp":1}}',
	'{"type":"custom","customType":"x","data":{"a":"to{"type":"custom","customType":"x","data":{},"id":"dead0003","parentId":"dead0001","timestamp":"2026-03-01T09:00:01.000Z"}',
];

const STRAY_HEADER =
	'{"type":"session","version":3,"id":"another","timestamp":"2026-03-01T09:00:00.000Z","cwd":"/FORBIDDEN"}';

/** Lines between entries. `linkedById`: entries name their parents, that is, the file's version is 2 or newer. */
export function noiseLines(linkedById: boolean): fc.Arbitrary<string[]> {
	const noise = fc.oneof(
		{ arbitrary: fc.constantFrom(...BLANK), weight: 3 },
		{ arbitrary: fc.constantFrom(...NOT_AN_OBJECT), weight: 2 },
		{ arbitrary: fc.constantFrom(...DAMAGED), weight: 2 },
		{ arbitrary: fc.constant(STRAY_HEADER), weight: 1 },
		...(linkedById ? [{ arbitrary: fc.constantFrom(...MERGED), weight: 1 }] : []),
	);
	return fc.oneof(
		{ arbitrary: fc.constant<string[]>([]), weight: 9 },
		{ arbitrary: fc.array(noise, { maxLength: 3 }), weight: 1 },
	);
}
