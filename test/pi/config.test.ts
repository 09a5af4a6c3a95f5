/** The one configuration file, as a table of what it may hold and of what is said when it does not fit. */
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../lib/pi/config.ts";
import { temporaryDirectory } from "../support/pi/workspaces.ts";

function readText(text: string) {
	const directory = temporaryDirectory("config");
	writeFileSync(path.join(directory, "cross-session.json"), text);
	return readConfig(directory);
}

const defaults = readConfig(temporaryPath()).config;

/** A directory that is not there. */
function temporaryPath(): string {
	return path.join(import.meta.dirname, "there-is-no-such-directory");
}

test("without a file everything is off and at its bound, and nothing is reported", () => {
	expect(readConfig(temporaryPath())).toEqual({ config: defaults, problem: null });
	expect(defaults).toMatchObject({
		rpc: false,
		tool: false,
		inbound: "accept",
		contextRequests: 256,
		sendRequests: 256,
	});
});

test("a file may set all there is", () => {
	const whole = {
		rpc: true,
		tool: true,
		inbound: "show",
		contextRequests: 4096,
		sendRequests: 1,
		limits: {
			messages: 8,
			messageBytes: 4096,
			totalBytes: 256,
			overviewMessages: 1,
			overviewMessageBytes: 1024,
			tools: 0,
		},
		references: { maxReferences: 1, candidateLimit: 10, maxReferenceBytes: 1024 },
		gate: { extraTools: ["deploy"], extensionTurns: "trusted" },
	};
	expect(readText(JSON.stringify(whole))).toEqual({ config: whole, problem: null });
});

describe("a wrong file is ignored as a whole, and the report names the key and what was expected", () => {
	const wrong: [text: string, key: string, expected: RegExp][] = [
		['{"rpc":"yes"}', "rpc", /expected boolean/],
		['{"tool":null}', "tool", /expected boolean/],
		['{"inbound":"drop"}', "inbound", /expected one of "accept"\|"show"\|"refuse"/],
		['{"contextRequests":4097}', "contextRequests", /<=4096/],
		['{"contextRequests":0}', "contextRequests", />=1/],
		['{"sendRequests":1.5}', "sendRequests", /expected int/],
		['{"limits":{"messages":9}}', "limits.messages", /<=8/],
		['{"limits":{"messageBytes":4097}}', "limits.messageBytes", /<=4096/],
		['{"limits":{"totalBytes":16385}}', "limits.totalBytes", /<=16384/],
		['{"limits":{"overviewMessages":4}}', "limits.overviewMessages", /<=3/],
		['{"limits":{"overviewMessageBytes":1025}}', "limits.overviewMessageBytes", /<=1024/],
		['{"limits":{"tools":9}}', "limits.tools", /<=8/],
		['{"limits":{"totalBytes":1}}', "limits.totalBytes", />=256/],
		['{"limits":[]}', "limits", /expected object/],
		['{"references":{"maxReferences":4}}', "references.maxReferences", /<=3/],
		['{"gate":{"extraTools":["a",7]}}', "gate.extraTools.1", /expected string/],
		['{"gate":{"extensionTurns":"free"}}', "gate.extensionTurns", /expected one of "gated"\|"trusted"/],
		['{"limit":{}}', "limit", /expected one of rpc, tool, inbound, .*limits/],
		['{"limits":{"mesages":1}}', "limits.mesages", /expected one of messages, messageBytes, /],
		["[]", "the file", /expected object/],
		["null", "the file", /expected object/],
	];

	test.each(wrong)("%s", (text, key, expected) => {
		const { config, problem } = readText(text);
		expect(config).toEqual(defaults);
		expect(problem).toMatch(/^cross-session\.json is ignored, defaults are used: /);
		expect(problem?.split(": ")[1]).toBe(key);
		expect(problem).toMatch(expected);
		expect(problem).toMatch(/Correct it and \/reload\.$/);
	});

	test("also where the right half of it would turn something on", () => {
		expect(readText('{"rpc":true,"tool":true,"limits":{"messages":0}}').config).toEqual(defaults);
	});

	test("and no key of it can write on the screen", () => {
		const { problem } = readText(JSON.stringify({ "\u001b[2J\u202eevil\n": 1 }));
		// biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there.
		expect(problem).not.toMatch(/[\u0000-\u001f\u202e]/);
		expect(problem).toContain("evil");
	});
});

describe("a file that can't be read is reported and ignored", () => {
	test("when it is no JSON", () => {
		expect(readText("{ rpc: true }")).toEqual({ config: defaults, problem: expect.stringContaining("not valid JSON") });
	});

	test("when it is too large", () => {
		const { problem } = readText(`{"rpc":true,"gate":{"extraTools":["${"x".repeat(70_000)}"]}}`);
		expect(problem).toContain("too large");
	});

	test("when it is a directory", () => {
		const directory = temporaryDirectory("config");
		mkdirSync(path.join(directory, "cross-session.json"));
		expect(readConfig(directory).problem).toContain("not a regular file");
	});

	test("when it is a link to nowhere, which is no file at all", () => {
		const directory = temporaryDirectory("config");
		symlinkSync(path.join(directory, "nothing"), path.join(directory, "cross-session.json"));
		expect(readConfig(directory)).toEqual({ config: defaults, problem: null });
	});

	test("when it is a pipe, without waiting for a writer", () => {
		const directory = temporaryDirectory("config");
		execFileSync("mkfifo", [path.join(directory, "cross-session.json")]);
		// In a process of its own, which can be ended should it wait.
		const script = `import { readConfig } from ${JSON.stringify(path.resolve("lib/pi/config.ts"))};
			process.stdout.write(String(readConfig(${JSON.stringify(directory)}).problem));`;
		const problem = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
			timeout: 20_000,
			encoding: "utf8",
			stdio: ["ignore", "pipe", "ignore"],
		});
		expect(problem).toContain("not a regular file");
	});
});
