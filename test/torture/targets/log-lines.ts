/**
 * Lines of a session log, and the log as a whole: a file that anyone may have written.
 */
import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { SurfaceEvent } from "../../../lib/projection/events.ts";
import { nothingElided, readEntryFacts } from "../../../lib/sessions/log/entry-facts.ts";
import { EntryIds, NO_ID } from "../../../lib/sessions/log/entry-ids.ts";
import type { LogCapture } from "../../../lib/sessions/log/indexed-log.ts";
import { LineFacts, UNMEASURED } from "../../../lib/sessions/log/line-facts.ts";
import { LineStructure } from "../../../lib/sessions/log/line-structure.ts";
import { LogFile } from "../../../lib/sessions/log/log-file.ts";
import { LogReader } from "../../../lib/sessions/log/log-reader.ts";
import { LongLine } from "../../../lib/sessions/log/long-line.ts";
import { findTitle } from "../../../lib/sessions/log/title-search.ts";
import { CaptureError } from "../../../lib/sessions/query.ts";
import { SessionLog } from "../../sessions/session-log.ts";
import { SeededRandom } from "../../support/logs/seeded-random.ts";
import { type FuzzTarget, type OpenTarget, samplesOf } from "../fuzz/target.ts";

const WANT_ALL = {
	surface: { messages: 100_000, textBytes: 1e9, totalBytes: 1e12, checkpoint: true },
	activity: { calls: 8 },
} as const;

/** A log with an entry of every kind. */
function fullLog(version: 2 | 3): SessionLog {
	const log = new SessionLog({ version });
	log.user("before");
	const question = log.user([
		{ type: "text", text: "grüße 🧭" },
		{ type: "image", data: "aW1hZ2U=", mimeType: "image/png" },
	]);
	log.mark(question, "user");
	log.assistant("I look.", { calls: [["call-1", "bash"]] });
	log.result("call-1");
	log.compaction("in short", question);
	log.user('<skill name="review" location="/s">\nbody\n</skill>\n\nthis');
	const replaced = log.user("a typing error");
	log.edit(replaced, "typed right");
	log.customMessage("a reminder");
	log.custom("anything", { text: "hidden", message: { role: "user" } });
	log.entry("branch_summary", { summary: "a branch", fromId: question });
	log.name("The title");
	log.assistant("Done.", { stopReason: "length" });
	return log;
}

const versionOne = [
	'{"type":"session","id":"old","cwd":"/home/project","timestamp":"2026-01-01T00:00:00.000Z"}',
	'{"type":"message","timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"hello"}}',
	'{"type":"message","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"hi"}],"stopReason":"stop"}}',
	'{"type":"compaction","timestamp":"2026-01-01T00:00:03.000Z","summary":"in short","firstKeptEntryIndex":2,"tokensBefore":1}',
	"",
].join("\n");

export const logTarget: FuzzTarget = {
	name: "log-lines",
	samples: samplesOf(fullLog(3).toString(), fullLog(2).toString(), versionOne, new SessionLog().toString()),
	tokens: [
		'{"type":"message","id":"01010101","parentId":null,"timestamp":"2026-04-01T12:00:01.000Z","message":{"role":"user","content":"',
		'"stopReason":"stop"',
		'"stopReason":"aborted"',
		'{"type":"text","text":"',
		'{"type":"toolCall","id":"call-1","name":"bash","arguments":{',
		'"parentId":"01010101"',
		'"firstKeptEntryId":"02020202"',
		'"targetId":"02020202"',
		'"replacement":null',
		'"textSignature":"',
		'"}}\n',
		'"}]}}\n',
		'<skill name=\\"x\\" location=\\"y\\">\\n\\n</skill>',
		'"customType":"cross-session"',
		'{"type":"session","version":3,"id":"x","cwd":"/"}\n',
		'"role":"assistant"',
		'"role":"toolResult"',
		'"session_info"',
		"\n\n",
	],
	bounds: [24, 64, 160, 224, 512, 1024, 4096, 8192],
	maxBytes: 48 * 1024,
	open: openLogs,
};

