/**
 * One incarnation: this extension, loaded once, for one session. It owns everything that is acquired for it.
 *
 * A subagent's session acquires nothing. Starting acquires inside one boundary: what fails half-way releases the rest.
 * Stopping twice does nothing.
 */
import { randomBytes } from "node:crypto";
import { type EventBus, type ExtensionContext, getAgentDir } from "@earendil-works/pi-coding-agent";
import type { Incarnation } from "../contract/identifiers.ts";
import { isManagedSession, isSubagentSession } from "../peers/managed-identity.ts";
import { nobodyLive } from "../sessions/live-sessions.ts";
import { PeerContextReader } from "../sessions/peer-context-reader.ts";
import { PiSessionQuery } from "../sessions/pi-session-query.ts";
import { SessionRecords } from "../sessions/session-records.ts";
import { type CrossSessionConfig, readConfig } from "./config.ts";
import { inheritPrivacy } from "./inherited-privacy.ts";
import { tellPerson } from "./tell-person.ts";
import { workspaceSources } from "./workspace.ts";

/** What the doors of an incarnation are made of. */
export interface HostParts {
	readonly local: Incarnation;
	readonly config: CrossSessionConfig;
	readonly reader: PeerContextReader;
	/** Adds what gives an acquisition back when the incarnation ends. */
	readonly onStop: (release: () => void) => void;
}

export class HostSession {
	readonly #context: ExtensionContext;
	readonly #agentDirectory = getAgentDir();
	readonly #records = new SessionRecords(this.#agentDirectory);
	/** Releases, in the order of acquiring. */
	readonly #releases: (() => void)[] = [];

	private constructor(context: ExtensionContext) {
		this.#context = context;
	}

	/**
	 * Starts an incarnation for the session of `context`. Never throws: the session works without it.
	 * @param openDoors acquires what others use; not called for a subagent's session
	 */
	static start(bus: EventBus, context: ExtensionContext, openDoors: (parts: HostParts) => void): HostSession {
		const session = new HostSession(context);
		try {
			session.#acquire(bus, openDoors);
		} catch {
			session.stop();
			session.#warn("Cross-session access could not start; this session works without it. Try /reload.");
		}
		return session;
	}

	/** Releases everything, last acquired first. */
	stop(): void {
		for (const release of this.#releases.splice(0).reverse()) {
			try {
				release();
			} catch {
				// The others must be released too, and a stale bus can't be told anything.
			}
		}
	}

	#acquire(bus: EventBus, openDoors: (parts: HostParts) => void): void {
		const { config, problem } = readConfig(this.#agentDirectory);
		if (problem) this.#warn(problem);
		const sessionId = this.#context.sessionManager.getSessionId();
		if (this.#isSubagent(bus)) {
			this.#records.setSubagent(sessionId);
			return;
		}
		if (inheritPrivacy(this.#context.sessionManager, this.#records)) {
			this.#warn("This fork is private, like the session it came from. /cross-session-private off shows it again.");
		}
		openDoors({
			local: { sessionId, instanceId: randomBytes(16).toString("hex") },
			config,
			reader: this.#createReader(config),
			onStop: (release) => this.#releases.push(release),
		});
	}

	#isSubagent(bus: EventBus): boolean {
		const kind = {
			environment: process.env,
			stored: this.#context.sessionManager.getSessionFile() !== undefined,
			hasUserInterface: this.#context.hasUI,
		};
		return isManagedSession(bus) || isSubagentSession(kind);
	}

	#createReader(config: CrossSessionConfig): PeerContextReader {
		const { sessionManager } = this.#context;
		const cwd = sessionManager.getCwd();
		const caller = { sessionId: sessionManager.getSessionId(), cwd, isHost: true };
		const directory = sessionManager.getSessionDir();
		const sessions = new PiSessionQuery({
			sources: () => workspaceSources(this.#agentDirectory, cwd, directory, nobodyLive),
			records: this.#records,
			live: nobodyLive,
		});
		return new PeerContextReader({ sessions, live: nobodyLive, caller: () => caller, limits: config.limits });
	}

	#warn(text: string): void {
		try {
			tellPerson(this.#context, text, "warning");
		} catch {
			// A failing notification must not end what it tells about.
		}
	}
}
