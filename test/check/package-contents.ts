// What is published: only the kinds of files that somebody needs, not heavier than it has to be, and with doors that other
// packages can use without TypeScript at run time and with any current TypeScript at build time.
import { glob, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { z } from "zod";
import type { Step } from "./step.ts";
import { CheckFailure, projectDirectory, requireTool } from "./step.ts";

/** The kinds of files that are published. */
const kinds: readonly RegExp[] = [
	/^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/,
	/^extension\.ts$/,
	/^lib\/([a-z-]+\/)+[a-z0-9-]+\.ts$/,
	/^dist\/(contract|projection|references|sessions)\/[a-z0-9-]+\.(js|d\.ts)$/,
	/^docs\/[a-z0-9-/]+\.(md|ts)$/,
	/^docs\/examples\/[a-z0-9-]+\/(package\.json|README\.md)$/,
];

const required = ["package.json", "README.md", "CHANGELOG.md", "LICENSE", "extension.ts"] as const;

/** Bytes: people install this into every pi, so that growth has to be meant. */
const weightBounds = { size: 310_000, unpackedSize: 1_200_000 } as const;

const packedSchema = z.object({
	filename: z.string(),
	size: z.number(),
	unpackedSize: z.number(),
	files: z.array(z.object({ path: z.string() })),
});
export type Packed = z.infer<typeof packedSchema>;

/** The one package in npm's JSON report: npm 11 prints a list, npm 12 an object by name. */
export function parsePackReport(text: string): Packed {
	const report = z
		.union([z.array(packedSchema), z.record(z.string(), packedSchema).transform((byName) => Object.values(byName))])
		.parse(JSON.parse(text));
	const [packed] = report;
	if (packed === undefined || report.length > 1)
		throw new CheckFailure(`npm packed ${report.length} packages, not one`);
	return packed;
}

const compiledDoor = z.record(z.string(), z.string());

const manifestSchema = z.object({
	exports: z.object({ ".": z.string(), "./contract": compiledDoor, "./references": compiledDoor }),
	pi: z.object({ extensions: z.array(z.string()) }),
});

/** What is wrong with a packed package whose package.json is `manifestText`; empty when nothing is. */
export function faultsOfPackage(packed: Packed, manifestText: string): readonly string[] {
	const { exports: doors, pi } = manifestSchema.parse(JSON.parse(manifestText));
	const compiled = [doors["./contract"], doors["./references"]].flatMap((door) => Object.values(door));
	const entries = [doors["."], ...compiled, ...pi.extensions];
	const files = new Set(packed.files.map((file) => file.path));
	const expected = new Set([...required, ...entries.map((entry) => path.posix.normalize(entry))]);
	const missing = [...expected].filter((file) => !files.has(file));
	const foreign = [...files].filter((file) => !kinds.some((kind) => kind.test(file)));
	const heavy = (["size", "unpackedSize"] as const).filter((measure) => packed[measure] > weightBounds[measure]);
	return [
		...missing.map((file) => `${file} is missing`),
		...foreign.map((file) => `${file} is of no kind that is published`),
		...heavy.map((measure) => `${measure} is ${packed[measure]} bytes, more than ${weightBounds[measure]}`),
	];
}

export const packageContents: Step = {
	proves: "the package holds what is needed and nothing else, within its weight",
	async run() {
		// --silent keeps what the build says out of the report.
		const packed = parsePackReport(await requireTool("npm", ["pack", "--dry-run", "--json", "--silent"]));
		const faults = faultsOfPackage(packed, await readFile(path.join(projectDirectory, "package.json"), "utf8"));
		if (faults.length > 0) throw new CheckFailure(faults.join("\n"));
	},
};

/** Lays the packed package out as an installed one, beside the dependencies that npm would install with it. */
async function installPacked(consumer: string): Promise<void> {
	const modules = path.join(consumer, "node_modules");
	const installed = path.join(modules, "pi-cross-session-rpc");
	await mkdir(installed, { recursive: true });
	const report = await requireTool("npm", ["pack", "--json", "--silent", "--pack-destination", consumer]);
	const archive = path.join(consumer, parsePackReport(report).filename);
	await requireTool("tar", ["-xzf", archive, "-C", installed, "--strip-components=1"]);
	for (const dependency of ["zod", "mitt"]) {
		await symlink(path.join(projectDirectory, "node_modules", dependency), path.join(modules, dependency));
	}
}

/** What may be loaded at run time by what is compiled: nothing that does I/O or belongs to pi. */
const loadable = new Set(["zod", "mitt", "node:buffer", "node:crypto"]);

/** In the sources an import of types and one of values are easily mixed up, so it is the compiled text that is read. */
async function requireNoInputOrOutput(directory: string): Promise<void> {
	for await (const file of glob("**/*.js", { cwd: directory })) {
		const text = await readFile(path.join(directory, file), "utf8");
		const loaded = [...text.matchAll(/\b(?:from|import)\s*\(?\s*"([^".][^"]*)"/g)].map((found) => found[1] ?? "");
		const foreign = loaded.filter((name) => !loadable.has(name));
		if (foreign.length > 0)
			throw new CheckFailure(`dist/${file} loads ${foreign.join(", ")}, which is not of ${[...loadable].join(", ")}`);
	}
}

const consumerFiles = {
	"package.json": '{ "type": "module" }',
	"adapter.mjs": `import { requestRpc } from "pi-cross-session-rpc/contract";
import { SessionReferences } from "pi-cross-session-rpc/references";
if (typeof requestRpc !== "function") throw new Error("requestRpc is no function");
const sessions = { listSessions: async () => [], readTitle: async () => null, read: async () => ({}) };
const { content } = await new SessionReferences(sessions).prepare({ sessionId: "me", cwd: "/" }, "prompt", []);
if (content !== "prompt") throw new Error("The prompt did not come back.");
`,
	"adapter.ts": `import { requestRpc } from "pi-cross-session-rpc/contract";
import { formatSessionReferenceMention, type SessionQuery } from "pi-cross-session-rpc/references";
export const request: (...given: Parameters<typeof requestRpc>) => unknown = requestRpc;
// @ts-expect-error A contract without types would let this pass.
export const wrong: string = requestRpc;
export const mention: string = formatSessionReferenceMention({ sessionId: "peer" });
// @ts-expect-error References without types would let this pass.
export const wrongQuery: SessionQuery = "peer";
`,
	"tsconfig.json": JSON.stringify({
		compilerOptions: { module: "nodenext", target: "es2023", strict: true, noEmit: true, types: [] },
		files: ["adapter.ts"],
	}),
};

export const compiledDoors: Step = {
	proves: "an adapter can use the packed contract and references from plain JavaScript and from TypeScript 6 and 7",
	async run() {
		const consumer = await mkdtemp(path.join(tmpdir(), "consumer-"));
		try {
			await installPacked(consumer);
			await requireNoInputOrOutput(path.join(consumer, "node_modules/pi-cross-session-rpc/dist"));
			for (const [file, text] of Object.entries(consumerFiles)) await writeFile(path.join(consumer, file), text);
			await requireTool(process.execPath, ["--no-experimental-strip-types", "adapter.mjs"], consumer);
			for (const compiler of ["tsc6", "tsc"]) await requireTool(compiler, ["-p", ".", "--pretty", "false"], consumer);
		} finally {
			await rm(consumer, { recursive: true, force: true });
		}
	},
};
