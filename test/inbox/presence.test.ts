/** A session among its peers: what it acquires, and what is left when any of it fails or ends. */
import { readdir } from "node:fs/promises";
import { describe, expect, it, vi } from "vitest";
import { Lifecycle } from "../../lib/inbox/lifecycle.ts";
import { Presence, type PresenceOptions } from "../../lib/inbox/presence.ts";
import { endpointPath, type PeerPaths, peerPaths } from "../../lib/peers/paths.ts";
import type { PeerError } from "../../lib/peers/peer-error.ts";
import { type FileOperations, systemFiles } from "../../lib/peers/private-files.ts";
import { Receiver } from "../../lib/wire/server.ts";
import { ManualClock } from "../peers/manual-clock.ts";
import { registrationFor, writeRegistration } from "../peers/temporary-peers.ts";
import { freshPaths, openSession, RecordingDelivery, sessionOptions } from "./open-session.ts";

async function leftovers(paths: PeerPaths): Promise<string[]> {
	const names = async (directory: string | null) => (directory === null ? [] : readdir(directory).catch(() => []));
	return [...(await names(paths.peersDirectory)), ...(await names(paths.socketDirectory))];
}

function start(options: PresenceOptions) {
	const lifecycle = new Lifecycle();
	return { lifecycle, starting: lifecycle.start((scope) => Presence.open(options, scope)) };
}

describe("a session", () => {
	it("is found by others with all but its secret, its git context and whether it may be read", async () => {
		const paths = await freshPaths();
		const asking = await openSession(paths);
		const describe = () => ({ name: "parser\u001b[2J", cwd: "/elsewhere", status: "busy" as const });
		const other = await openSession(paths, { describe, sessionFile: "/sessions/other.jsonl" });
		const [peer, ...more] = await asking.presence.directory.list("/workspace");
		expect(more).toEqual([]);
		expect(peer).toMatchObject({
			version: 2,
			protocol: 1,
			id: other.presence.sessionId,
			instanceId: other.presence.instanceId,
			name: "parser",
			cwd: "/elsewhere",
			pid: process.pid,
			status: "busy",
			inbound: "accept",
			socketPath: endpointPath(paths, other.presence.instanceId),
			sessionFile: "/sessions/other.jsonl",
			git: null,
			readable: false,
		});
		expect(peer).not.toHaveProperty("token");
		const [same] = await other.presence.directory.list("/workspace");
		expect(same?.readable).toBe(true);
	});

	it("is running, idle or offline as the live registry says it", async () => {
		const paths = await freshPaths();
		const asking = await openSession(paths);
		let status: "idle" | "busy" = "idle";
		const describe = () => ({ name: undefined, cwd: "/workspace", status });
		const other = await openSession(paths, { sessionId: "other", describe });
		const ask = () => asking.presence.directory.runtimeStatus("other");
		expect(await ask()).toBe("idle");
		status = "busy";
		await other.presence.refresh();
		expect(await ask()).toBe("running");
		await other.lifecycle.stop();
		expect(await ask()).toBe("offline");
		await writeRegistration(paths, registrationFor(paths, { id: "other", status: "busy" }));
		expect(await ask()).toBe("offline");
	});

	it("is in a snapshot of what is live with its status and its session file, and in no later one", async () => {
		const paths = await freshPaths();
		const asking = await openSession(paths);
		const describe = () => ({ name: undefined, cwd: "/workspace", status: "busy" as const });
		const other = await openSession(paths, { sessionId: "other", sessionFile: "/sessions/other.jsonl", describe });
		const before = await asking.presence.directory.snapshot();
		await other.lifecycle.stop();
		const after = await asking.presence.directory.snapshot();
		expect([before.statusOf("other"), before.statusOf("nobody")]).toEqual(["running", "offline"]);
		expect(before.filesOf("/workspace")).toEqual(["/sessions/other.jsonl"]);
		expect([before.filesOf("/elsewhere"), before.filesOf("")]).toEqual([[], []]);
		expect([after.statusOf("other"), after.filesOf("/workspace")]).toEqual(["offline", []]);
	});

	it("registers a mode that only shows as one that accepts", async () => {
		const paths = await freshPaths();
		const asking = await openSession(paths);
		const other = await openSession(paths, { inbound: "show" });
		const registered = async () => (await asking.presence.directory.list("/"))[0]?.inbound;
		expect(await registered()).toBe("accept");
		await other.presence.setMode("refuse");
		expect(await registered()).toBe("refuse");
	});

	it("answers nobody before it is whole and after it is fenced", async () => {
		const paths = await freshPaths();
		const asking = await openSession(paths);
		const opened = Promise.withResolvers<void>();
		const goOn = Promise.withResolvers<void>();
		const openReceiver: NonNullable<PresenceOptions["openReceiver"]> = async (options) => {
			const receiver = await Receiver.open(options);
			opened.resolve();
			await goOn.promise;
			return { close: () => released.promise.then(() => receiver.close()) };
		};
		const released = Promise.withResolvers<void>();
		const { lifecycle, starting } = start(sessionOptions(paths, { openReceiver, sessionId: "starting" }));
		await opened.promise;
		const listed = async () => (await asking.presence.directory.list("/")).map(({ id }) => id);
		expect(await listed()).toEqual([]);
		goOn.resolve();
		await starting;
		expect(await listed()).toEqual(["starting"]);
		const stopped = lifecycle.stop();
		expect(await listed()).toEqual([]);
		released.resolve();
		await stopped;
	});

	it("leaves nothing behind when it ends, however often it ends", async () => {
		const paths = await freshPaths();
		const clock = new ManualClock();
		const listeners = process.listenerCount("beforeExit");
		const { lifecycle } = await openSession(paths, { clock });
		expect(await leftovers(paths)).toHaveLength(2);
		await Promise.all([lifecycle.stop(), lifecycle.stop()]);
		expect(await leftovers(paths)).toEqual([]);
		expect(clock.pending).toBe(0);
		expect(process.listenerCount("beforeExit")).toBe(listeners);
	});

	it("is another incarnation after each of twenty reloads, with one of everything", async () => {
		const paths = await freshPaths();
		const listeners = process.listenerCount("beforeExit");
		const { lifecycle } = await openSession(paths);
		const seen = new Set<string>();
		for (let reload = 0; reload < 20; reload++) {
			const presence = await lifecycle.start((scope) => Presence.open(sessionOptions(paths), scope));
			seen.add(presence.instanceId);
			expect(await leftovers(paths)).toEqual([`${presence.instanceId}.json`, `${presence.instanceId}.sock`]);
			expect(process.listenerCount("beforeExit")).toBe(listeners + 1);
		}
		expect(seen.size).toBe(20);
	});

	it("is independent of another one in the same process", async () => {
		const paths = await freshPaths();
		const [first, second] = [await openSession(paths), await openSession(paths)];
		await first.lifecycle.stop();
		const third = await openSession(paths);
		const target = second.presence.instanceId;
		expect((await third.presence.outbox.send({ target, text: "still there?" })).ok).toBe(true);
		expect(second.presence.budget.remaining).toBe(255);
		expect(third.presence.inbox.states.list()).toEqual([]);
	});
});

