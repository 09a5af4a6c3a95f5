/**
 * An incarnation's presence among the peers: its registration, its socket, its inbox and its outbox.
 *
 * Promise: everything is acquired into the scope of the start, so that a failure at any step releases the steps before
 * it; the registration is there before the socket and goes after it, so that whatever a killed process leaves can be
 * traced to its pid. Nothing here keeps the process alive.
 */
import { randomBytes } from "node:crypto";
import { type Clock, systemClock } from "../peers/clock.ts";
import { PeerDirectory } from "../peers/directory.ts";
import { endpointFits, endpointPath, type PeerPaths, peerPaths } from "../peers/paths.ts";
import { PeerError } from "../peers/peer-error.ts";
import { ensurePrivateDirectory, type FileOperations, systemFiles } from "../peers/private-files.ts";
import { readPidNamespace } from "../peers/process-liveness.ts";
import { type RegisteredStatus, type Registration, registeredName } from "../peers/registration.ts";
import { RegistrationWriter } from "../peers/registration-writer.ts";
import { createProbe } from "../wire/exchange.ts";
import { Receiver, type ReceiverOptions } from "../wire/server.ts";
import { SharedBudget } from "./budget.ts";
import { type Delivery, type InboundMode, Inbox } from "./inbox.ts";
import type { IncarnationScope } from "./lifecycle.ts";
import { Outbox } from "./outbox.ts";
import { atProcessEnd } from "./process-end.ts";

/** What the session can tell about itself at any moment. Asked before each write; may throw when it is over. */
export interface SessionFacts {
	readonly name: string | undefined;
	readonly cwd: string;
	readonly status: RegisteredStatus;
}

export interface PresenceOptions {
	readonly agentDirectory: string;
	readonly sessionId: string;
	/** The session's log, where it has one. */
	readonly sessionFile?: string;
	readonly describe: () => SessionFacts;
	readonly inbound: InboundMode;
	readonly delivery: Delivery;
	/** Told once, when 32 units of the budget are left. */
	readonly onLowBudget?: (remaining: number) => void;
	/** Told once when the presence ended by itself. Everything is released by then. May throw. */
	readonly onFailure?: (error: PeerError) => void;
	readonly clock?: Clock;
	/** Where files go; the seam for tests of failing starts. */
	readonly files?: FileOperations;
	/** How the socket is opened; the same. */
	readonly openReceiver?: (options: ReceiverOptions<Registration>) => Promise<Pick<Receiver<Registration>, "close">>;
	readonly paths?: PeerPaths;
}

export class Presence {
	readonly sessionId: string;
	readonly instanceId: string = randomBytes(16).toString("hex");
	readonly paths: PeerPaths;
	readonly budget: SharedBudget;
	readonly inbox: Inbox;
	readonly outbox: Outbox;
	readonly directory: PeerDirectory;
	readonly #options: PresenceOptions;
	readonly #scope: IncarnationScope;
	readonly #clock: Clock;
	readonly #pidNamespace: string | undefined;
	readonly #token = randomBytes(32).toString("hex");
	readonly #startedAt: number;
	readonly #writer: RegistrationWriter;
	#ready = false;