function openLogs(): OpenTarget {
	const directory = mkdtempSync(path.join(tmpdir(), "fuzz-logs-"));
	let files = 0;
	return {
		async check(bytes) {
			checkLines(bytes);
			files += 1;
			const file = path.join(directory, `${files}.jsonl`);
			try {
				await checkLog(file, bytes);
			} finally {
				rmSync(file, { force: true });
			}
		},
		close: () => rmSync(directory, { recursive: true, force: true }),
	};
}

/** Most lines of one input that are looked at each for itself. */
const MOST_LINES = 200;

function checkLines(bytes: Buffer): void {
	const ids = new EntryIds();
	const structure = new LineStructure(ids);
	for (const line of linesOf(bytes).slice(0, MOST_LINES)) {
		// Of a key that is written twice a parse takes the last one, a look at the line's head the first: no writer does so.
		if (line.length === 0 || repeatsKey(line)) continue;
		const parsed = parsedFacts(line, ids);
		for (const measures of [true, false]) {
			const facts = new LineFacts();
			// What does not parse may look whole; it is found out when it is loaded.
			if (!structure.read(line, 0, line.length, facts, measures) || parsed === null) continue;
			assert.deepEqual(comparable(facts), comparable(parsed, facts), line.toString("latin1"));
		}
		checkLongLine(structure, line, parsed, ids);
	}
}

/** Without the white space before the line feed, which writers differ in. */
function linesOf(bytes: Buffer): Buffer[] {
	const lines: Buffer[] = [];
	for (let start = 0, feed = bytes.indexOf(10); feed >= 0; feed = bytes.indexOf(10, start)) {
		let end = feed;
		while (end > start && (bytes[end - 1] ?? 0) <= 32) end -= 1;
		lines.push(bytes.subarray(start, end));
		start = feed + 1;
	}
	return lines;
}

function parsedFacts(line: Buffer, ids: EntryIds): LineFacts | null {
	const value = objectOf(line);
	const facts = new LineFacts();
	return value !== null && readEntryFacts(value, nothingElided, ids, facts, false) ? facts : null;
}

const TOKENS = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}]/gsu;

/** Whether an object of the line has two members of one name. What is no JSON may be judged either way. */
function repeatsKey(line: Buffer): boolean {
	const open: Set<string>[] = [];
	for (const [token, colon] of line.toString("utf8").matchAll(TOKENS)) {
		if (token === "{") open.push(new Set());
		else if (token === "}") open.pop();
		else if (colon !== undefined) {
			const key = unescaped(token.slice(0, -colon.length));
			if (open.at(-1)?.has(key)) return true;
			open.at(-1)?.add(key);
		}
	}
	return false;
}

function unescaped(spelled: string): string {
	try {
		return String(JSON.parse(spelled));
	} catch {
		return spelled;
	}
}

/** Facts of a message that nobody measured say nothing of what stands in it. */
function comparable(facts: LineFacts, seen: LineFacts = facts): object {
	if (seen.textBytes !== UNMEASURED) return { ...facts };
	return { ...facts, textBytes: UNMEASURED, outcome: 0, calls: 0 };
}

/** A line that is never held has the facts of the parsed one, wherever it was cut. */
function checkLongLine(structure: LineStructure, line: Buffer, parsed: LineFacts | null, ids: EntryIds): void {
	const facts = new LineFacts();
	const long = new LongLine(structure);
	const random = new SeededRandom(line.length);
	let start = Math.min(line.length, 512 + random.integer(0, 64));
	long.take(line, 0, start, facts);
	while (start < line.length) {
		const end = Math.min(line.length, start + random.size(200));
		long.take(line, start, end, facts);
		start = end;
	}
	const isRead = long.finish(ids, facts, false);
	// An edit of what no id can name changes nothing, however the line is taken.
	if (!isRead || parsed === null || parsed.edit?.target === NO_ID) return;
	const whole = [parsed.kind, parsed.id, parsed.parent];
	assert.deepEqual([facts.kind, facts.id, facts.parent], whole, line.toString("latin1"));
}

