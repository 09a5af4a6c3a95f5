/**
 * Directories of a test: an agent directory and workspaces, each its own, removed when the test ends.
 */
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { onTestFinished } from "vitest";
import { type PeerPaths, peerPaths } from "../../../lib/peers/paths.ts";

/** A new empty directory, by its real path; the run's own temporary directory holds it. */
export function makeDirectory(prefix: string): string {
	return realpathSync(mkdtempSync(path.join(tmpdir(), `${prefix}-`)));
}

/** A new empty directory, by its real path, for the test that calls it. */
export function temporaryDirectory(prefix: string): string {
	const directory = makeDirectory(prefix);
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	return directory;
}

/** Makes a directory one of a git repository that is on a branch. */
export function onBranch(directory: string, branch: string): void {
	const head = path.join(directory, ".git/refs/heads", branch);
	mkdirSync(path.dirname(head), { recursive: true });
	writeFileSync(path.join(directory, ".git/HEAD"), `ref: refs/heads/${branch}\n`);
	writeFileSync(head, `${"0".repeat(40)}\n`);
}

/** Makes a new agent directory the one in force until the test ends. */
export function useOwnAgentDirectory(): string {
	const before = process.env.PI_CODING_AGENT_DIR;
	const directory = path.join(temporaryDirectory("own"), "agent");
	mkdirSync(directory);
	process.env.PI_CODING_AGENT_DIR = directory;
	onTestFinished(() => {
		rmSync(peerPaths(directory).socketDirectory ?? directory, { recursive: true, force: true });
		if (before === undefined) delete process.env.PI_CODING_AGENT_DIR;
		else process.env.PI_CODING_AGENT_DIR = before;
	});
	return directory;
}

/** What the live sessions of an agent directory have there: registrations, then sockets. */
export function presenceFiles(directory: string): string[] {
	const { peersDirectory, socketDirectory }: PeerPaths = peerPaths(directory);
	return [peersDirectory, socketDirectory ?? ""].flatMap((place) =>
		existsSync(place) ? readdirSync(place).sort() : [],
	);
}

/** The registrations of an agent directory, as they are written. */
export function registrations(directory: string): Record<string, unknown>[] {
	const { peersDirectory } = peerPaths(directory);
	const files = presenceFiles(directory).filter((name) => name.endsWith(".json"));
	return files.map((name) => JSON.parse(readFileSync(path.join(peersDirectory, name), "utf8")));
}

/** Every file and directory below a directory, by relative path. */
export function listing(directory: string): string[] {
	return readdirSync(directory, { recursive: true, encoding: "utf8" }).sort();
}

/** Ends what the test started when the test ends. */
export function ownedByTest<Owned extends { dispose(): Promise<void> }>(owned: Owned): Owned {
	onTestFinished(() => owned.dispose());
	return owned;
}
