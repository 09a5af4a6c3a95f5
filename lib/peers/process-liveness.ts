/**
 * Whether a process that registered is proven dead.
 *
 * Only "no such process" proves anything, and only when both sides count processes in the same way: an agent directory
 * mounted into a container or a virtual machine holds live peers whose pids mean nothing there.
 */
import { createHash } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import type { ProcessIdentity } from "./paths.ts";
import { errorCode } from "./private-files.ts";
import { REGISTRATION_LIMITS } from "./registration.ts";

/**
 * A name for the set of pids this process sees: equal for two processes only if a pid means the same to both.
 * Undefined where the system doesn't tell; then only silence over a long time counts.
 */
export async function readPidNamespace(platform: NodeJS.Platform = process.platform): Promise<string | undefined> {
	if (platform !== "linux") return `${platform}-${shortDigest(hostname())}`;
	try {
		// The first namespace has the same number on every kernel; the boot's id tells the kernels apart.
		const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8");
		return `linux-${shortDigest(boot + (await readlink("/proc/self/ns/pid")))}`;
	} catch {
		return undefined;
	}
}

function shortDigest(text: string): string {
	return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/** Whether the system says that there is no such process. Every other answer, "not permitted" too, is no proof. */
export function isProcessGone(pid: number, signal: (pid: number, signal: 0) => unknown = process.kill): boolean {
	try {
		signal(pid, 0);
		return false;
	} catch (error) {
		return errorCode(error) === "ESRCH";
	}
}

export interface DeathEvidence {
	/** Who may be dead, as it registered itself. */
	readonly writer: ProcessIdentity;
	/** Epoch milliseconds of its last sign. */
	readonly refreshedAt: number;
	/** This process's own pid namespace. */
	readonly pidNamespace: string | undefined;
	/** Epoch milliseconds. */
	readonly now: number;
	readonly isGone?: (pid: number) => boolean;
}

/** Whether a silent incarnation's process is proven dead from here. */
export function isProvenDead(evidence: DeathEvidence): boolean {
	const { writer, pidNamespace } = evidence;
	const isGone = evidence.isGone ?? isProcessGone;
	const samePids = pidNamespace !== undefined && writer.pidNamespace === pidNamespace;
	const silentForLong = evidence.now - evidence.refreshedAt >= REGISTRATION_LIMITS.staleMilliseconds;
	return (samePids || silentForLong) && isGone(writer.pid);
}
