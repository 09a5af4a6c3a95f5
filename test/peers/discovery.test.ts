/** Who is listed, and whose files are cleared away. */
import { lstat, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type DiscoveryOptions, discoverPeers, type ProbeResult } from "../../lib/peers/discovery.ts";
import { type PeerPaths, registrationPath, temporaryRegistrationPath } from "../../lib/peers/paths.ts";
import { isProcessGone, isProvenDead, readPidNamespace } from "../../lib/peers/process-liveness.ts";
import type { Registration } from "../../lib/peers/registration.ts";
import { ManualClock } from "./manual-clock.ts";
import { GONE_PID, registrationFor, temporaryPaths, writeRegistration } from "./temporary-peers.ts";

const HERE = "this machine";

async function exists(path: string): Promise<boolean> {
	return lstat(path).then(
		() => true,
		() => false,
	);
}

function optionsFor(paths: PeerPaths, result: ProbeResult, changes: Partial<DiscoveryOptions> = {}): DiscoveryOptions {
	return { paths, probe: async () => result, pidNamespace: HERE, clock: new ManualClock(), ...changes };
}

/** Discovers with one registered peer and says whether its files are still there. */
async function discoverOne(
	result: ProbeResult,
	changes: Partial<Registration>,
	options: Partial<DiscoveryOptions> = {},
) {
	const paths = await temporaryPaths();
	const peer = await writeRegistration(paths, registrationFor(paths, changes));
	await writeFile(peer.socketPath, "");
	const found = await discoverPeers(optionsFor(paths, result, options));
	const kept = await exists(registrationPath(paths, peer.instanceId));
	expect(await exists(peer.socketPath)).toBe(kept);
	return { listed: found.length === 1, kept };
}

const later = (milliseconds: number) => ({ clock: new ManualClock(Date.now() + milliseconds) });

describe("a peer", () => {
	it("is listed when its endpoint answers", async () => {
		expect(await discoverOne("ready", {})).toEqual({ listed: true, kept: true });
	});

	it.each<ProbeResult>(["unready", "silent"])(
		"is not listed when its endpoint is %s, and stays registered while its process lives",
		async (result) => {
			expect(await discoverOne(result, { pidNamespace: HERE })).toEqual({ listed: false, kept: true });
		},
	);

	it("whose process is gone here is cleared away", async () => {
		expect(await discoverOne("silent", { pid: GONE_PID, pidNamespace: HERE })).toEqual({ listed: false, kept: false });
	});

	it("whose process seems gone but whose endpoint answers is listed", async () => {
		expect(await discoverOne("ready", { pid: GONE_PID, pidNamespace: HERE })).toEqual({ listed: true, kept: true });
		expect(await discoverOne("unready", { pid: GONE_PID, pidNamespace: HERE })).toEqual({ listed: false, kept: true });
	});

	it("of other pids stays for 90 seconds after its last refresh, however gone its process seems", async () => {
		for (const pidNamespace of ["a container", undefined]) {
			const peer = { pid: GONE_PID, ...(pidNamespace === undefined ? {} : { pidNamespace }) };
			expect(await discoverOne("silent", peer, later(80_000))).toMatchObject({ kept: true });
			expect(await discoverOne("silent", peer, later(100_000))).toMatchObject({ kept: false });
		}
	});

	it("of a living process stays, however long it was silent", async () => {
		expect(await discoverOne("silent", { pidNamespace: HERE }, later(1_000_000))).toMatchObject({ kept: true });
	});

	it("is asked about as it is registered when the proof is made, not as it was read", async () => {
		const paths = await temporaryPaths();
		const peer = await writeRegistration(paths, registrationFor(paths, { pid: GONE_PID, pidNamespace: HERE }));
		const probe = async (): Promise<ProbeResult> => {
			await writeRegistration(paths, { ...peer, pid: process.pid });
			return "silent";
		};
		await discoverPeers(optionsFor(paths, "silent", { probe }));
		expect(await exists(registrationPath(paths, peer.instanceId))).toBe(true);
	});

	it("is not the one that asks", async () => {
		const paths = await temporaryPaths();
		const own = await writeRegistration(paths, registrationFor(paths));
		const other = await writeRegistration(paths, registrationFor(paths));
		const found = await discoverPeers(optionsFor(paths, "ready", { ownInstanceId: own.instanceId }));
		expect(found.map(({ instanceId }) => instanceId)).toEqual([other.instanceId]);
	});

	it("that is hostile is neither listed, probed nor touched", async () => {
		const paths = await temporaryPaths();
		const hostile = await writeRegistration(paths, registrationFor(paths, { name: "\u001b[2J", pid: GONE_PID }));
		const probed: string[] = [];
		const probe = async ({ instanceId }: Registration): Promise<ProbeResult> => {
			probed.push(instanceId);
			return "ready";
		};
		expect(await discoverPeers(optionsFor(paths, "ready", { probe, ...later(1_000_000) }))).toEqual([]);
		expect(probed).toEqual([]);
		expect(await exists(registrationPath(paths, hostile.instanceId))).toBe(true);
	});

	it("comes before those that started earlier", async () => {
		const paths = await temporaryPaths();
		for (const startedAt of [2, 3, 1]) await writeRegistration(paths, registrationFor(paths, { startedAt }));
		const found = await discoverPeers(optionsFor(paths, "ready"));
		expect(found.map(({ startedAt }) => startedAt)).toEqual([3, 2, 1]);
	});
});

