/**
 * The name that a log holds: as a capture says it, and as it is found from the log's end without a capture.
 */
import { writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LogFile } from "../../lib/sessions/log/log-file.ts";
import { LogReader } from "../../lib/sessions/log/log-reader.ts";
import { findTitle } from "../../lib/sessions/log/title-search.ts";
import { type RandomLine, randomLog } from "../support/logs/random-tree.ts";
import { bytesRead } from "./file-reads.ts";
import { temporaryDirectory, writeLog } from "./log-directory.ts";
import { SessionLog } from "./session-log.ts";
import { Workspace } from "./workspace.ts";

async function titleOf(file: string): Promise<string | null> {
	const log = new LogFile(file);
	try {
		return await findTitle(log, log.state().size);
	} finally {
		await log.close();
	}
}

/** What both ways of looking say; they must say the same. */
async function bothTitles(file: string): Promise<string | null> {
	const { title } = await new LogReader().read(file, {});
	expect(await titleOf(file)).toBe(title);
	return title;
}

/** A search knows no line whose type is written with escapes, nor one of more than 64 KiB. */
function canBeSearched({ text, entry }: RandomLine): boolean {
	return entry?.type !== "session_info" || (text.includes('"session_info"') && Buffer.byteLength(text) < 64 * 1024);
}

const SEARCHED_BYTES = 256 * 1024;

describe("the title of a log", () => {
	test("is none before one was given", async () => {
		const log = new SessionLog();
		log.user("hello");
		expect(await bothTitles(writeLog(log))).toBeNull();
	});

	test("is the one that was given last, on whatever branch", async () => {
		const log = new SessionLog();
		const fork = log.user("hello");
		log.name("first");
		log.name("  second  ");
		log.continueFrom(fork);
		log.user("elsewhere");
		expect(await bothTitles(writeLog(log))).toBe("second");
	});

	test.each(["", "  \t"])("is none when the last name is %j", async (name) => {
		const log = new SessionLog();
		log.name("first");
		log.name(name);
		log.user("hello");
		expect(await bothTitles(writeLog(log))).toBeNull();
	});

	test("is none when the last name is no text", async () => {
		const log = new SessionLog();
		log.name("first");
		log.entry("session_info", { name: 5 });
		expect(await bothTitles(writeLog(log))).toBeNull();
	});

	test("does not change by what only looks like a name, or is not finished", async () => {
		const log = new SessionLog();
		log.name("real");
		log.user('{"type":"session_info","name":"in a text"}');
		log.custom("x", { type: "session_info", name: "in a payload" });
		log.line('{"type":"session_info","name":"damaged"');
		expect(await bothTitles(writeLog(`${log}{"type":"session_info","id":"a","parentId":null,"name":"torn"}`))).toBe(
			"real",
		);
	});

	test("is found wherever its line stands to the borders of the searched pieces", async () => {
		const file = path.join(temporaryDirectory(), "log.jsonl");
		const head = new SessionLog();
		head.name("before");
		for (const border of [1, 2]) {
			for (let shift = -200; shift <= 200; shift += 23) {
				const log = new SessionLog();
				log.name("before");
				log.custom("x", { filling: "x".repeat(1000) });
				log.name("found");
				// The line is written in two halves around the border, counted from the end.
				const missing = border * SEARCHED_BYTES + shift - '{"type":"label"}\n'.length;
				writeFileSync(file, `${log}{"type":"label"${" ".repeat(missing)}}\n`);
				expect(await titleOf(file)).toBe("found");
			}
		}
	});

	test("is the same for a capture and for a search, in any log", async () => {
		const file = path.join(temporaryDirectory(), "log.jsonl");
		await fc.assert(
			fc.asyncProperty(randomLog({ versions: [3, 2] }), async ({ bytes, lines }) => {
				fc.pre(lines.every(canBeSearched));
				writeFileSync(file, bytes);
				await bothTitles(file);
			}),
			{ numRuns: 200 },
		);
	});

	test("is found without reading the log when it stands near the end", async () => {
		const log = new SessionLog();
		for (let count = 0; count < 40; count++) log.user("x".repeat(100_000));
		log.name("near the end");
		const file = writeLog(log);
		expect(await bytesRead(() => titleOf(file))).toBeLessThan(2 * SEARCHED_BYTES);
		expect(await titleOf(file)).toBe("near the end");
	});

	test("is not looked for any more once that was cancelled", async () => {
		const file = writeLog(new SessionLog());
		const log = new LogFile(file);
		await expect(findTitle(log, log.state().size, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
		await log.close();
	});
});

describe("the title of a session", () => {
	test("is read by its id, and is none for a session that is not there", async () => {
		const workspace = new Workspace();
		const log = new SessionLog();
		log.name("A name");
		workspace.add("peer", log);
		expect(await workspace.query().readTitle("peer")).toBe("A name");
		expect(await workspace.query().readTitle("another")).toBeNull();
	});

	test("reaches a caller as one printable line", async () => {
		const workspace = new Workspace();
		const log = new SessionLog();
		log.name("\u001b[31mred\u001b[0m\nand\u202e more");
		workspace.add("peer", log);
		expect((await workspace.read({ sessionId: "peer" })).target).toEqual({ sessionId: "peer", title: "red and more" });
	});
});
