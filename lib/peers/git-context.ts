/**
 * Where a directory stands in git, read from git's own files.
 *
 * No process is started: a peer's directory is foreign ground, and git runs what a repository's configuration says.
 * Promise: bounded reads of regular files only; anything unusual (another storage of refs, a damaged repository, no
 * commit yet) gives null, never an error.
 */
import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { GitContext } from "../contract/public-peer.ts";
import { isPrintableLine } from "../projection/printable.ts";

/** Directories looked at on the way up to the root. */
const MAX_PARENTS = 64;
/** Bytes of `.git`, `HEAD`, `commondir` and a single ref. */
const MAX_SMALL_FILE = 4096;
/** Bytes of `packed-refs`; a larger one counts as unreadable. */
const MAX_PACKED_REFS = 4 * 1024 * 1024;

const commitId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const safeRef = /^refs\/(?!.*(?:\.\.|\/\/|\/\.))[^\s\\]{1,250}$/u;

/** Reads the git context of `directory`; null when there is none to tell. */
export async function readGitContext(directory: string): Promise<GitContext | null> {
	const place = await findRepository(directory);
	if (place === null || !isPrintableLine(place.worktree)) return null;
	const headFile = (await readBounded(join(place.gitDirectory, "HEAD"), MAX_SMALL_FILE))?.trim() ?? "";
	if (commitId.test(headFile)) return { worktree: place.worktree, branch: null, head: headFile };
	const ref = /^ref: (.+)$/.exec(headFile)?.[1] ?? "";
	if (!safeRef.test(ref) || !isPrintableLine(ref)) return null;
	const head = await resolveRef(place.gitDirectory, ref);
	return head === null ? null : { worktree: place.worktree, branch: ref.replace(/^refs\/(?:heads\/)?/, ""), head };
}

interface Repository {
	readonly worktree: string;
	readonly gitDirectory: string;
}

async function findRepository(directory: string): Promise<Repository | null> {
	let current = resolve(directory);
	for (let step = 0; step < MAX_PARENTS; step++) {
		const gitDirectory = await gitDirectoryOf(current);
		if (gitDirectory !== null) return { worktree: current, gitDirectory };
		const parent = dirname(current);
		if (parent === current) return null;
		current = parent;
	}
	return null;
}

/** The repository that `<worktree>/.git` is or points to (linked worktrees and submodules have a file there). */
async function gitDirectoryOf(worktree: string): Promise<string | null> {
	const path = join(worktree, ".git");
	const stats = await lstat(path).catch(() => null);
	if (stats === null) return null;
	if (!stats.isFile()) return path;
	const target = /^gitdir: (.+)$/.exec((await readBounded(path, MAX_SMALL_FILE))?.trim() ?? "")?.[1];
	return target === undefined ? null : resolve(worktree, target);
}

async function resolveRef(gitDirectory: string, ref: string): Promise<string | null> {
	// A linked worktree keeps its branches in the repository it was made from.
	const common = (await readBounded(join(gitDirectory, "commondir"), MAX_SMALL_FILE))?.trim();
	const shared = common === undefined ? gitDirectory : resolve(gitDirectory, common);
	for (const directory of new Set([gitDirectory, shared])) {
		const loose = (await readBounded(join(directory, ref), MAX_SMALL_FILE))?.trim();
		if (loose !== undefined && commitId.test(loose)) return loose;
	}
	const packed = await readBounded(join(shared, "packed-refs"), MAX_PACKED_REFS);
	const line = packed?.split("\n").find((candidate) => candidate.endsWith(` ${ref}`));
	const head = line?.slice(0, line.indexOf(" "));
	return head !== undefined && commitId.test(head) ? head : null;
}

/** A regular file's text, or undefined when it is missing, something else, or larger than `maxBytes`. */
async function readBounded(path: string, maxBytes: number): Promise<string | undefined> {
	const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
	if (handle === undefined) return undefined;
	try {
		const stats = await handle.stat();
		if (!stats.isFile() || stats.size > maxBytes) return undefined;
		const { bytesRead, buffer } = await handle.read(Buffer.alloc(stats.size), 0, stats.size, 0);
		return buffer.toString("utf8", 0, bytesRead);
	} catch {
		return undefined;
	} finally {
		await handle.close();
	}
}
