/** What the texts say of the code: links, commands, flags, settings, figures, rooms and versions. */
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { COMPACTION_IDLE_MS } from "../../lib/authority/compaction.ts";
import { MAX_REPLIES } from "../../lib/authority/tool-gate.ts";
import { BRIDGE_LIMITS } from "../../lib/contract/bridge.ts";
import { MAX_GIVEN_SUMMARY_UNITS, PEER_CONTEXT_LIMITS, PEER_CONTEXT_MAX_BYTES } from "../../lib/contract/index.ts";
import { ANSWER_DEADLINE_MS, DEFAULT_REQUESTS, MAX_REQUESTS } from "../../lib/contract/limits.ts";
import { MAX_REQUEST_TIMEOUT_MS } from "../../lib/contract/request-rpc.ts";
import { FUTURE_TOLERANCE, MESSAGE_LIFETIME, REPETITION_WINDOW } from "../../lib/inbox/admission.ts";
import { BUDGET_UNITS, LOW_BUDGET_UNITS } from "../../lib/inbox/budget.ts";
import { QUEUE_CAPACITY, QUEUE_LIFETIME_MS } from "../../lib/inbox/safe-queue.ts";
import { BUCKET_REFILL_PER_SECOND, BUCKET_TOKENS } from "../../lib/inbox/sender-buckets.ts";
import { REGISTRATION_LIMITS } from "../../lib/peers/registration.ts";
import { CONFIG_FILE_NAME, readConfig } from "../../lib/pi/config.ts";
import { MAX_HELD } from "../../lib/pi/references/held-queue.ts";
import {
	DEFAULT_CANDIDATES,
	MAX_CANDIDATES,
	MAX_REFERENCE_BYTES,
	MAX_REFERENCES,
} from "../../lib/references/config.ts";
import { MAX_ENTRIES } from "../../lib/sessions/log/log-index.ts";
import { MAX_RECENT_SESSIONS } from "../../lib/sessions/recent-sessions.ts";
import { WIRE_LIMITS } from "../../lib/wire/limits.ts";
import { supportedSdks } from "../sdk/supported-sdks.ts";
import { temporaryDirectory } from "../support/pi/workspaces.ts";
import { fencedBlocks, readText } from "./fenced-blocks.ts";
import { project } from "./installed-contract.ts";

const texts = ["README.md", ...globSync("docs/**/*.md", { cwd: project })].sort();
const sources = ["extension.ts", ...globSync("lib/**/*.ts", { cwd: project })].map(readText).join("\n");

