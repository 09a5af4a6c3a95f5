/**
 * Finding the incarnations that are alive, and clearing away what dead ones left behind.
 *
 * Promise: a peer is listed only when its own endpoint answered for it. A registration is removed only when nothing
 * answers and its process is proven dead; every doubt leaves it where it is.
 */
import { join } from "node:path";
import { type Clock, systemClock } from "./clock.ts";
import { endpointPath, type PeerPaths, type ProcessIdentity, registrationPath, writerOfTemporary } from "./paths.ts";
import { type FileOperations, systemFiles } from "./private-files.ts";
import { isProcessGone, isProvenDead } from "./process-liveness.ts";
import type { Registration } from "./registration.ts";
import { findRegistration, listInstanceIds, listNames, readRegistration } from "./registration-reading.ts";

/** `ready`: the incarnation itself answered. `unready`: something answered, but not so. `silent`: nothing did. */
export type ProbeResult = "ready" | "unready" | "silent";

/** Asks an endpoint whether its incarnation is there; brief, and never throws. */
export type Probe = (registration: Registration, signal?: AbortSignal) => Promise<ProbeResult>;

export interface DiscoveryOptions {
	readonly paths: PeerPaths;
	readonly probe: Probe;
	/** This process's pid namespace, as registered. */
	readonly pidNamespace: string | undefined;
	/** Reads and vets one registration; by default from its file each time. */
	readonly find?: (instanceId: string) => Promise<Registration | null>;
	/** The asking incarnation, which is not its own peer. */
	readonly ownInstanceId?: string;
	readonly clock?: Clock;
	readonly files?: FileOperations;
	readonly isGone?: (pid: number) => boolean;
}

/** Endpoints that are asked at the same time. */
const PARALLEL_PROBES = 32;

/** All vetted registrations but the own one, newest session first. Nothing is probed. */
export async function readRegistrations(options: DiscoveryOptions): Promise<Registration[]> {
	const { paths, files, ownInstanceId, find = (id) => findRegistration(paths, id, files) } = options;
	const ids = await listInstanceIds(paths, files);
	const found = await mapBounded(ids, async (id) => (id === ownInstanceId ? null : find(id)));
	return found.filter((registration) => registration !== null).sort((left, right) => right.startedAt - left.startedAt);
}

/** Those of `registrations` whose endpoint answers, in the same order. What is proven dead is removed on the way. */
export async function keepLive(
	registrations: readonly Registration[],
	options: DiscoveryOptions,
	signal?: AbortSignal,
): Promise<Registration[]> {
	const live = await mapBounded(registrations, async (registration) => {
		if (signal?.aborted) return null;
		const result = await options.probe(registration, signal);
		if (result === "ready") return registration;
		if (result === "silent" && !signal?.aborted) await reap(registration, options);
		return null;
	});
	return live.filter((registration) => registration !== null);
}

/** Every live peer, newest session first. Also sweeps the unfinished writes of killed processes. */
export async function discoverPeers(options: DiscoveryOptions, signal?: AbortSignal): Promise<Registration[]> {
	const live = await keepLive(await readRegistrations(options), options, signal);
	await sweepTemporaryFiles(options);
	return live;
}

/** Removes a silent incarnation's files if its process is proven dead. The proof is made on the file as it is now. */
async function reap(silent: Registration, options: DiscoveryOptions): Promise<void> {
	const { paths, files } = options;
	const reading = await readRegistration(paths, silent.instanceId, files);
	if (!reading.ok || !isWriterDead(reading.registration, reading.refreshedAt, options)) return;
	// The registration goes last: while it is there, the socket beside it has an owner that can be asked for.
	if (paths.socketDirectory !== null) await removeQuietly(endpointPath(paths, silent.instanceId), files);
	await removeQuietly(registrationPath(paths, silent.instanceId), files);
}

/** Removes what a process left behind that was killed while it wrote its registration. */
async function sweepTemporaryFiles(options: DiscoveryOptions): Promise<void> {
	const { paths, files } = options;
	const names = await listNames(paths.peersDirectory, files);
	await mapBounded(names, async (name) => {
		const writer = writerOfTemporary(name);
		if (writer === null) return;
		const path = join(paths.peersDirectory, name);
		const stats = await (files ?? systemFiles).lstat(path).catch(() => null);
		if (stats !== null && isWriterDead(writer, stats.mtimeMs, options)) await removeQuietly(path, files);
	});
}

function isWriterDead(writer: ProcessIdentity, refreshedAt: number, options: DiscoveryOptions): boolean {
	return isProvenDead({
		writer,
		refreshedAt,
		pidNamespace: options.pidNamespace,
		now: (options.clock ?? systemClock).now(),
		isGone: options.isGone ?? isProcessGone,
	});
}

async function removeQuietly(path: string, files: FileOperations = systemFiles): Promise<void> {
	// Another session may be clearing the same away.
	await files.unlink(path).catch(() => {});
}

async function mapBounded<Item, Result>(
	items: readonly Item[],
	task: (item: Item) => Promise<Result>,
): Promise<Result[]> {
	const results: Result[] = new Array(items.length);
	const pending = items.entries();
	const worker = async (): Promise<void> => {
		for (const [index, item] of pending) results[index] = await task(item);
	};
	await Promise.all(Array.from({ length: Math.min(PARALLEL_PROBES, items.length) }, worker));
	return results;
}