/** Fails one call of one file operation, and says whether it was made. */
function failing(name: keyof FileOperations, call: number) {
	let calls = 0;
	const fault = { hit: false };
	const original = systemFiles[name] as (...args: unknown[]) => Promise<unknown>;
	const broken = (...args: unknown[]): Promise<unknown> => {
		if (++calls !== call) return original(...args);
		fault.hit = true;
		return Promise.reject(Object.assign(new Error(`injected at ${String(args[0])}`), { code: "EIO" }));
	};
	return { fault, files: { ...systemFiles, [name]: broken } };
}

describe("a start that fails releases what was acquired before", () => {
	it.each<[string, keyof FileOperations, number, string]>([
		["making the peers directory", "mkdir", 1, "unusable_directory"],
		["looking at it", "lstat", 1, "unusable_directory"],
		["making the socket directory", "mkdir", 2, "unusable_directory"],
		["looking at that", "lstat", 2, "unusable_directory"],
		["opening the temporary registration", "open", 1, "registration_failed"],
		["renaming it", "rename", 1, "registration_failed"],
	])("%s", async (_, name, call, code) => {
		const paths = await freshPaths();
		const clock = new ManualClock();
		const listeners = process.listenerCount("beforeExit");
		const { fault, files } = failing(name, call);
		const { starting } = start(sessionOptions(paths, { files, clock }));
		const error = await starting.catch((thrown: unknown) => thrown);
		expect(fault.hit).toBe(true);
		expect(error).toMatchObject({ name: "PeerError", code });
		expect(String(error)).not.toContain(paths.agentDirectory);
		expect(await leftovers(paths)).toEqual([]);
		expect(clock.pending).toBe(0);
		expect(process.listenerCount("beforeExit")).toBe(listeners);
	});

	it("opening the socket", async () => {
		const paths = await freshPaths();
		const clock = new ManualClock();
		const openReceiver = vi.fn(() => Promise.reject(new Error("injected")));
		const { starting } = start(sessionOptions(paths, { openReceiver, clock }));
		await expect(starting).rejects.toMatchObject({ code: "endpoint_unavailable" });
		expect(openReceiver).toHaveBeenCalledOnce();
		expect(await leftovers(paths)).toEqual([]);
		expect(clock.pending).toBe(0);
	});

	it("asking the session", async () => {
		const paths = await freshPaths();
		const describe = vi.fn(() => {
			throw new Error("stale runtime");
		});
		const { starting } = start(sessionOptions(paths, { describe }));
		await expect(starting).rejects.toMatchObject({ code: "session_stale" });
		expect(describe).toHaveBeenCalledOnce();
		expect(await leftovers(paths)).toEqual([]);
	});

	it("being overtaken once its socket is open", async () => {
		const paths = await freshPaths();
		let hit = false;
		const openReceiver: NonNullable<PresenceOptions["openReceiver"]> = async (options) => {
			const receiver = await Receiver.open(options);
			hit = true;
			void lifecycle.stop();
			return receiver;
		};
		const { lifecycle, starting } = start(sessionOptions(paths, { openReceiver }));
		await expect(starting).rejects.toMatchObject({ code: "superseded" });
		expect(hit).toBe(true);
		expect(await leftovers(paths)).toEqual([]);
	});

	it("with a socket path that the system would cut says so and binds nothing", async () => {
		const fresh = await freshPaths();
		const socketRoot = `${fresh.agentDirectory}/${"long/".repeat(20)}`;
		const paths = peerPaths(fresh.agentDirectory, { ...fresh, socketRoot });
		const { starting } = start(sessionOptions(paths));
		await expect(starting).rejects.toMatchObject({ code: "endpoint_too_long" });
		expect(await leftovers(paths)).toEqual([]);
	});

	it("while a long agent directory is no reason to fail", async () => {
		const fresh = await freshPaths();
		const agentDirectory = `${fresh.agentDirectory}/${"long/".repeat(30)}agent`;
		const paths = peerPaths(agentDirectory, { ...fresh, socketRoot: fresh.agentDirectory.replace(/\/agent$/, "") });
		const session = await openSession(paths);
		expect(await leftovers(paths)).toHaveLength(2);
		expect(session.presence.paths.agentDirectory.length).toBeGreaterThan(107);
	});
});

