/**
 * What is kept beside the logs, and that a record that can't be trusted hides its session.
 */
import { createHash } from "node:crypto";
import {
	chmodSync,
	chownSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { SessionRecords, UnreadableRecordError } from "../../lib/sessions/session-records.ts";
import { temporaryDirectory } from "./log-directory.ts";

const ID = "../../a session/with an odd id";

function recordsIn(agentDirectory = temporaryDirectory()) {
	const directory = path.join(agentDirectory, "cross-session", "sessions");
	const file = path.join(directory, `${createHash("sha256").update(ID).digest("hex")}.json`);
	return { records: new SessionRecords(agentDirectory), directory, file };
}

/** One record as it is found, in both ways of looking. */
function found(records: SessionRecords) {
	const record = records.read(ID);
	expect(records.lookup()(ID)).toEqual(record);
	return record;
}

const hidden = { private: true, subagent: false, kept: false };
const nothing = { private: false, subagent: false, kept: false };

describe("a record", () => {
	test("is nothing, and leaves nothing on the disk, until something is to be kept", () => {
		const { records, directory } = recordsIn();
		expect(found(records)).toEqual(nothing);
		expect(() => readdirSync(directory)).toThrow("ENOENT");
	});

	test("holds what was set, for whoever reads it later", () => {
		const agentDirectory = temporaryDirectory();
		const { records } = recordsIn(agentDirectory);
		records.setPrivate(ID, true);
		expect(found(recordsIn(agentDirectory).records)).toEqual({ private: true, subagent: false, kept: true });
		records.setSubagent(ID);
		expect(found(records)).toEqual({ private: true, subagent: true, kept: true });
		records.setPrivate(ID, false);
		expect(found(records)).toEqual({ private: false, subagent: true, kept: true });
		expect(records.read("another session")).toEqual(nothing);
	});

	test("is a small file named by the hash of the id, for its owner alone, with nothing beside it", () => {
		const { records, directory, file } = recordsIn();
		records.setPrivate(ID, true);
		expect(readdirSync(directory)).toEqual([path.basename(file)]);
		expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ version: 1, private: true });
		expect(statSync(file).mode & 0o777).toBe(0o600);
		expect(statSync(directory).mode & 0o777).toBe(0o700);
	});

	test("closes a directory that others could look into", () => {
		const { records, directory } = recordsIn();
		mkdirSync(directory, { recursive: true });
		chmodSync(directory, 0o755);
		records.setPrivate(ID, true);
		expect(statSync(directory).mode & 0o777).toBe(0o700);
	});
});

const isRoot = process.getuid?.() === 0;
const SPOILED: Readonly<Record<string, (file: string) => void>> = {
	"can be read by the group": (file) => chmodSync(file, 0o640),
	"can be written by others": (file) => chmodSync(file, 0o602),
	"is a link": (file) => {
		renameSync(file, `${file}.elsewhere`);
		symlinkSync(`${file}.elsewhere`, file);
	},
	"is a link to nothing": (file) => {
		renameSync(file, `${file}.elsewhere`);
		symlinkSync(`${file}.nothing`, file);
	},
	"is a directory": (file) => {
		renameSync(file, `${file}.elsewhere`);
		mkdirSync(file);
	},
	"is empty": (file) => writeFileSync(file, ""),
	"is no JSON": (file) => writeFileSync(file, "{"),
	"is no object": (file) => writeFileSync(file, "null"),
	"is of another version": (file) => writeFileSync(file, '{"version":2,"private":false}'),
	"says something else about being private": (file) => writeFileSync(file, '{"version":1,"private":"no"}'),
	"names another origin": (file) => writeFileSync(file, '{"version":1,"origin":"root"}'),
	"is too large": (file) => writeFileSync(file, `{"version":1${" ".repeat(5000)}}`),
	...(isRoot && { "belongs to somebody else": (file: string) => chownSync(file, 12345, 12345) }),
};

describe("a session is private when its record", () => {
	test.each(Object.entries(SPOILED))("%s", (_name, spoil) => {
		const { records, file } = recordsIn();
		records.setSubagent(ID);
		spoil(file);
		expect(found(records)).toEqual(hidden);
	});

	test("and every other record can't be found, since their directory is none", () => {
		const agentDirectory = temporaryDirectory();
		mkdirSync(path.join(agentDirectory, "cross-session"));
		writeFileSync(path.join(agentDirectory, "cross-session", "sessions"), "");
		expect(found(recordsIn(agentDirectory).records)).toEqual(hidden);
	});
});

describe("a record that can't be read", () => {
	test.each(Object.entries(SPOILED))(
		"is left as it is by whoever shows or hides the session, when it %s",
		(_name, spoil) => {
			const { records, directory, file } = recordsIn();
			records.setSubagent(ID);
			spoil(file);
			const names = readdirSync(directory);
			for (const choice of [true, false]) {
				expect(() => records.setPrivate(ID, choice)).toThrow(UnreadableRecordError);
				expect(found(records)).toEqual(hidden);
			}
			expect(readdirSync(directory)).toEqual(names);
		},
	);

	test("still says that the session is a subagent's when it has been put right", () => {
		const { records, file } = recordsIn();
		records.setSubagent(ID);
		chmodSync(file, 0o644);
		expect(() => records.setPrivate(ID, false)).toThrow(`cross-session/sessions/${path.basename(file)}`);
		chmodSync(file, 0o600);
		records.setPrivate(ID, false);
		expect(found(records)).toEqual({ private: false, subagent: true, kept: true });
	});

	test("is replaced for a subagent's session, which stays private then", () => {
		const { records, file } = recordsIn();
		records.setPrivate(ID, false);
		writeFileSync(file, "{");
		records.setSubagent(ID);
		expect(found(records)).toEqual({ private: true, subagent: true, kept: true });
	});
});
