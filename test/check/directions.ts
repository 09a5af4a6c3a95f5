// Imports between rooms go one way. The rules stand in .dependency-cruiser.cjs; here they are applied to the project, and
// to a planted tree that breaks each of them, because a tool that could not read the files would find nothing either.
import { existsSync } from "node:fs";
import { copyFile, glob, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import type { Step } from "./step.ts";
import { CheckFailure, projectDirectory, runTool } from "./step.ts";

const reportSchema = z.object({
	modules: z.array(z.object({ source: z.string() })),
	summary: z.object({
		violations: z.array(
			z.object({
				from: z.string(),
				to: z.string(),
				rule: z.object({ name: z.string() }),
				comment: z.string().optional(),
			}),
		),
	}),
});
type Report = z.infer<typeof reportSchema>;

/** Reads all imports of the product files below `directory` and judges them by the project's rules. */
async function judgeImports(directory: string): Promise<Report> {
	const starts = ["lib", "extension.ts"].filter((start) => existsSync(path.join(directory, start)));
	const config = path.join(projectDirectory, ".dependency-cruiser.cjs");
	const tool = await runTool("depcruise", ["--config", config, "--output-type", "json", ...starts], directory);
	try {
		return reportSchema.parse(JSON.parse(tool.stdout));
	} catch {
		throw new CheckFailure(`dependency-cruiser gave no report\n${tool.output}`);
	}
}

export const directions: Step = {
	proves: "imports between rooms go one way, types included",
	async run() {
		const { modules, summary } = await judgeImports(projectDirectory);
		const read = new Set(modules.map((module) => module.source));
		for await (const file of glob("lib/**/*.ts", { cwd: projectDirectory })) {
			if (!read.has(file)) throw new CheckFailure(`${file} was not read, so nothing is known of its imports`);
		}
		if (summary.violations.length === 0) return;
		throw new CheckFailure(summary.violations.map(({ from, to, rule }) => `${from} → ${to} (${rule.name})`).join("\n"));
	},
};

interface Planted {
	readonly file: string;
	readonly text: string;
	/** The rule that has to find it; null for what is allowed. */
	readonly rule: string | null;
}

/** Every way to import, and every rule, at least once. */
export const planted: readonly Planted[] = [
	{ file: "lib/pi/target.ts", text: "export const a = 1; export type A = 1;", rule: null },
	{ file: "lib/contract/target.ts", text: "export const a = 1; export type A = 1;", rule: null },
	{
		file: "lib/contract/allowed.ts",
		text: 'import type { Emitter } from "mitt"; import * as z from "zod"; import { a } from "./target.ts"; export type E = Emitter<never>; export { a, z };',
		rule: null,
	},
	{
		file: "lib/pi/allowed.ts",
		text: 'import net from "node:net"; import type { TUI } from "@earendil-works/pi-tui"; import { a } from "../contract/target.ts"; export type T = TUI; export { a, net };',
		rule: null,
	},
	...[
		'import { a } from "../pi/target.ts"; export const b = a;',
		'import type { A } from "../pi/target.ts"; export type B = A;',
		'export type B = import("../pi/target.ts").A;',
		'export type B = typeof import("../pi/target.ts");',
		'export const b = import("../pi/target.ts");',
		'export * from "../pi/target.ts";',
		'import "../contract/../../lib/pi/target.ts";',
		'import { createRequire } from "node:module"; const require = createRequire(import.meta.url); require("../pi/target.ts");',
	].map((text, index) => ({ file: `lib/wire/way-${index}.ts`, text, rule: "wire-imports-only-its-own-rooms" })),
	{ file: "lib/cellar/new.ts", text: 'export * from "../contract/target.ts";', rule: "every-room-has-its-rule" },
	{
		file: "lib/pi/upward.ts",
		text: 'export type B = import("../../extension.ts").B;',
		rule: "nobody-imports-the-extension-or-the-tests",
	},
	{
		file: "lib/wire/sdk.ts",
		text: 'export type { ExtensionAPI } from "@earendil-works/pi-coding-agent";',
		rule: "rooms-without-the-sdk",
	},
	{ file: "lib/references/sdk.ts", text: 'export type B = import("typebox").TSchema;', rule: "rooms-without-the-sdk" },
	{ file: "lib/contract/io.ts", text: 'export * from "node:fs";', rule: "contract-imports-zod-and-mitt" },
	{ file: "lib/projection/io.ts", text: 'export * from "fs";', rule: "projection-is-pure" },
	{ file: "lib/pi/tool.ts", text: 'export * from "fast-check";', rule: "only-declared-packages" },
	{ file: "lib/pi/undeclared.ts", text: 'export type * from "@earendil-works/pi-ai";', rule: "only-declared-packages" },
	{ file: "lib/pi/nowhere.ts", text: 'export * from "./gone.ts";', rule: "no-unresolved-import" },
	// A circle is reported once. One that exists for types alone is none when the files are loaded.
	{ file: "lib/pi/circle.ts", text: 'import "./circle-back.ts";', rule: null },
	{ file: "lib/pi/circle-back.ts", text: 'import "./circle.ts";', rule: "no-cycle" },
	{ file: "lib/pi/shape.ts", text: 'import type { A } from "./value.ts"; export type B = A;', rule: null },
	{ file: "lib/pi/value.ts", text: 'import "./shape.ts"; export type A = 1;', rule: null },
	{ file: "extension.ts", text: 'import "./lib/pi/allowed.ts"; export type B = 1;', rule: null },
];

async function plant(directory: string): Promise<void> {
	await copyFile(path.join(projectDirectory, "tsconfig.json"), path.join(directory, "tsconfig.json"));
	await copyFile(path.join(projectDirectory, "package.json"), path.join(directory, "package.json"));
	await symlink(path.join(projectDirectory, "node_modules"), path.join(directory, "node_modules"));
	for (const { file, text } of planted) {
		await mkdir(path.dirname(path.join(directory, file)), { recursive: true });
		await writeFile(path.join(directory, file), text);
	}
}

export const plantedViolations: Step = {
	proves: "a planted wrong import of every kind is found, and a right one is not",
	async run() {
		const directory = await mkdtemp(path.join(tmpdir(), "planted-"));
		try {
			await plant(directory);
			const { violations } = (await judgeImports(directory)).summary;
			const wrong = planted.flatMap(({ file, rule }) => {
				const found = violations.filter(({ from }) => from === file).map((violation) => violation.rule.name);
				const asPlanted = rule === null ? found.length === 0 : found.includes(rule);
				return asPlanted ? [] : [`${file}: expected ${rule ?? "nothing"}, found ${found.join(", ") || "nothing"}`];
			});
			if (wrong.length > 0) throw new CheckFailure(wrong.join("\n"));
		} finally {
			await rm(directory, { recursive: true, force: true });
		}
	},
};