describe("a presence that can't go on", () => {
	async function openFailing(changes: Partial<PresenceOptions> = {}) {
		const paths = await freshPaths();
		const clock = new ManualClock();
		const failures: PeerError[] = [];
		let stale = false;
		const session = await openSession(paths, {
			clock,
			describe: () => {
				if (stale) throw new Error("stale runtime");
				return { name: "s", cwd: "/workspace", status: "idle" };
			},
			onFailure: (error) => failures.push(error),
			...changes,
		});
		const goStale = (): void => {
			stale = true;
		};
		return { paths, clock, failures, session, goStale };
	}

	it("because the session is stale at the next heartbeat ends, and tells it when nothing is left", async () => {
		const { paths, clock, failures, goStale } = await openFailing();
		goStale();
		clock.advance(30_000);
		await vi.waitFor(() => expect(failures.map(({ code }) => code)).toEqual(["session_stale"]));
		expect(await leftovers(paths)).toEqual([]);
		expect(clock.pending).toBe(0);
	});

	it("ends also when telling it fails", async () => {
		const onFailure = vi.fn(() => {
			throw new Error("the notification failed too");
		});
		const { paths, clock, goStale } = await openFailing({ onFailure });
		goStale();
		clock.advance(30_000);
		await vi.waitFor(() => expect(onFailure).toHaveBeenCalledOnce());
		expect(await leftovers(paths)).toEqual([]);
		expect(clock.pending).toBe(0);
	});

	it("because its socket failed ends the same way", async () => {
		let breakSocket = (_error: Error): void => {};
		const openReceiver: NonNullable<PresenceOptions["openReceiver"]> = (options) => {
			breakSocket = options.onFailure;
			return Receiver.open(options);
		};
		const { paths, failures } = await openFailing({ openReceiver });
		breakSocket(new Error("EMFILE"));
		await vi.waitFor(() => expect(failures.map(({ code }) => code)).toEqual(["endpoint_unavailable"]));
		expect(await leftovers(paths)).toEqual([]);
	});

	it("and the session can start again", async () => {
		const { paths, clock, failures, session, goStale } = await openFailing();
		goStale();
		clock.advance(30_000);
		await vi.waitFor(() => expect(failures).toHaveLength(1));
		const delivery = new RecordingDelivery();
		const again = await session.lifecycle.start((scope) => Presence.open(sessionOptions(paths, { delivery }), scope));
		expect(again.instanceId).not.toBe(session.presence.instanceId);
		expect(await leftovers(paths)).toHaveLength(2);
	});
});
