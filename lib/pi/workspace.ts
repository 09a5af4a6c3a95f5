/**
 * Where the session logs of a workspace are.
 */
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
	return path.join(path.resolve(agentDirectory), "sessions", `--${name}--`);
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
