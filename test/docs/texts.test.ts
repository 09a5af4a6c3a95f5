/** What the texts say of the code: links, commands, flags, settings, figures, rooms and versions. */
import { existsSync, globSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { COMPACTION_IDLE_MS } from "../../lib/authority/compaction.ts";
import { supportedSdks } from "../sdk/supported-sdks.ts";
import { fencedBlocks, readText } from "./fenced-blocks.ts";
import { project } from "./installed-contract.ts";
import { ownCommands, sources, tableUnder } from "./text-facts.ts";

const texts = ["README.md", ...globSync("docs/**/*.md", { cwd: project })].sort();

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
		expect([file, tests.some((source) => source.includes(`"${file}"`))]).toEqual([file, true]);
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

	test("speaks of names and files that are there", () => {
		const files = globSync("lib/**/*.ts", { cwd: project }).map((file) => path.basename(file, ".ts"));
		const named = [...readText("docs/architecture.md").matchAll(/`([A-Za-z-]+)`/g)].map(([, name = ""]) => name);
		const known = (name: string) =>
			rules.has(name) || files.includes(name) || new RegExp(`\\b${name}\\b`).test(sources);
		expect(named.filter((name) => !known(name))).toEqual([]);
		expect(named.length).toBeGreaterThan(50);
	});

	test("tells of every file that reads a log", () => {
		const files = readdirSync(path.join(project, "lib/sessions/log")).map((file) => path.basename(file, ".ts"));
		const named = tableUnder("docs/architecture.md", "How a log is read").map(([names = ""]) => names.split(", "));
		expect(named.flat().sort()).toEqual(files.map((file) => `\`${file}\``).sort());
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
