/** Where a directory stands in git: compared with git itself, and with repositories that are not as they should be. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readGitContext } from "../../lib/peers/git-context.ts";
import { temporaryDirectory } from "./temporary-peers.ts";

function git(directory: string, ...args: string[]): string {
	const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false"];
	return execFileSync("git", [...identity, ...args], { cwd: directory, encoding: "utf8", stdio: "pipe" }).trim();
}

async function repository(): Promise<string> {
	const root = await temporaryDirectory();
	git(root, "init", "--quiet", "--initial-branch=main");
	git(root, "commit", "--quiet", "--allow-empty", "--message=first");
	return root;
}

const head = (directory: string) => git(directory, "rev-parse", "HEAD");

describe("the git context", () => {
	it("is the branch and the commit, from any directory below", async () => {
		const root = await repository();
		await mkdir(join(root, "a/b"), { recursive: true });
		expect(await readGitContext(join(root, "a/b"))).toEqual({ worktree: root, branch: "main", head: head(root) });
	});

	it("knows branches with slashes and packed refs", async () => {
		const root = await repository();
		git(root, "checkout", "--quiet", "-b", "feature/parser");
		expect(await readGitContext(root)).toMatchObject({ branch: "feature/parser", head: head(root) });
		git(root, "pack-refs", "--all");
		expect(await readGitContext(root)).toMatchObject({ branch: "feature/parser", head: head(root) });
	});

	it("has no branch when the head is detached", async () => {
		const root = await repository();
		git(root, "checkout", "--quiet", "--detach");
		expect(await readGitContext(root)).toEqual({ worktree: root, branch: null, head: head(root) });
	});

	it("is a linked worktree's own", async () => {
		const root = await repository();
		const linked = join(await temporaryDirectory(), "linked");
		git(root, "worktree", "add", "--quiet", "-b", "side", linked);
		git(linked, "commit", "--quiet", "--allow-empty", "--message=second");
		expect(await readGitContext(linked)).toEqual({ worktree: linked, branch: "side", head: head(linked) });
		expect(await readGitContext(root)).toEqual({ worktree: root, branch: "main", head: head(root) });
	});

	it("is null outside of a repository, before the first commit and in a missing directory", async () => {
		const root = await temporaryDirectory();
		expect(await readGitContext(root)).toBeNull();
		expect(await readGitContext(join(root, "nowhere"))).toBeNull();
		git(root, "init", "--quiet");
		expect(await readGitContext(root)).toBeNull();
	});

	it.each<[string, string | Buffer]>([
		["leads out of the repository", "ref: refs/../../../../etc/passwd\n"],
		["holds an escape sequence", "ref: refs/heads/\u001b[2J\n"],
		["is nobody's format", "ref: refs/heads/.invalid\n"],
		["is empty", ""],
		["is huge", Buffer.alloc(10_000_000, 0x61)],
	])("is null where the head %s", async (_, content) => {
		const root = await repository();
		await writeFile(join(root, ".git/HEAD"), content);
		expect(await readGitContext(root)).toBeNull();
	});

	it("does not wait for a pipe in a file's place", async () => {
		const root = await repository();
		await rm(join(root, ".git/HEAD"));
		expect(spawnSync("mkfifo", [join(root, ".git/HEAD")]).status).toBe(0);
		expect(await readGitContext(root)).toBeNull();
	});
});
