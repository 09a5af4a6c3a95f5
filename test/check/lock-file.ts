// The lock file names no download address, so that everybody installs from the registry of their own settings, and it is
// the lock of this package.json and no other.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Step } from "./step.ts";
import { CheckFailure, projectDirectory } from "./step.ts";

const dependencyFields = ["dependencies", "devDependencies", "peerDependencies"] as const;
const dependencies = z.record(z.string(), z.string()).default({});
const manifestSchema = z.looseObject({
	dependencies,
	devDependencies: dependencies,
	peerDependencies: dependencies,
});
const lockSchema = z.looseObject({
	packages: z.record(z.string(), z.looseObject({ resolved: z.string().optional() })),
});

/** What is wrong with the text of a lock file that stands beside the text of a package.json; empty when nothing is. */
export function faultsOfLock(lockText: string, manifestText: string): readonly string[] {
	const { packages } = lockSchema.parse(JSON.parse(lockText));
	const addressed = Object.entries(packages)
		.filter(([, { resolved }]) => resolved !== undefined)
		.map(([name]) => `${name} has a download address: run npm install with this project's .npmrc`);
	const manifest = manifestSchema.parse(JSON.parse(manifestText));
	const locked = manifestSchema.parse(packages[""] ?? {});
	const outdated = dependencyFields
		.filter((field) => !isDeepStrictEqual(manifest[field], locked[field]))
		.map((field) => `${field} differ from package.json: run npm install`);
	return [...addressed, ...outdated];
}

export const lockFile: Step = {
	proves: "the lock file fits package.json and names no download address",
	async run() {
		const read = (name: string) => readFile(path.join(projectDirectory, name), "utf8");
		const faults = faultsOfLock(await read("package-lock.json"), await read("package.json"));
		if (faults.length > 0) throw new CheckFailure(faults.join("\n"));
	},
};
