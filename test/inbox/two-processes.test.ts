/** Sessions in processes of their own: talking across, and what is left of a process after each way to end. */
import { type ChildProcess, spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import type { PeerPaths } from "../../lib/peers/paths.ts";
import { freshPaths, openSession } from "./open-session.ts";
import type { Phase } from "./session-process.ts";

class SessionProcess {
	readonly child: ChildProcess;
	readonly ended: Promise<{ code: number | null; signal: string | null }>;
	readonly #lines: AsyncIterator<string>;
	readonly #reader: Interface;

	constructor(paths: PeerPaths, orders: { dieAt?: Phase; listen: boolean }) {
		const socketRoot = dirname(paths.socketDirectory ?? "");
		const script = join(import.meta.dirname, "session-process.ts");
		const argument = JSON.stringify({ agentDirectory: paths.agentDirectory, socketRoot, ...orders });
		const stdio = [orders.listen ? "pipe" : "ignore", "pipe", "inherit"] as const;
		this.child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script, argument], {
			stdio: [...stdio],
		});
		this.ended = new Promise((resolve) => this.child.on("exit", (code, signal) => resolve({ code, signal })));
		const { stdout } = this.child;
		if (stdout === null) throw new Error("The process has no output.");
		this.#reader = createInterface({ input: stdout });
		this.#lines = this.#reader[Symbol.asyncIterator]();
		onTestFinished(async () => {
			this.child.kill("SIGKILL");
			await this.ended;
		});
	}

	/** The next thing it says; null when it said its last. */
	async hear(): Promise<Record<string, unknown> | null> {
		const { value, done } = await this.#lines.next();
		return done === true ? null : JSON.parse(value);
	}

	tell(command: Record<string, unknown>): void {
		this.child.stdin?.write(`${JSON.stringify(command)}\n`);
	}
}

/** All files of other sessions than `own`. */
async function foreignFiles(paths: PeerPaths, own: string): Promise<string[]> {
	const directories = [paths.peersDirectory, paths.socketDirectory ?? paths.peersDirectory];
	const names = await Promise.all(directories.map((directory) => readdir(directory).catch(() => [])));
	return names.flat().filter((name) => !name.includes(own));
}

describe("two processes", { timeout: 20_000 }, () => {
	it("find each other and talk both ways", async () => {
		const paths = await freshPaths();
		const here = await openSession(paths);
		const there = new SessionProcess(paths, { listen: true });
		const ready = await there.hear();
		const [peer, ...more] = await here.presence.directory.list("/workspace");
		expect(more).toEqual([]);
		expect(peer).toMatchObject({ instanceId: ready?.instanceId, pid: there.child.pid });
		expect(peer?.pid).not.toBe(process.pid);
		const sent = await here.presence.outbox.send({ target: "process", text: "hello there" });
		expect(sent.receipt.code).toBe("submitted");
		expect(await there.hear()).toEqual({ event: "message", text: "hello there", from: here.presence.instanceId });
		there.tell({ target: here.presence.instanceId, text: "hello here" });
		expect(await there.hear()).toEqual({ event: "sent", code: "submitted" });
		expect(here.delivery.delivered.map(({ text }) => text)).toEqual(["hello here"]);
	});
});

describe("a receiver that is killed with a message in its hands", { timeout: 20_000 }, () => {
	it("leaves the receipt unknown, and nobody sends it again", async () => {
		const paths = await freshPaths();
		const here = await openSession(paths);
		const there = new SessionProcess(paths, { dieAt: "at delivery", listen: true });
		const ready = await there.hear();
		const { receipt } = await here.presence.outbox.send({ target: String(ready?.instanceId), text: "the last one" });
		expect(["connection_closed", "transport_error"]).toContain(receipt.code);
		expect(receipt.state).toBe("receipt_unknown");
		expect(here.presence.budget.remaining).toBe(255);
		expect(await there.hear()).toMatchObject({ event: "message", text: "the last one" });
		expect(await there.hear()).toBeNull();
	});
});

describe("a process leaves nothing that the next discovery doesn't clear away", { timeout: 20_000 }, () => {
	it.each(["SIGTERM", "SIGHUP", "SIGKILL"] as const)("after %s", async (signal) => {
		const paths = await freshPaths();
		const here = await openSession(paths);
		const there = new SessionProcess(paths, { listen: true });
		await there.hear();
		there.child.kill(signal);
		expect(await there.ended).toMatchObject({ signal });
		expect(await foreignFiles(paths, here.presence.instanceId)).toHaveLength(2);
		expect(await here.presence.directory.list("/workspace")).toEqual([]);
		expect(await foreignFiles(paths, here.presence.instanceId)).toEqual([]);
	});

	it.each<[Phase, number]>([
		["before open", 0],
		["after open", 1],
		["before rename", 1],
		["after rename", 1],
		["before bind", 1],
		["after bind", 2],
	])("after a kill in the middle of its start, %s", async (dieAt, files) => {
		const paths = await freshPaths();
		const here = await openSession(paths);
		const there = new SessionProcess(paths, { dieAt, listen: true });
		expect(await there.ended).toMatchObject({ signal: "SIGKILL" });
		expect(await foreignFiles(paths, here.presence.instanceId)).toHaveLength(files);
		expect(await here.presence.directory.list("/workspace")).toEqual([]);
		expect(await foreignFiles(paths, here.presence.instanceId)).toEqual([]);
	});

	it("after a clean exit, not even before it", async () => {
		const paths = await freshPaths();
		const here = await openSession(paths);
		const there = new SessionProcess(paths, { listen: true });
		await there.hear();
		there.child.stdin?.end();
		expect(await there.ended).toEqual({ code: 0, signal: null });
		expect(await foreignFiles(paths, here.presence.instanceId)).toEqual([]);
	});

	it("after running out of work without a word: it isn't kept alive, and takes its files with it", async () => {
		const paths = await freshPaths();
		const here = await openSession(paths);
		const there = new SessionProcess(paths, { listen: false });
		expect(await there.hear()).toMatchObject({ event: "ready" });
		expect(await there.ended).toEqual({ code: 0, signal: null });
		expect(await foreignFiles(paths, here.presence.instanceId)).toEqual([]);
	});

	it("while a peer whose process lives keeps its files, however silent it is", async () => {
		const paths = await freshPaths();
		const here = await openSession(paths);
		const there = new SessionProcess(paths, { listen: true });
		await there.hear();
		there.child.kill("SIGSTOP");
		expect(await here.presence.directory.list("/workspace")).toEqual([]);
		expect(await foreignFiles(paths, here.presence.instanceId)).toHaveLength(2);
		there.child.kill("SIGCONT");
		expect(await here.presence.directory.list("/workspace")).toHaveLength(1);
	});
});
