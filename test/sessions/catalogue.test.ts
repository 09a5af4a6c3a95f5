/**
 * Which sessions there are: found by headers alone, in directories and among hints.
 */
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Catalogue, type CatalogueSources } from "../../lib/sessions/catalogue.ts";
import { bytesRead } from "./file-reads.ts";
import { temporaryDirectory } from "./log-directory.ts";
import { SessionLog } from "./session-log.ts";

afterEach(() => {
	vi.restoreAllMocks();
});

function writeSession(file: string, id: string, cwd = "/home/project"): string {
	const log = new SessionLog({ id, cwd });
	log.user("what no catalogue reads");
	writeFileSync(file, log.toBuffer());
	return file;
}

async function idsIn(sources: Partial<CatalogueSources>, catalogue = new Catalogue()): Promise<string[]> {
	const logs = await catalogue.list({ directories: [], files: [], ...sources });
	return logs.map(({ header }) => header.id);
}

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000);

describe("the catalogue of a directory", () => {
	test("has every log by its header, the last changed first", async () => {
		const directory = temporaryDirectory();
		for (const [index, id] of ["second", "first", "third"].entries()) {
			const file = writeSession(path.join(directory, `${index}.jsonl`), id);
			utimesSync(file, at(0), at({ first: 30, second: 20, third: 10 }[id] ?? 0));
		}
		const [first, ...rest] = await new Catalogue().list({ directories: [directory], files: [] });
		expect(first).toEqual({
			path: path.join(directory, "1.jsonl"),
			header: {
				id: "first",
				cwd: "/home/project",
				version: 3,
				parentSession: null,
				createdAt: Date.UTC(2026, 3, 1, 12),
			},
			changedAt: at(30).getTime(),
		});
		expect(rest.map(({ header }) => header.id)).toEqual(["second", "third"]);
	});

	test("tells sessions apart whose directories share one name", async () => {
		const directory = temporaryDirectory();
		for (const [index, cwd] of ["/a/b-c", "/a-b/c", "/a/b/c", "/a/b/c/"].entries()) {
			writeSession(path.join(directory, `${index}.jsonl`), `in ${cwd}`, cwd);
		}
		const logs = await new Catalogue().list({ directories: [directory], files: [] });
		for (const { header } of logs) expect(header.id).toBe(`in ${header.cwd}`);
		expect(logs).toHaveLength(4);
	});

	test("is found through a link to it, and has each session once", async () => {
		const directory = temporaryDirectory();
		const link = path.join(temporaryDirectory(), "link");
		symlinkSync(directory, link);
		writeSession(path.join(directory, "one.jsonl"), "one");
		expect(await idsIn({ directories: [link] })).toEqual(["one"]);
		expect(await idsIn({ directories: [link, directory, directory] })).toEqual(["one"]);
	});

	test("takes the last changed of two files with the same id", async () => {
		const directory = temporaryDirectory();
		const [older, newer] = ["z", "a"].map((name) => writeSession(path.join(directory, `${name}.jsonl`), "twice"));
		utimesSync(older ?? "", at(0), at(1));
		utimesSync(newer ?? "", at(0), at(2));
		const logs = await new Catalogue().list({ directories: [directory], files: [] });
		expect(logs.map((log) => log.path)).toEqual([newer]);
	});

	test("is empty when there is no such directory, or it is a file", async () => {
		const directory = temporaryDirectory();
		const file = writeSession(path.join(directory, "one.jsonl"), "one");
		expect(await idsIn({ directories: [path.join(directory, "none"), file, ""] })).toEqual([]);
	});

	test("has only files with the name of a log", async () => {
		const directory = temporaryDirectory();
		for (const name of ["one.jsonl", "two.json", "three.jsonl.bak", "four"]) {
			writeSession(path.join(directory, name), name);
		}
		mkdirSync(path.join(directory, "five.jsonl"));
		writeSession(path.join(directory, "five.jsonl", "six.jsonl"), "six");
		expect(await idsIn({ directories: [directory] })).toEqual(["one.jsonl"]);
	});
});

