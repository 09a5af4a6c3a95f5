/**
 * Where session logs are: those of one workspace, and those of all.
 */
import { readdirSync } from "node:fs";
import path from "node:path";
import type { CatalogueSources } from "../sessions/catalogue.ts";
import type { LiveSnapshot } from "../sessions/live-sessions.ts";

/**
 * pi's default session directory for a working directory. pi's own function of this purpose creates the directory, and
 * a look must leave nothing behind.
 */
export function defaultSessionDirectory(agentDirectory: string, cwd: string): string {
	const name = path
		.resolve(cwd)
		.replace(/^[/\\]/, "")
		.replace(/[/\\:]/g, "-");
	return path.join(directoryOfSessions(agentDirectory), `--${name}--`);
}

function directoryOfSessions(agentDirectory: string): string {
	return path.join(path.resolve(agentDirectory), "sessions");
}

/** Everywhere that logs of the workspace may be. The directories are shared with others: headers decide. */
export function workspaceSources(
	agentDirectory: string,
	cwd: string,
	sessionDirectory: string,
	live: LiveSnapshot,
): CatalogueSources {
	const directories = cwd === "" ? [] : [defaultSessionDirectory(agentDirectory, cwd)];
	if (sessionDirectory !== "") directories.unshift(sessionDirectory);
	return { directories, files: live.filesOf(cwd) };
}

/** Session directories that are looked into, at most: one a workspace. */
const MAX_DIRECTORIES = 10_000;

/**
 * Everywhere that logs of any workspace may be: the session's own directory and all of pi's default ones, besides the
 * files that live peers of the session's workspace registered.
 */
export function allSources(
	agentDirectory: string,
	cwd: string,
	sessionDirectory: string,
	live: LiveSnapshot,
): CatalogueSources {
	const { directories, files } = workspaceSources(agentDirectory, cwd, sessionDirectory, live);
	return { directories: [...new Set([...directories, ...directoriesIn(directoryOfSessions(agentDirectory))])], files };
}

/** Its directories; none when it can't be listed. A link to a directory is none. */
function directoriesIn(directory: string): string[] {
	try {
		const entries = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
		return entries.slice(0, MAX_DIRECTORIES).map(({ name }) => path.join(directory, name));
	} catch {
		return [];
	}
}
