/**
 * What the reader's differential test stands on: that random logs have the traits they claim, and that the oracle is
 * the SDK.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type ExpectedLog, expectedLog, expectedSurface } from "./expected-surface.ts";
import type { JsonObject } from "./pi-entries.ts";
import { FORBIDDEN } from "./random-content.ts";
import { type RandomLog, randomLog } from "./random-tree.ts";

vi.setConfig({ testTimeout: 60_000 });

const SAMPLE = { numRuns: 200, seed: 20260301 };

describe("random logs", () => {
	test("have, among some hundreds, every trait that a reader must get right", () => {
		const logs = fc.sample(randomLog(), SAMPLE).map((log): Sampled => ({ ...log, ...expectedLog(log.bytes) }));
		const missing = Object.entries(TRAITS).filter(([, has]) => logs.filter(has).length < 3);
		expect(missing.map(([trait]) => trait)).toEqual([]);
	});

	test("keep every forbidden text off the surface", () => {
		fc.assert(
			fc.property(randomLog(), ({ bytes }) => {
				expect(expectedSurface(bytes).filter(({ text }) => text.includes(FORBIDDEN))).toEqual([]);
			}),
			SAMPLE,
		);
	});

	test("say of each entry exactly what its line parses to", () => {
		fc.assert(
			fc.property(randomLog(), ({ lines }) => {
				for (const { text, entry } of lines) {
					if (entry !== null) expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(entry)));
				}
			}),
			SAMPLE,
		);
	});
});

describe("the oracle", () => {
	test("shows the messages that the SDK itself projects from the file", () => {
		const directory = mkdtempSync(join(tmpdir(), "random-tree-"));
		onTestFinished(() => rmSync(directory, { recursive: true }));
		let compared = 0;
		for (const [index, { bytes, lines }] of fc.sample(randomLog({ versions: [3] }), SAMPLE).entries()) {
			// The SDK's own walk fails on these.
			if (expectedLog(bytes).cyclic || lines.some(({ text }) => isNoObject(text))) continue;
			const file = join(directory, `${index}.jsonl`);
			const complete = bytes.subarray(0, bytes.lastIndexOf("\n") + 1);
			writeFileSync(file, complete);
			expect(expectedSurface(bytes).map(({ text }) => text)).toEqual(textsInSdk(file));
			compared += 1;
		}
		expect(compared).toBeGreaterThan(80);
	});

	test("counts physical lines, blank and damaged ones too", () => {
		const user = '{"type":"message","id":"a","parentId":null,"timestamp":"","message":{"role":"user","content":"hi"}}';
		const file = ['{"type":"session","version":3,"id":"s"}', "", "damaged", user, "[]", ""].join("\n");
		expect(expectedLog(Buffer.from(file))).toEqual({
			eligible: [{ seq: 3, role: "user", text: "hi", checkpoint: false }],
			throughSeq: 3,
			title: null,
			cyclic: false,
		});
	});
});

function entriesOf(log: RandomLog): JsonObject[] {
	return log.lines.flatMap(({ entry }) => (entry === null ? [] : [entry]));
}

/** Whether some text of the file, escapes and all, has what is looked for. */
const written =
	(pattern: RegExp) =>
	({ bytes }: RandomLog): boolean =>
		pattern.test(bytes.toString("latin1"));

type Sampled = RandomLog & ExpectedLog;

const TRAITS: Readonly<Record<string, (log: Sampled) => boolean>> = {
	"version 1": ({ version }) => version === 1,
	"version 2": ({ version }) => version === 2,
	"a checkpoint on the surface": ({ eligible }) => eligible.some(({ checkpoint }) => checkpoint),
	"a checkpoint before kept messages": ({ eligible }) => {
		const [first, second] = eligible;
		return first?.checkpoint === true && second !== undefined && second.seq < first.seq;
	},
	"several compactions": (log) => entriesOf(log).filter(({ type }) => type === "compaction").length > 2,
	"an edit that changes the surface": (log) => {
		const edited = entriesOf(log);
		const unedited = edited.map((entry) => (entry.type === "context_edit" ? { ...entry, targetId: "none" } : entry));
		return surfaceTexts(edited) !== surfaceTexts(unedited);
	},
	"a cycle": ({ cyclic }) => cyclic,
	"several roots": (log) => entriesOf(log).filter(({ parentId }) => parentId === null).length > 1,
	"a long surface": ({ eligible }) => eligible.length > 8,
	"an empty surface over entries": (log) => entriesOf(log).length > 3 && log.eligible.length === 0,
	"a title": ({ title }) => title !== null,
	"a repaired lone surrogate": ({ eligible }) => eligible.some(({ text }) => text.includes("\ufffd")),
	"a typed skill": ({ eligible }) => eligible.some(({ text }) => text.startsWith("/skill:")),
	"a text of many kilobytes": ({ eligible }) => eligible.some(({ text }) => text.length > 10_000),
	"a surrogate pair as escapes": written(/\\u[dD]83[dD]\\u[dD][eE]/),
	"an escaped id": written(/"id": ?"\\u/),
	"a carriage return": written(/}\r\n/),
	"a blank line": written(/\n\n/),
	"a line that is no object": ({ lines }) => lines.some(({ text }) => isNoObject(text)),
	"an unfinished last line": written(/[^\n]$/),
	"bytes that are not UTF-8": written(/\xff/),
	"keys after the timestamp": written(/"timestamp":"[^"]+","writer"/),
};

/** The surface of a whole, undamaged file with these entries. */
function surfaceTexts(entries: readonly JsonObject[]): string {
	const header = { type: "session", version: 3, id: "s" };
	const file = [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join("");
	return JSON.stringify(expectedSurface(Buffer.from(file)).map(({ text }) => text));
}

function isNoObject(text: string): boolean {
	return /^(123|null|\[.*|true|"text"|-0.5e3)$/.test(text);
}

/** User, completed assistant and summary texts in the SDK's own projection, read from the file by the SDK. */
function textsInSdk(file: string): string[] {
	const complete = new Set(["stop", "length", "toolUse"]);
	return SessionManager.open(file)
		.buildSessionProjection()
		.entries.flatMap(({ sourceEntry, messages }) =>
			messages.flatMap((message) => {
				if (message.role === "compactionSummary") return message.summary.toWellFormed() || null;
				const shown = message.role === "user" || (message.role === "assistant" && complete.has(message.stopReason));
				return shown && sourceEntry.type === "message" ? shownText(message.role, message.content) : [];
			}),
		)
		.filter((text): text is string => text !== null);
}

/** Null for a message without text. */
function shownText(role: string, content: unknown): string | null {
	const blocks = typeof content === "string" ? [{ type: "text", text: content }] : (content as JsonObject[]);
	const texts = blocks.flatMap(({ type, text }) => (type === "text" ? String(text) : []));
	const skill =
		role === "user"
			? /^<skill name="([^"]+)" location="[^"]+">\n[\s\S]*?\n<\/skill>(?:\n\n([\s\S]+))?$/.exec(texts[0] ?? "")
			: null;
	if (skill) texts[0] = `/skill:${skill[1]} ${skill[2]?.trim() ?? ""}`.trimEnd();
	return texts.some((text) => text !== "") ? texts.join("\n").toWellFormed() : null;
}
