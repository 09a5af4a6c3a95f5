/**
 * Good, old and broken logs, each with what must come of reading it.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, closeSync, mkdirSync, openSync, renameSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { SessionLog } from "./session-log.ts";

/** What a reader of the workspace gets. */
export type CorpusOutcome = "unauthorized" | { readonly texts: readonly string[]; readonly damagedLines: number };

export interface CorpusLog {
	/** Makes the file, or whatever stands in its place. */
	readonly make: (file: string) => void;
	/** From the door that looks the session up. */
	readonly outcome: CorpusOutcome;
	/** Whether a reader that is given the path finds a log there; default: when the door does. */
	readonly isLog?: boolean;
}

const HELLO = "hello";
const ANSWER = "at your service";

function goodLog(): SessionLog {
	const log = new SessionLog();
	log.user(HELLO);
	log.assistant(ANSWER);
	return log;
}

const good = { texts: [HELLO, ANSWER], damagedLines: 0 };

function entryLine(id: string, parentId: unknown, text: string): string {
	const message = { role: "user", content: text, timestamp: 1 };
	return JSON.stringify({ type: "message", id, parentId, timestamp: "2026-04-01T12:00:00.000Z", message });
}

const header = (rest: object) => JSON.stringify({ type: "session", id: "peer", cwd: "/home/project", ...rest });

/** A log that is made as text. */
function text(content: string | SessionLog | Uint8Array, outcome: CorpusOutcome, isLog?: boolean): CorpusLog {
	const bytes = typeof content === "string" || content instanceof Uint8Array ? content : content.toBuffer();
	return { make: (file) => writeFileSync(file, bytes), outcome, ...(isLog !== undefined && { isLog }) };
}

/** The good log, more lines, and what they make of it. */
function withLines(lines: readonly string[], texts: readonly string[], damagedLines: number): CorpusLog {
	const log = goodLog();
	for (const line of lines) log.line(line);
	return text(log, { texts, damagedLines });
}

const LEAF = goodLog().leaf ?? "";
const MEGABYTE = "x".repeat(1024 * 1024);
const LONG_LINE_MEGABYTES = 64;

/** A good log and then a line of 64 MiB between these two ends; `last` comes behind it. */
function longLine(start: string, end: string, last: string, outcome: CorpusOutcome): CorpusLog {
	const make = (file: string) => {
		const descriptor = openSync(file, "w");
		writeSync(descriptor, goodLog().toString() + start);
		for (let count = 0; count < LONG_LINE_MEGABYTES; count++) writeSync(descriptor, MEGABYTE);
		writeSync(descriptor, end + last);
		closeSync(descriptor);
	};
	return { make, outcome };
}

const placed = (type: string) =>
	`{"type":"${type}","id":"0000000a","parentId":"${LEAF}","timestamp":"2026-04-01T12:00:00.000Z",`;
const lookingWhole = (number: number) =>
	`${placed("custom").replace("0000000a", number.toString(16).padStart(8, "a"))}"data":{]}}\n`;
const follows = `\n${entryLine("0000000b", "0000000a", "after it")}\n`;
const afterIt = { texts: [HELLO, ANSWER, "after it"], damagedLines: 0 };
const cutOff = { texts: ["after it"], damagedLines: 2 };

const isRoot = process.getuid?.() === 0;