describe("a discovery", () => {
	it("asks at most 32 endpoints at a time and all of them", async () => {
		const paths = await temporaryPaths();
		for (let index = 0; index < 80; index++) await writeRegistration(paths, registrationFor(paths));
		let asking = 0;
		let most = 0;
		const probe = async (): Promise<ProbeResult> => {
			most = Math.max(most, ++asking);
			await new Promise((resolve) => setImmediate(resolve));
			asking--;
			return "ready";
		};
		expect(await discoverPeers(optionsFor(paths, "ready", { probe }))).toHaveLength(80);
		expect(most).toBe(32);
	});

	it("that is aborted lists nobody and clears nothing away", async () => {
		const paths = await temporaryPaths();
		const peer = await writeRegistration(paths, registrationFor(paths, { pid: GONE_PID, pidNamespace: HERE }));
		const controller = new AbortController();
		const probe = async (): Promise<ProbeResult> => {
			controller.abort();
			return "silent";
		};
		expect(await discoverPeers(optionsFor(paths, "silent", { probe }), controller.signal)).toEqual([]);
		expect(await exists(registrationPath(paths, peer.instanceId))).toBe(true);
	});

	it("clears unfinished writes of dead processes away, whatever they hold, and no others", async () => {
		const paths = await temporaryPaths();
		const lay = async (pid: number, pidNamespace?: string) => {
			const path = temporaryRegistrationPath(paths, "0".repeat(32), { pid, pidNamespace });
			await writeFile(path, "{", { mode: 0o600 });
			return path;
		};
		const here = "this-machine";
		const files = [
			await lay(GONE_PID, here),
			await lay(process.pid, here),
			await lay(GONE_PID, "other"),
			await lay(GONE_PID),
		];
		const note = join(paths.peersDirectory, ".note.tmp");
		await writeFile(note, "");
		await discoverPeers(optionsFor(paths, "ready", { pidNamespace: here }));
		expect(await Promise.all([...files, note].map(exists))).toEqual([false, true, true, true, true]);
		await discoverPeers(optionsFor(paths, "ready", { pidNamespace: here, ...later(100_000) }));
		expect(await Promise.all([...files, note].map(exists))).toEqual([false, true, false, false, true]);
	});

	it("finds nobody where nothing was ever registered", async () => {
		const paths = await temporaryPaths();
		await rm(paths.peersDirectory, { recursive: true });
		expect(await discoverPeers(optionsFor(paths, "ready"))).toEqual([]);
	});
});

describe("the proof of death", () => {
	const evidence = { writer: { pid: 1, pidNamespace: HERE }, refreshedAt: 0, pidNamespace: HERE, now: 0 };

	it("is that the system knows no such process, and nothing else", () => {
		const failing = (code: string) => () => {
			throw Object.assign(new Error(code), { code });
		};
		expect(isProcessGone(1, failing("ESRCH"))).toBe(true);
		expect(isProcessGone(1, failing("EPERM"))).toBe(false);
		expect(isProcessGone(1, failing("EINVAL"))).toBe(false);
		expect(isProcessGone(process.pid)).toBe(false);
		expect(isProcessGone(GONE_PID)).toBe(true);
	});

	it("counts where both sides name the same pids, and not where neither names any", () => {
		const isGone = () => true;
		expect(isProvenDead({ ...evidence, isGone })).toBe(true);
		expect(isProvenDead({ ...evidence, isGone, pidNamespace: undefined, writer: { pid: 1 } })).toBe(false);
	});

	it("has a name for this process's pids that is the same each time", async () => {
		expect(await readPidNamespace()).toBe(await readPidNamespace());
		expect(await readPidNamespace()).toMatch(/^[a-z0-9-]+$/);
		expect(await readPidNamespace("darwin")).not.toBe(await readPidNamespace());
	});
});