describe("a header", () => {
	const HEADERS: Readonly<Record<string, { text: string; id: string | undefined }>> = {
		"without a cwd has none": { text: '{"type":"session","id":"s"}\n', id: "s" },
		"with a cwd that is no text has none": { text: '{"type":"session","id":"s","cwd":5}\n', id: "s" },
		"behind blank and damaged lines is found": { text: 'torn}\n\n{"type":"session","id":"s"}\n', id: "s" },
		"that its writer has not finished is none": { text: '{"type":"session","id":"s"}', id: undefined },
		"without an id is none": { text: '{"type":"session","cwd":"/w"}\n', id: undefined },
		"with an empty id is none": { text: '{"type":"session","id":""}\n', id: undefined },
		"with an endless id is none": { text: `{"type":"session","id":"${"s".repeat(600)}"}\n`, id: undefined },
		"of another type is none": { text: '{"type":"message","id":"s"}\n', id: undefined },
		"that is long is found": { text: `{"type":"session","id":"s","more":"${"x".repeat(60_000)}"}\n`, id: "s" },
		"that is too long is none": {
			text: `{"type":"session","id":"s","more":"${"x".repeat(70_000)}"}\n`,
			id: undefined,
		},
		"behind another entry is none": { text: '{"type":"custom"}\n{"type":"session","id":"s"}\n', id: undefined },
	};

	test.each(Object.entries(HEADERS))("%s", async (_name, { text, id }) => {
		const directory = temporaryDirectory();
		writeFileSync(path.join(directory, "one.jsonl"), text);
		const logs = await new Catalogue().list({ directories: [directory], files: [] });
		expect(logs.map(({ header }) => header.id)).toEqual(id === undefined ? [] : [id]);
		for (const { header } of logs) expect(header.cwd).toBe("");
	});

	test("costs a bounded read, whatever comes after it", async () => {
		const directory = temporaryDirectory();
		writeFileSync(path.join(directory, "one.jsonl"), `${new SessionLog()}${"x".repeat(5_000_000)}\n`);
		writeFileSync(path.join(directory, "two.jsonl"), "x".repeat(5_000_000));
		expect(await bytesRead(() => idsIn({ directories: [directory] }))).toBeLessThan(80 * 1024);
	});

	test("is read again only when the file has changed", async () => {
		const directory = temporaryDirectory();
		const file = writeSession(path.join(directory, "one.jsonl"), "one");
		const catalogue = new Catalogue();
		await idsIn({ directories: [directory] }, catalogue);
		expect(await bytesRead(() => idsIn({ directories: [directory] }, catalogue))).toBe(0);
		appendFileSync(file, "{}\n");
		expect(await bytesRead(() => idsIn({ directories: [directory] }, catalogue))).toBeGreaterThan(0);
		renameSync(writeSession(`${file}.new`, "another"), file);
		expect(await idsIn({ directories: [directory] }, catalogue)).toEqual(["another"]);
		rmSync(file);
		expect(await idsIn({ directories: [directory] }, catalogue)).toEqual([]);
	});
});

describe("a file that was named as a hint", () => {
	test("is looked at like any other", async () => {
		const directory = temporaryDirectory();
		const file = writeSession(path.join(directory, "one.jsonl"), "one");
		const link = path.join(directory, "link.jsonl");
		symlinkSync(file, link);
		const noLog = path.join(directory, "two.jsonl");
		writeFileSync(noLog, "no log");
		const other = writeSession(path.join(directory, "three.txt"), "three");
		expect(await idsIn({ files: [file, noLog, other, path.join(directory, "none.jsonl")] })).toEqual(["one"]);
		expect(await idsIn({ files: [link] })).toEqual([]);
		expect(await idsIn({ files: [path.relative(process.cwd(), file)] })).toEqual([]);
	});

	test("adds nothing to what its directory shows already", async () => {
		const directory = temporaryDirectory();
		const file = writeSession(path.join(directory, "one.jsonl"), "one");
		const roundabout = path.join(directory, "..", path.basename(directory), "one.jsonl");
		expect(await idsIn({ directories: [directory], files: [file, roundabout, `${directory}//one.jsonl`] })).toEqual([
			"one",
		]);
	});
});

describe("thousands of sessions", () => {
	test("are listed without holding up other work, and can be cancelled", async () => {
		const directory = temporaryDirectory();
		const text = new SessionLog().toString();
		for (let number = 0; number < 3000; number++) {
			writeFileSync(path.join(directory, `${number}.jsonl`), text.replace('"peer"', `"session ${number}"`));
		}
		const sources = { directories: [directory], files: [] };
		const catalogue = new Catalogue();
		let turns = 0;
		const counting = setInterval(() => turns++, 1);
		expect(new Set((await catalogue.list(sources)).map(({ header }) => header.id)).size).toBe(3000);
		clearInterval(counting);
		expect(turns).toBeGreaterThan(1);
		await expect(catalogue.list(sources, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
		expect(await bytesRead(() => catalogue.list(sources))).toBe(0);
	});
});