describe.each(texts)("%s", (file) => {
	const text = readText(file);
	const outsideBlocks = text.replaceAll(/^```[\s\S]*?^```$/gm, "");
	const inCode = [...outsideBlocks.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);

	test("its links lead to files and headings that are there", () => {
		const links = [...outsideBlocks.matchAll(/\]\((?!https:)([^)#]*)(?:#([^)]+))?\)/g)];
		for (const [, place = "", heading] of links) {
			const target = place === "" ? file : path.posix.join(path.posix.dirname(file), place);
			expect([target, existsSync(path.join(project, target))]).toEqual([target, true]);
			if (heading !== undefined) expect(headingsOf(target)).toContain(heading);
		}
	});

	test("its blocks are in the hands of a test that names the file", () => {
		if (fencedBlocks(file).length === 0) return;
		const tests = globSync("test/{docs,package}/*.test.ts", { cwd: project }).map(readText);
		const name = file.replace("docs/examples/host-adapter/", "");
		expect([file, tests.some((source) => source.includes(name))]).toEqual([file, true]);
	});

	test("its commands and flags are there", () => {
		const commands = inCode.flatMap((code) => /^\/([a-z][a-z-]+)(?: [A-Z a-z|\\]*)?$/.exec(code)?.[1] ?? []);
		const known = new Set([...ownCommands(), ...exampleCommands(), ...commandsOfPi]);
		expect(commands.filter((name) => !known.has(name))).toEqual([]);
		const flags = inCode.flatMap((code) => /^--(cross-session-[a-z]+)/.exec(code)?.[1] ?? []);
		expect(flags.filter((flag) => !sources.includes(`"${flag}"`))).toEqual([]);
	});
});

/** Commands of pi itself that the texts speak of. */
const commandsOfPi = ["compact", "fork", "new", "reload", "resume", "tree"];

/** Names under which this package registers commands, by the constant or the text that stands there. */
function ownCommands(): readonly string[] {
	const constants = new Map(
		[...sources.matchAll(/const (\w+) = "([a-z-]+)"/g)].map(([, name, value]) => [name, value]),
	);
	constants.set("INBOUND_COMMAND", constants.get("INBOUND_FLAG"));
	return [...sources.matchAll(/registerCommand\(("([a-z-]+)"|\w+)/g)].map(([, name, text]) => {
		const command = text ?? constants.get(name);
		if (command === undefined) throw new Error(`The command ${name} has no name here.`);
		return command;
	});
}

const exampleCommands = () =>
	[...readText("docs/examples/host-adapter/extension.ts").matchAll(/registerCommand\("([a-z-]+)"/g)].map(
		([, name = ""]) => name,
	);

/** The headings of a text as links name them. */
function headingsOf(file: string): readonly string[] {
	return [...readText(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
		heading
			.toLowerCase()
			.replaceAll(/[^\p{L}\p{N} -]/gu, "")
			.replaceAll(" ", "-"),
	);
}

/** The rows of the table under a heading, cell by cell, without the row of names. */
function tableUnder(file: string, heading: string): readonly (readonly string[])[] {
	const [, part = ""] = readText(file).split(new RegExp(`^## ${heading}$`, "m"));
	const [own = ""] = part.split(/^## /m);
	const rows = own.split("\n").filter((line) => line.startsWith("| "));
	return rows.slice(2).map((row) =>
		row
			.split(/(?<!\\)\|/)
			.slice(1, -1)
			.map((cell) => cell.trim()),
	);
}

const number = (value: number) => value.toLocaleString("en");
const kib = (bytes: number) => `${bytes / 1024} KiB`;
const seconds = (milliseconds: number) => `${milliseconds / 1000}`;

describe("README.md", () => {
	const settings = tableUnder("README.md", "Flags, commands, configuration");

	test("has every command and every flag in its one table", () => {
		const named = settings.map(([name = ""]) => name).join(" ");
		for (const name of ownCommands()) expect(named).toContain(`\`/${name}`);
		for (const [, flag] of sources.matchAll(/_FLAG = "(cross-session-[a-z]+)"/g))
			expect(named).toContain(`\`--${flag}`);
	});

	test("has every key of the configuration there, and no other", () => {
		const named = settings.flatMap(([name = ""]) => [...name.matchAll(/(?<!\/|--|`\w+ )`([a-zA-Z.]+)`/g)]);
		expect(named.map(([, key]) => key).sort()).toEqual(configurationKeys());
	});

	test("has their defaults and bounds from the code", () => {
		const requests = `${DEFAULT_REQUESTS}, up to ${number(MAX_REQUESTS)}`;
		const expected: Record<string, string> = {
			...Object.fromEntries(
				Object.entries(PEER_CONTEXT_LIMITS).map(([key, value]) => [`limits.${key}`, number(value)]),
			),
			"references.maxReferences": number(MAX_REFERENCES),
			"references.maxReferenceBytes": number(MAX_REFERENCE_BYTES),
			"references.candidateLimit": `${DEFAULT_CANDIDATES}, up to ${number(MAX_CANDIDATES)}`,
			contextRequests: requests,
			sendRequests: requests,
		};
		const figures = settings.flatMap(([name = "", , bound = ""]) => {
			const key = name.replaceAll("`", "");
			return key in expected ? [[key, bound]] : [];
		});
		expect(Object.fromEntries(figures)).toEqual(expected);
		const { config } = readConfig(temporaryDirectory("agent"));
		expect(config).toMatchObject({ rpc: false, tool: false, inbound: "accept", gate: {} });
	});

	test("has the limits of the code in its one table of limits", () => {
		const context = PEER_CONTEXT_LIMITS;
		const { connectionMilliseconds, idleMilliseconds } = WIRE_LIMITS;
		expect(tableUnder("README.md", "Limits").map(([, limit]) => limit)).toEqual([
			kib(PEER_CONTEXT_MAX_BYTES),
			`${context.messages}; of an overview ${context.overviewMessages}`,
			`${number(context.messageBytes)}; in an overview ${number(context.overviewMessageBytes)}`,
			number(context.totalBytes),
			number(context.tools),
			number(MAX_ENTRIES),
			`${MAX_REFERENCES}, each ${number(MAX_REFERENCE_BYTES)} bytes`,
			number(MAX_HELD),
			number(MAX_RECENT_SESSIONS),
			`${REGISTRATION_LIMITS.files}, each ${kib(REGISTRATION_LIMITS.fileBytes)}`,
			`${seconds(REGISTRATION_LIMITS.staleMilliseconds)} seconds; it is refreshed every ${seconds(REGISTRATION_LIMITS.refreshMilliseconds)}`,
			`${number(WIRE_LIMITS.textUnits)} UTF-16 units; a whole frame ${WIRE_LIMITS.frameBytes / 2 ** 20} MiB`,
			`${MAX_GIVEN_SUMMARY_UNITS} units when given; ${WIRE_LIMITS.summaryCodePoints} code points on the way`,
			`${BUDGET_UNITS}; the person is told at ${LOW_BUDGET_UNITS}`,
			`${BUCKET_TOKENS} at a time, and one more every ${1 / BUCKET_REFILL_PER_SECOND} seconds`,
			`once in ${seconds(REPETITION_WINDOW)} seconds`,
			`${seconds(MESSAGE_LIFETIME)} seconds; ${seconds(FUTURE_TOLERANCE)} in the future`,
			`${QUEUE_CAPACITY}, each ${seconds(QUEUE_LIFETIME_MS)} seconds`,
			`${MAX_REPLIES}, to its sender only`,
			`${seconds(WIRE_LIMITS.exchangeMilliseconds)} seconds`,
			`${WIRE_LIMITS.probeMilliseconds} ms`,
			`${WIRE_LIMITS.connections}; ${seconds(connectionMilliseconds)} seconds each, ${seconds(idleMilliseconds)} seconds idle after the greeting`,
			`${DEFAULT_REQUESTS}; configurable up to ${number(MAX_REQUESTS)}`,
			`${seconds(ANSWER_DEADLINE_MS)} seconds; a caller waits ${seconds(MAX_REQUEST_TIMEOUT_MS)} at most`,
			`${BRIDGE_LIMITS.hops} hops, ${seconds(BRIDGE_LIMITS.lifetime)} seconds, a budget of ${BRIDGE_LIMITS.budget}`,
		]);
	});

	test("quotes what the package really says, where something goes wrong", () => {
		const seen = tableUnder("README.md", "When something goes wrong").map(([symptom = ""]) => symptom);
		const quoted = seen.flatMap((symptom) => [...symptom.matchAll(/`([^`]+)`/g)].map(([, words = ""]) => words));
		const shown = sources.replaceAll(/\$\{CONFIG_FILE_NAME\}/g, CONFIG_FILE_NAME);
		expect(quoted.filter((words) => !shown.includes(words) && !ownCommands().includes(words.slice(1)))).toEqual([]);
		expect(seen.length).toBeGreaterThan(10);
	});
});

/** Every key of the configuration file, as the report on an unknown one names them. */
function configurationKeys(): readonly string[] {
	const directory = temporaryDirectory("agent");
	const known = (config: unknown): readonly string[] => {
		writeFileSync(path.join(directory, CONFIG_FILE_NAME), JSON.stringify(config));
		const [, names = ""] = /expected one of ([\w, ]+)/.exec(readConfig(directory).problem ?? "") ?? [];
		return names.split(", ");
	};
	const keysOf = (name: string): readonly string[] => {
		writeFileSync(path.join(directory, CONFIG_FILE_NAME), JSON.stringify({ [name]: { unknown: 1 } }));
		const isSection = (readConfig(directory).problem ?? "").includes(`${name}.unknown`);
		return isSection ? known({ [name]: { unknown: 1 } }).map((key) => `${name}.${key}`) : [name];
	};
	return known({ unknown: 1 }).flatMap(keysOf).sort();
}

describe("docs/architecture.md", () => {
	const rooms = tableUnder("docs/architecture.md", "The house");
	const { forbidden } = createRequire(import.meta.url)("../../.dependency-cruiser.cjs") as {
		forbidden: readonly { readonly name: string; readonly comment: string }[];
	};
	/** What each room may use, by the rules that hold the imports. */
	const rules = new Map(
		forbidden.flatMap(({ name, comment }) => {
			const room = /^(\w+)-imports-only-its-own-rooms$/.exec(name)?.[1];
			const [, others] = / may import (.*)$/.exec(comment) ?? [];
			return room === undefined ? [] : [[room, others?.split(", ") ?? []] as const];
		}),
	);

	test("has every room of the house", () => {
		const named = rooms.map(([room = ""]) => room.replaceAll("`", "")).sort();
		expect(named).toEqual(readdirSync(path.join(project, "lib")).sort());
	});

	test("names what each room uses as the rules for imports have it", () => {
		const before: string[] = [];
		for (const [room = "", , uses = ""] of rooms) {
			const name = room.replaceAll("`", "");
			const others = uses.startsWith("all") ? [...before] : uses === "nothing" ? [] : uses.split(", ");
			expect([name, others.sort()]).toEqual([name, [...(rules.get(name) ?? ["no rule"])].sort()]);
			if (name !== "rpc") before.push(name);
		}
	});

	test("draws no arrow that is not in its table", () => {
		const [drawing] = fencedBlocks("docs/architecture.md");
		const lines = (drawing?.text ?? "").split("\n").filter((line) => !line.startsWith("all"));
		const arrows = lines.flatMap((line) => {
			const names = line.match(/[a-z]+/g) ?? [];
			return names.slice(1).map((name, index) => [names[index] ?? "", name] as const);
		});
		expect(arrows.length).toBeGreaterThan(3);
		for (const [used, user] of arrows) expect(rules.get(user)).toContain(used);
	});
});

describe("docs/compatibility.md", () => {
	const text = readText("docs/compatibility.md");

	test("names exactly the versions of pi that the tests run on", () => {
		const named = tableUnder("docs/compatibility.md", "pi and Node").map(([, version]) => version);
		expect([...named].reverse()).toEqual(supportedSdks(project).map(({ version }) => version));
	});

	test("names the oldest Node that package.json and run-clean.sh take", () => {
		const { engines } = JSON.parse(readText("package.json")) as { engines: { node: string } };
		const oldest = /^readonly oldest_node=(.*)$/m.exec(readText("run-clean.sh"))?.[1];
		expect(engines.node).toBe(`>=${oldest}.0`);
		expect(text.replaceAll("\n", " ")).toContain(`Node has to be ${oldest} or newer`);
		expect(readText("README.md")).toContain(`Node ${oldest} or newer`);
	});

	test("has the time after which a silent compaction is over", () => {
		expect(text).toContain(`idle for ${COMPACTION_IDLE_MS / 1000} seconds`);
	});

	test("names the formats by the numbers in the code", () => {
		const versions = tableUnder("docs/compatibility.md", "Versions on the wire").map(([, version]) => Number(version));
		const literal = (file: string, field: string) =>
			Number(new RegExp(`^\\t?(?:const )?${field}(?:: | = )z\\.literal\\((\\d+)\\)`, "m").exec(readText(file))?.[1]);
		expect(versions).toEqual([
			literal("lib/peers/registration.ts", "version"),
			literal("lib/wire/frames.ts", "version"),
			Number(/RPC_VERSION = (\d+)/.exec(readText("lib/contract/identifiers.ts"))?.[1]),
			literal("lib/contract/bridge.ts", "version"),
			literal("lib/contract/peer-context.ts", "schemaVersion"),
		]);
	});
});
