/**
 * One incarnation: this extension, loaded once, for one session. It owns everything that is acquired for it.
 *
 * A subagent's session acquires nothing: no topic, no tool. Starting acquires inside one boundary: what fails half-way
 * releases the rest. Stopping twice does nothing.
 */
import { randomBytes } from "node:crypto";
import { type ExtensionAPI, type ExtensionContext, getAgentDir } from "@earendil-works/pi-coding-agent";
import { isManagedSession, isSubagentSession } from "../peers/managed-identity.ts";
import { InfoResponder } from "../rpc/info-responder.ts";
import { OnceLedger } from "../rpc/once-ledger.ts";
import { createPeerContextResponder } from "../rpc/peer-context-responder.ts";
import type { Caller } from "../sessions/authorization.ts";
import { nobodyLive } from "../sessions/live-sessions.ts";
import { PeerContextReader } from "../sessions/peer-context-reader.ts";
import { PiSessionQuery } from "../sessions/pi-session-query.ts";
import { SessionRecords } from "../sessions/session-records.ts";
import { type CrossSessionConfig, readConfig } from "./config.ts";
import { RPC_FLAG, TOOL_FLAG } from "./flags.ts";
import { inheritPrivacy } from "./inherited-privacy.ts";
import { createPeerContextTool } from "./peer-context-tool.ts";
import { tellPerson } from "./tell-person.ts";
import { workspaceSources } from "./workspace.ts";

export class HostSession {
	readonly instanceId = randomBytes(16).toString("hex");
	readonly #pi: ExtensionAPI;
	readonly #context: ExtensionContext;
	readonly #agentDirectory = getAgentDir();
	readonly #records = new SessionRecords(this.#agentDirectory);
	/** Releases, in the order of acquiring. */
	readonly #releases: (() => void)[] = [];

	private constructor(pi: ExtensionAPI, context: ExtensionContext) {
		this.#pi = pi;
		this.#context = context;
	}

	/** Starts an incarnation for the session of `context`. Never throws: the session works without it. */
	static start(pi: ExtensionAPI, context: ExtensionContext): HostSession {
		const session = new HostSession(pi, context);
		try {
			session.#acquire();
		} catch {
			session.stop();
			session.#tell("Cross-session access could not start; this session works without it. Try /reload.");
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

	#acquire(): void {
		const { config, problem } = readConfig(this.#agentDirectory);
		if (problem) this.#tell(problem);
		const sessionId = this.#context.sessionManager.getSessionId();
		if (this.#isSubagent()) {
			this.#records.setSubagent(sessionId);
			return;
		}
		if (inheritPrivacy(this.#context.sessionManager, this.#records)) {
			this.#tell("This fork is private, like the session it came from. /cross-session-private off shows it again.");
		}
		const reader = this.#createReader(config);
		if (config.rpc || this.#pi.getFlag(RPC_FLAG) === true) this.#startRpc(reader, config);
		if (config.tool || this.#pi.getFlag(TOOL_FLAG) === true) this.#pi.registerTool(createPeerContextTool(reader));
	}

	#isSubagent(): boolean {
		const kind = {
			environment: process.env,
			stored: this.#context.sessionManager.getSessionFile() !== undefined,
			hasUserInterface: this.#context.hasUI,
		};
		return isManagedSession(this.#pi.events) || isSubagentSession(kind);
	}

	#createReader(config: CrossSessionConfig): PeerContextReader {
		const { sessionManager } = this.#context;
		const cwd = sessionManager.getCwd();
		const caller: Caller = { sessionId: sessionManager.getSessionId(), cwd, isHost: true };
		const directory = sessionManager.getSessionDir();
		const sessions = new PiSessionQuery({
			sources: () => workspaceSources(this.#agentDirectory, cwd, directory, nobodyLive),
			records: this.#records,
			live: nobodyLive,
		});
		return new PeerContextReader({ sessions, live: nobodyLive, caller: () => caller, limits: config.limits });
	}

	#startRpc(reader: PeerContextReader, config: CrossSessionConfig): void {
		const bus = this.#pi.events;
		const local = { sessionId: this.#context.sessionManager.getSessionId(), instanceId: this.instanceId };
		const context = createPeerContextResponder({
			bus,
			local,
			ledger: new OnceLedger(config.contextRequests),
			readPeerContext: (question, signal) => reader.read(question, signal),
		});
		this.#releases.push(() => context.stop());
		context.start();
		const info = new InfoResponder({
			bus,
			readSnapshot: () => ({
				local,
				stopped: false,
				remainingBudget: 0,
				remainingRpcRequests: 0,
				remainingContextRequests: context.remaining,
				states: [],
			}),
		});
		this.#releases.push(() => info.stop());
		info.start();
	}

	#tell(text: string): void {
		try {
			tellPerson(this.#context, text, "warning");
		} catch {
			// A failing notification must not end what it tells about.
		}
	}
}
