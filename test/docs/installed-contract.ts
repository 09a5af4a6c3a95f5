/**
 * A directory in which another package finds this one installed: the compiled contract and nothing of the sources, so
 * that what is run there shares no module with the responders that it talks to.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { makeDirectory } from "../support/pi/workspaces.ts";

export const project = path.resolve(import.meta.dirname, "../..");

/** Makes the directory; whoever asked for it removes it. */
export function installContract(): string {
	const directory = makeDirectory("adapter");
	const modules = path.join(directory, "node_modules");
	const installed = path.join(modules, "pi-cross-session-rpc");
	mkdirSync(installed, { recursive: true });
	copyFileSync(path.join(project, "package.json"), path.join(installed, "package.json"));
	for (const name of ["zod", "mitt", "@types", "@earendil-works"]) {
		symlinkSync(path.join(project, "node_modules", name), path.join(modules, name));
	}
	tsc(["-p", path.join(project, "tsconfig.exports.json"), "--outDir", path.join(installed, "dist")]);
	writeFileSync(path.join(directory, "package.json"), '{ "type": "module" }');
	return directory;
}

/** Copies the example adapter beside the installed contract, as it stands. */
export function copyAdapter(directory: string): string {
	const adapter = path.join(directory, "host-adapter");
	cpSync(path.join(project, "docs/examples/host-adapter"), adapter, { recursive: true });
	return adapter;
}

/** Checks the types of files as their author's compiler would, against the installed contract. Throws what it finds. */
export function checkTypes(directory: string, files: readonly string[], changes: Record<string, unknown> = {}): void {
	const compilerOptions = {
		...{ module: "nodenext", target: "es2023", strict: true, exactOptionalPropertyTypes: true, types: ["node"] },
		...{ noEmit: true, allowImportingTsExtensions: true, erasableSyntaxOnly: true, skipLibCheck: true },
		...changes,
	};
	writeFileSync(path.join(directory, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
	tsc(["-p", directory]);
}

function tsc(given: readonly string[]): void {
	try {
		execFileSync(path.join(project, "node_modules/.bin/tsc"), [...given, "--pretty", "false"], { encoding: "utf8" });
	} catch (error) {
		throw new Error((error as { stdout?: string }).stdout ?? String(error));
	}
}