export const CORPUS: Readonly<Record<string, CorpusLog>> = {
	"a good log": text(goodLog(), good),
	"a good log of version 2": text(goodLog().toString().replace('"version":3', '"version":2'), good),
	"a good log of version 1": text(
		[
			header({ timestamp: "2026-01-01T00:00:00.000Z" }),
			'{"type":"message","timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"hello"}}',
			'{"type":"message","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"at your service"}],"stopReason":"stop"}}',
			"",
		].join("\n"),
		good,
	),
	"a header alone": text(new SessionLog(), { texts: [], damagedLines: 0 }),
	"a cycle of parents": withLines(
		[entryLine("0000000a", "0000000b", "one"), entryLine("0000000b", "0000000a", "two")],
		["one", "two"],
		1,
	),
	"an entry that is its own parent": withLines([entryLine("0000000a", "0000000a", "self")], ["self"], 1),
	"a repeated id": withLines(
		[
			entryLine("0000000a", LEAF, "first"),
			entryLine("0000000b", "0000000a", "two"),
			entryLine("0000000a", "0000000b", "again"),
		],
		["two", "again"],
		2,
	),
	"an entry without a parent in the file": withLines([entryLine("0000000a", "ffffffff", "orphan")], ["orphan"], 1),
	"an id that is no text": withLines(['{"type":"message","id":5,"parentId":null}'], good.texts, 1),
	"an id of ten thousand characters": withLines([entryLine("i".repeat(10_000), LEAF, "not placed")], good.texts, 1),
	"a first kept entry that is not there": withLines(
		[
			`${placed("compaction")}"summary":"in short","firstKeptEntryId":"ffffffff","tokensBefore":1}`,
			entryLine("0000000b", "0000000a", "after it"),
		],
		["in short", "after it"],
		1,
	),
	"JSON that is no object": withLines(["123", "null", "[]", '"text"', "true"], good.texts, 5),
	"blank lines": withLines(["", "  ", "\t", ""], good.texts, 0),
	"lines that are no JSON": withLines(["not JSON", "{", '{"type":"message"', "}"], good.texts, 4),
	"a line of zero bytes": withLines(["\0".repeat(100_000)], good.texts, 1),
	"a line that is nested very deeply": withLines(
		["[".repeat(200_000), `${placed("message")}"message":${'{"a":'.repeat(100_000)}`],
		good.texts,
		2,
	),
	"two torn lines that became one": withLines(
		[`{"type":"custom","customType":"x","data":{"a":"to${placed("custom").slice(0, -1)}}`],
		good.texts,
		1,
	),
	"a byte order mark": text(`\ufeff${goodLog()}`, "unauthorized"),
	"carriage returns before the line feeds": text(goodLog().toString().replaceAll("\n", "\r\n"), good),
	"a writer at work": text(`${goodLog()}${entryLine("0000000a", LEAF, "not yet")}`, good),
	"a writer at work on the header": text(goodLog().toString().split("\n")[0] ?? "", "unauthorized"),
	"no header": text(goodLog().toString().split("\n").slice(1).join("\n"), "unauthorized"),
	"a second header": withLines([header({ id: "other", cwd: "/elsewhere" })], good.texts, 1),
	"damage before the header": text(`torn}\n\n${goodLog()}`, { ...good, damagedLines: 1 }),
	"bytes that are no UTF-8": text(Buffer.from(goodLog().toString().replace(HELLO, "h\xe9llo"), "latin1"), {
		texts: ["h\ufffdllo", ANSWER],
		damagedLines: 0,
	}),
	"hundreds of thousands of tiny lines": text(`${goodLog()}${"{}\n".repeat(200_000)}${"\n".repeat(500_000)}`, {
		...good,
		damagedLines: 200_000,
	}),
	"thousands of last lines that only look whole": text(
		`${goodLog()}${Array.from({ length: 20_000 }, (_, number) => lookingWhole(number)).join("")}`,
		{ ...good, damagedLines: 20_000 },
	),
	"a user message of 64 MiB": longLine(
		`${placed("message")}"message":{"role":"user","content":"`,
		'","timestamp":1}}',
		"\n",
		{
			texts: [
				HELLO,
				ANSWER,
				`${"x".repeat(512)}\n[… ${LONG_LINE_MEGABYTES * 1024 * 1024 - 1024} bytes omitted …]\n${"x".repeat(512)}`,
			],
			damagedLines: 0,
		},
	),
	"a tool result of 64 MiB": longLine(
		`${placed("message")}"message":{"role":"toolResult","toolCallId":"c","content":[{"type":"text","text":"`,
		'"}],"isError":false,"timestamp":1}}',
		follows,
		afterIt,
	),
	"an extension's entry of 64 MiB with its place at the end": longLine(
		'{"type":"custom","customType":"x","data":"',
		`","id":"0000000a","parentId":"${LEAF}","timestamp":"2026-04-01T12:00:00.000Z"}`,
		follows,
		afterIt,
	),
	"64 MiB of something else with its place in the middle": longLine(
		`{"data":"short","id":"0000000a","parentId":"${LEAF}","type":"unheard-of","more":"`,
		'"}',
		follows,
		afterIt,
	),
	"64 MiB of no JSON": longLine("", "", follows, cutOff),
	"64 MiB without an end": longLine(`${placed("message")}"message":{"role":"user","content":"`, "", "", good),
	"a first line of 64 MiB": {
		make: (file) => {
			const descriptor = openSync(file, "w");
			writeSync(descriptor, '{"type":"session","more":"');
			for (let count = 0; count < LONG_LINE_MEGABYTES; count++) writeSync(descriptor, MEGABYTE);
			writeSync(descriptor, `"}\n${goodLog()}`);
			closeSync(descriptor);
		},
		outcome: "unauthorized",
	},
	"an empty file": text("", "unauthorized"),
	"a directory": { make: (file) => mkdirSync(file), outcome: "unauthorized" },
	"a FIFO": { make: (file) => execFileSync("mkfifo", [file]), outcome: "unauthorized" },
	"a link to nothing": { make: (file) => symlinkSync(`${file}.nothing`, file), outcome: "unauthorized" },
	"a link to a good log": {
		make: (file) => {
			writeFileSync(file, goodLog().toBuffer());
			renameSync(file, `${file}.elsewhere`);
			symlinkSync(`${file}.elsewhere`, file);
		},
		outcome: "unauthorized",
	},
	"a good log without permission to read it": {
		make: (file) => {
			writeFileSync(file, goodLog().toBuffer());
			chmodSync(file, 0o000);
		},
		// Nothing is refused to root.
		outcome: isRoot ? good : "unauthorized",
	},
};