	private constructor(options: PresenceOptions, scope: IncarnationScope, pidNamespace: string | undefined) {
		const { clock = systemClock, files = systemFiles, paths = peerPaths(options.agentDirectory) } = options;
		const { instanceId } = this;
		const { fence } = scope;
		this.sessionId = options.sessionId;
		this.paths = paths;
		this.#options = options;
		this.#scope = scope;
		this.#clock = clock;
		this.#pidNamespace = pidNamespace;
		this.#startedAt = clock.now();
		const budget = new SharedBudget(options.onLowBudget);
		this.budget = budget;
		this.inbox = new Inbox({ instanceId, clock, budget, delivery: options.delivery, mode: options.inbound });
		const probe = createProbe({ paths, clock });
		this.directory = new PeerDirectory({ paths, probe, pidNamespace, ownInstanceId: instanceId, clock });
		const from = { id: options.sessionId, instanceId, token: this.#token };
		this.outbox = new Outbox({ from, paths, directory: this.directory, budget, clock, fence });
		const describe = (): Registration => this.#describe();
		const onFailure = (error: PeerError): void => this.#end(error);
		this.#writer = new RegistrationWriter({ paths, instanceId, describe, fence, onFailure, clock, files });
	}

	/**
	 * Takes a place among the peers. Throws a {@link PeerError}; what it acquired until then is in the scope, whose
	 * owner releases it.
	 */
	static async open(options: PresenceOptions, scope: IncarnationScope): Promise<Presence> {
		const presence = new Presence(options, scope, await readPidNamespace());
		await presence.#enter();
		return presence;
	}

	/** Writes the registration anew after a change of name, directory, status or mode. Never throws. */
	refresh(): Promise<void> {
		return this.#writer.refresh();
	}

	/** Changes what is let in, and registers it. Never throws. */
	setMode(mode: InboundMode): Promise<void> {
		this.inbox.setMode(mode);
		return this.refresh();
	}

	async #enter(): Promise<void> {
		const { paths, instanceId } = this;
		const { files = systemFiles } = this.#options;
		const { fence, releases } = this.#scope;
		if (!endpointFits(paths, instanceId)) throw new PeerError("endpoint_too_long");
		releases.add(atProcessEnd(() => this.#scope.end()));
		await ensurePrivateDirectory(paths.peersDirectory, paths.userId, files);
		if (paths.socketDirectory !== null) await ensurePrivateDirectory(paths.socketDirectory, paths.userId, files);
		releases.add(() => this.#writer.remove());
		await this.#writer.start();
		fence.throwIfAborted();
		await releases.acquire(
			() => this.#openReceiver(),
			(receiver) => receiver.close(),
		);
		fence.throwIfAborted();
		this.#ready = true;
	}

	async #openReceiver(): Promise<Pick<Receiver<Registration>, "close">> {
		const { openReceiver = Receiver.open } = this.#options;
		const { paths, instanceId } = this;
		try {
			return await openReceiver({
				path: endpointPath(paths, instanceId),
				platform: paths.platform,
				clock: this.#clock,
				onFailure: (error) => this.#end(new PeerError("endpoint_unavailable", error)),
				ports: {
					identity: { id: this.sessionId, instanceId, pid: process.pid, token: this.#token },
					isReady: () => this.#ready && !this.#scope.fence.aborted,
					readSenderRegistration: (sender) => this.directory.find(sender),
					takeMessage: (message, sender) => this.inbox.take(message, sender),
					messageState: (messageId, sender) => this.inbox.stateOf(messageId, sender),
				},
			});
		} catch (error) {
			throw new PeerError("endpoint_unavailable", error);
		}
	}

	#describe(): Registration {
		const { sessionId, instanceId, paths } = this;
		const { sessionFile } = this.#options;
		const { name, cwd, status } = this.#options.describe();
		return {
			version: 2,
			protocol: 1,
			id: sessionId,
			instanceId,
			name: registeredName(name, sessionId),
			cwd,
			pid: process.pid,
			startedAt: this.#startedAt,
			updatedAt: this.#clock.now(),
			status,
			inbound: this.inbox.mode === "refuse" ? "refuse" : "accept",
			socketPath: endpointPath(paths, instanceId),
			token: this.#token,
			...(sessionFile === undefined ? {} : { sessionFile }),
			...(this.#pidNamespace === undefined ? {} : { pidNamespace: this.#pidNamespace }),
		};
	}

	/** Ends a presence that can't go on. The person is told when everything is released, and only then. */
	#end(error: PeerError): void {
		if (this.#scope.fence.aborted) return;
		const { onFailure = () => {} } = this.#options;
		this.#scope
			.end()
			.then(() => onFailure(error))
			// Whoever can't be told, can't be told that either; everything is released already.
			.catch(() => {});
	}
}