async function checkLog(file: string, bytes: Buffer): Promise<void> {
	writeFileSync(file, bytes);
	const before = statSync(file, { bigint: true });
	const capture = await captureOf(new LogReader(), file);
	const after = statSync(file, { bigint: true });
	assert.deepEqual([after.size, after.mtimeNs, after.ctimeNs], [before.size, before.mtimeNs, before.ctimeNs]);
	if (capture !== null) {
		checkShown(capture, bytes);
		const log = new LogFile(file);
		const title = await findTitle(log, bytes.length).finally(() => log.close());
		assert.ok(title === null || title.trim() !== "");
	}
	await checkGrowing(file, bytes, capture);
}

/** A log that was read while it grew shows what a first read of the whole shows. */
async function checkGrowing(file: string, bytes: Buffer, whole: Timeless | null): Promise<void> {
	const reader = new LogReader();
	const cut = bytes.lastIndexOf(10, Math.floor(bytes.length / 2)) + 1;
	writeFileSync(file, bytes.subarray(0, cut));
	await captureOf(reader, file);
	appendFileSync(file, bytes.subarray(cut));
	const grown = await captureOf(reader, file);
	// A line that only looks whole is found out when it is the last one, or is shown; so the two may know of others.
	if (linesOf(bytes).every((line) => line.length === 0 || objectOf(line) !== null)) assert.deepEqual(grown, whole);
	else if (grown !== null) checkShown(grown, bytes);
}

type Timeless = Omit<LogCapture, "capturedAt">;

/** Null: the reader says that this is no log. */
async function captureOf(reader: LogReader, file: string): Promise<Timeless | null> {
	try {
		const { capturedAt: _, ...capture } = await reader.read(file, WANT_ALL);
		return capture;
	} catch (error) {
		assert.ok(error instanceof CaptureError, `Thrown: ${String(error)}`);
		assert.equal(error.code, "unavailable");
		return null;
	}
}

/** Whatever the file holds, a text that is shown is the text of the very line that it is said to be of. */
function checkShown({ surface, capturedThroughSeq, activity }: Timeless, bytes: Buffer): void {
	const entries = linesOf(bytes).map(objectOf);
	const messages = surface?.messages ?? [];
	const edits = entries.flatMap((entry) =>
		entry?.type === "context_edit" ? [joined(textsOf(recordOf(entry.replacement)?.content))] : [],
	);
	for (const message of messages) {
		const own = ownText(message, entries[message.seq] ?? null);
		const text = message.text.head + message.text.tail;
		assert.equal(Buffer.byteLength(text), message.text.bytes);
		assert.ok(own !== null, "shown, and no line of that kind");
		const isEdited = message.type !== "checkpoint" && edits.includes(text);
		const isSkill = message.type === "user/message" && own.startsWith("<skill ") && text.startsWith("/skill:");
		assert.ok(text === own || isEdited || isSkill, `line ${message.seq} shows ${JSON.stringify(text.slice(0, 80))}`);
	}
	assert.equal(surface?.eligibleMessages, messages.length);
	assert.equal(new Set(messages.map(({ seq }) => seq)).size, messages.length, "an entry is shown twice");
	assert.ok(messages.every(({ seq }) => seq <= (capturedThroughSeq ?? -1)));
	assert.ok((activity?.calls.length ?? 0) <= 8);
}

function ownText({ type }: SurfaceEvent, entry: Record<string, unknown> | null): string | null {
	if (type === "checkpoint") return entry?.type === "compaction" ? joined(textsOf(entry.summary)) : null;
	const message = entry?.type === "message" ? recordOf(entry.message) : null;
	if (message?.role !== (type === "user/message" ? "user" : "assistant")) return null;
	if (type === "assistant/message" && !["stop", "length", "toolUse"].includes(String(message.stopReason))) return null;
	return joined(textsOf(message.content));
}

const joined = (texts: readonly string[]): string => texts.join("\n").toWellFormed();

function textsOf(content: unknown): string[] {
	if (typeof content === "string") return [content];
	if (!Array.isArray(content)) return [];
	return content.flatMap((block) => (block?.type === "text" && typeof block.text === "string" ? [block.text] : []));
}

function objectOf(line: Buffer): Record<string, unknown> | null {
	try {
		return recordOf(JSON.parse(line.toString("utf8")));
	} catch {
		return null;
	}
}

function recordOf(value: unknown): Record<string, unknown> | null {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
}
