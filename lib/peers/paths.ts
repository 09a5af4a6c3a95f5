/**
 * Where registrations and sockets of one agent directory lie. Pure: nothing is looked at or created here.
 *
 * Promise: two agent directories never share a socket directory, and a path that the system would cut is recognised
 * before anything binds to it.
 */
import { createHash, randomBytes } from "node:crypto";
import { join, resolve } from "node:path";

/** What the paths depend on besides the agent directory. */
export interface PathFacts {
	readonly platform: NodeJS.Platform;
	/** Absent where the system has no numeric users. */
	readonly userId?: number;
	/** Where the socket directory is made; `/tmp` unless a test says otherwise. */
	readonly socketRoot: string;
}

export interface PeerPaths {
	readonly platform: NodeJS.Platform;
	/** Absent where the system has no numeric users. */
	readonly userId?: number;
	readonly agentDirectory: string;
	/** Holds one registration file per incarnation. */
	readonly peersDirectory: string;
	/** Holds one socket per incarnation; null where endpoints are named pipes. */
	readonly socketDirectory: string | null;
	/** Twelve hex digits that stand for the agent directory. */
	readonly namespace: string;
}

/** The facts of this process. */
export function currentPathFacts(): PathFacts {
	const userId = process.getuid?.();
	return { platform: process.platform, socketRoot: "/tmp", ...(userId === undefined ? {} : { userId }) };
}

export function peerPaths(agentDirectory: string, facts: PathFacts = currentPathFacts()): PeerPaths {
	const directory = resolve(agentDirectory);
	const namespace = createHash("sha256").update(directory).digest("hex").slice(0, 12);
	const named = facts.platform === "win32";
	return {
		platform: facts.platform,
		...(facts.userId === undefined ? {} : { userId: facts.userId }),
		agentDirectory: directory,
		peersDirectory: join(directory, "peers"),
		socketDirectory: named ? null : join(facts.socketRoot, `pi-peers-${facts.userId ?? "user"}-${namespace}`),
		namespace,
	};
}

/** The registration file of an incarnation. */
export function registrationPath(paths: PeerPaths, instanceId: string): string {
	return join(paths.peersDirectory, `${instanceId}.json`);
}

/** A process as others may check whether it still runs. */
export interface ProcessIdentity {
	readonly pid: number;
	/** Absent where the system doesn't tell. */
	readonly pidNamespace?: string | undefined;
}

/** A fresh name for an unfinished write of a registration. It says who writes it, so that it can be cleared away. */
export function temporaryRegistrationPath(paths: PeerPaths, instanceId: string, writer: ProcessIdentity): string {
	const { pid, pidNamespace = "unknown" } = writer;
	return join(paths.peersDirectory, `.${instanceId}.${pid}.${pidNamespace}.${randomBytes(6).toString("hex")}.tmp`);
}

/** Who writes, or wrote, the unfinished file of that name in the peers directory; null for every other name. */
export function writerOfTemporary(name: string): ProcessIdentity | null {
	const [, pid, pidNamespace] = /^\.[0-9a-f]{32}\.([1-9]\d{0,9})\.([a-z0-9-]+)\.[0-9a-f]{12}\.tmp$/.exec(name) ?? [];
	return pid === undefined ? null : { pid: Number(pid), pidNamespace };
}

/** The endpoint of an incarnation: a Unix socket or a named pipe. */
export function endpointPath(paths: PeerPaths, instanceId: string): string {
	if (paths.socketDirectory === null) return `\\\\.\\pipe\\pi-peer-${paths.namespace}-${instanceId}`;
	return join(paths.socketDirectory, `${instanceId}.sock`);
}

/** Longest usable socket path in bytes. A longer one is bound under a shortened name on Linux, without an error. */
export function endpointByteLimit(platform: NodeJS.Platform): number {
	if (platform === "win32") return 256;
	return platform === "linux" ? 107 : 103;
}

/** Whether the system can bind this endpoint under its whole name. */
export function endpointFits(paths: PeerPaths, instanceId: string): boolean {
	return Buffer.byteLength(endpointPath(paths, instanceId)) <= endpointByteLimit(paths.platform);
}
