/** Private agent directories with short socket paths, and registrations in them, for one test each. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { currentPathFacts, endpointPath, type PeerPaths, peerPaths, registrationPath } from "../../lib/peers/paths.ts";
import { ensurePrivateDirectory } from "../../lib/peers/private-files.ts";
import type { Registration } from "../../lib/peers/registration.ts";

/** A directory of its own that is removed with everything in it. */
export async function temporaryDirectory(): Promise<string> {
	const root = await mkdtemp(join(tmpdir(), "pw-"));
	onTestFinished(() => rm(root, { recursive: true, force: true }));
	return root;
}

/** Paths of an agent directory whose peers and socket directories exist. */
export async function temporaryPaths(): Promise<PeerPaths> {
	const root = await temporaryDirectory();
	const paths = peerPaths(join(root, "agent"), { ...currentPathFacts(), socketRoot: root });
	await ensurePrivateDirectory(paths.peersDirectory, paths.userId);
	if (paths.socketDirectory !== null) await ensurePrivateDirectory(paths.socketDirectory, paths.userId);
	return paths;
}

/** A registration that is right in every way, but for what `changes` say. Not written. */
export function registrationFor(paths: PeerPaths, changes: Partial<Registration> = {}): Registration {
	const instanceId = changes.instanceId ?? randomBytes(16).toString("hex");
	return {
		version: 2,
		protocol: 1,
		id: `session-${instanceId.slice(0, 6)}`,
		instanceId,
		name: `peer ${instanceId.slice(0, 4)}`,
		cwd: "/workspace",
		pid: process.pid,
		startedAt: Date.now(),
		updatedAt: Date.now(),
		status: "idle",
		inbound: "accept",
		socketPath: endpointPath(paths, instanceId),
		token: randomBytes(32).toString("hex"),
		...changes,
	};
}

/** Writes a registration, or whatever stands in its place, where it belongs. */
export async function writeRegistration(paths: PeerPaths, registration: Registration): Promise<Registration> {
	const file = registrationPath(paths, registration.instanceId);
	await writeFile(file, JSON.stringify(registration), { mode: 0o600 });
	return registration;
}

/** A pid that no process has: one that was never given out on any usual system. */
export const GONE_PID = 2 ** 22 + 4_000_000;
