// The pi SDKs that this package supports, and where each is installed: the newest with the project, the others beside
// this file. The versions stand in the two package.json files and nowhere else.
import { readFileSync } from "node:fs";
import path from "node:path";

const NEWEST = "@earendil-works/pi-coding-agent";

export interface SupportedSdk {
	/** Exact, as it was asked for; what is loaded is asked itself. */
	readonly version: string;
	/** Directory of the installed package. */
	readonly root: string;
	readonly isNewest: boolean;
}

interface Manifest {
	readonly dependencies?: Readonly<Record<string, string>>;
	readonly devDependencies?: Readonly<Record<string, string>>;
}

const readManifest = (directory: string): Manifest =>
	JSON.parse(readFileSync(path.join(directory, "package.json"), "utf8"));

/** Oldest first. */
export function supportedSdks(project: string): readonly SupportedSdk[] {
	const directory = path.join(project, "test/sdk");
	const older = Object.entries(readManifest(directory).dependencies ?? {}).map(([name, alias]) => ({
		version: alias.slice(alias.lastIndexOf("@") + 1),
		root: path.join(directory, "node_modules", name),
		isNewest: false,
	}));
	const version = readManifest(project).devDependencies?.[NEWEST];
	if (version === undefined) throw new Error(`package.json asks for no ${NEWEST}`);
	return [...older, { version, root: path.join(project, "node_modules", NEWEST), isNewest: true }];
}
