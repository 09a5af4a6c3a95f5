// Which tests face the SDK: found by following the imports of every test file, so that a new one can't be forgotten.
import { existsSync, globSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import path from "node:path";

const comparesFolds = "compares with buildSessionProjection, which older SDKs don't export";
/** Tests that need something which only the newest SDK has; why, in words that the matrix prints. */
export const newestOnly: Readonly<Record<string, string>> = {
	"test/package/changelog.test.ts": "is about changelogs of packages, which older versions of pi don't show",
	"test/pi/picker/click.test.ts": "clicks on a list of pi's, which older versions don't give the mouse",
	"test/sessions/surface-oracle.test.ts": comparesFolds,
	"test/support/logs/random-tree.test.ts": comparesFolds,
	"test/support/logs/realistic-log.test.ts": comparesFolds,
};

const sdk = /^(@earendil-works\/pi-|typebox($|\/))/;
const imported = /\b(?:from|import)\s*\(?\s*"([^"\n]+)"/g;

/** The test files below `project` that load the SDK, themselves or by what they import, by their relative paths. */
export function sdkFacingTests(project: string): readonly string[] {
	const graph = new ImportGraph();
	return globSync("test/**/*.test.ts", { cwd: project, exclude: (name) => name === "node_modules" })
		.filter((file) => graph.reachesSdk(path.join(project, file)))
		.map((file) => file.split(path.sep).join("/"))
		.sort();
}

class ImportGraph {
	readonly #imports = new Map<string, readonly string[]>();

	/** Whether the file loads the SDK when it is run; imports of types load nothing. */
	reachesSdk(file: string): boolean {
		const open = [file];
		const seen = new Set(open);
		for (let next = open.pop(); next !== undefined; next = open.pop()) {
			for (const specifier of this.#importsOf(next)) {
				if (sdk.test(specifier)) return true;
				if (!specifier.startsWith(".")) continue;
				const target = path.resolve(path.dirname(next), specifier);
				if (!seen.has(target)) open.push(target);
				seen.add(target);
			}
		}
		return false;
	}

	#importsOf(file: string): readonly string[] {
		const known = this.#imports.get(file) ?? readImports(file);
		this.#imports.set(file, known);
		return known;
	}
}

function readImports(file: string): readonly string[] {
	// A test may hold the text of an import that leads nowhere.
	if (!existsSync(file)) return [];
	const text = readFileSync(file, "utf8");
	const run = file.endsWith(".ts") ? stripTypeScriptTypes(text) : text;
	return [...run.matchAll(imported)].flatMap(([, specifier]) => (specifier === undefined ? [] : [specifier]));
}
