/**
 * One incarnation's view of its peers: the questions that the other rooms ask of the registry.
 */
import type { RuntimeStatus } from "../contract/peer-context.ts";
import type { PublicPeer } from "../contract/public-peer.ts";
import { isSameWorkspace } from "../contract/workspace.ts";
import { type DiscoveryOptions, discoverPeers, keepLive, readRegistrations } from "./discovery.ts";
import { readGitContext } from "./git-context.ts";
import { publishPeer } from "./published-peer.ts";
import type { Registration } from "./registration.ts";
import { RegistrationCache } from "./registration-cache.ts";
import { exactInstanceId, matchTarget } from "./target.ts";

export class PeerDirectory {
	readonly #options: DiscoveryOptions;
	readonly #registrations: RegistrationCache;

	constructor(options: Omit<DiscoveryOptions, "find">) {
		this.#registrations = new RegistrationCache(options.paths);
		this.#options = { ...options, find: (instanceId) => this.find(instanceId) };
	}

	/** Every live peer for a listing, newest session first, with its git context of this moment. */
	async list(callerCwd: string, signal?: AbortSignal): Promise<PublicPeer[]> {
		const live = await discoverPeers(this.#options, signal);
		return Promise.all(
			live.map(async (registration) =>
				publishPeer(registration, {
					git: await readGitContext(registration.cwd),
					readable: isSameWorkspace(callerCwd, registration.cwd),
				}),
			),
		);
	}

	/** Every live peer with its secret. Only for rooms that talk to peers. */
	live(signal?: AbortSignal): Promise<Registration[]> {
		return discoverPeers(this.#options, signal);
	}

	/**
	 * The live peers that a written target means. A whole instance id is looked up directly and not probed: whoever
	 * talks to it finds out.
	 */
	async resolve(target: string, signal?: AbortSignal): Promise<Registration[]> {
		const instanceId = exactInstanceId(target);
		if (instanceId === null) {
			return keepLive(matchTarget(target, await readRegistrations(this.#options)), this.#options, signal);
		}
		const registration = await this.find(instanceId);
		return registration === null || instanceId === this.#options.ownInstanceId ? [] : [registration];
	}

	/** The vetted registration of one incarnation, the own one too; null when there is none. Not probed. */
	find(instanceId: string): Promise<Registration | null> {
		return this.#registrations.find(instanceId);
	}

	/** What the live registry says of a session. Only its own registrations are probed. */
	async runtimeStatus(sessionId: string, signal?: AbortSignal): Promise<RuntimeStatus> {
		const registrations = await readRegistrations(this.#options);
		const candidates = registrations.filter((registration) => registration.id === sessionId);
		return statusAmong(await keepLive(candidates, this.#options, signal));
	}

	/** What is live now, to be asked about sessions and workspaces. Every registered peer is probed. */
	async snapshot(signal?: AbortSignal) {
		const live = await keepLive(await readRegistrations(this.#options), this.#options, signal);
		return {
			statusOf: (sessionId: string) => statusAmong(live.filter(({ id }) => id === sessionId)),
			/** Session files that peers of a workspace registered: hints, to be verified like any other file. */
			filesOf: (cwd: string) =>
				live.flatMap((peer) => (isSameWorkspace(cwd, peer.cwd) && peer.sessionFile ? [peer.sessionFile] : [])),
		};
	}
}

/** Two processes may have a session open: one that runs decides. */
function statusAmong(live: readonly Registration[]): RuntimeStatus {
	if (live.length === 0) return "offline";
	return live.some(({ status }) => status === "busy") ? "running" : "idle";
}
