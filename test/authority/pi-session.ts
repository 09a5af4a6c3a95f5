/**
 * A real pi session in this process: the SDK under test, a scripted local model, and an extension that wires the
 * authority and the queue to pi's events as the package does. Nothing is written outside a temporary directory.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFauxCore, type FauxResponseStep } from "@earendil-works/pi-ai/providers/faux";
import {
	type AgentSession,
	createAgentSession,
	DefaultResourceLoader,
	type ExtensionAPI,
	type ExtensionContext,
	type ExtensionFactory,
	SessionManager,
	SettingsManager,
} from "@earendil-works/pi-coding-agent";
import { messageText, type PiMessage } from "../../lib/authority/pi-messages.ts";
import { SessionAuthority } from "../../lib/authority/session-authority.ts";
import type { TurnEffect } from "../../lib/authority/turn-events.ts";
import { MARK_ENTRY_TYPE } from "../../lib/contract/input-mark.ts";
import { type QueuedFate, SafeQueue } from "../../lib/inbox/safe-queue.ts";

const model = {
	id: "local",
	name: "local",
	reasoning: false,
	input: ["text" as const] satisfies "text"[],
	cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
	contextWindow: 200_000,
	maxTokens: 1_000,
};

export interface PiSessionOptions {
	/** Other extensions, loaded before or after the package's. */
	readonly before?: readonly ExtensionFactory[];
	readonly after?: readonly ExtensionFactory[];
	/** First pause between attempts, in ms. */
	readonly retryDelay?: number;
}

/** Resolves when the condition holds; fails after a while. */
export async function until(condition: () => boolean, what: string): Promise<void> {
	const deadline = Date.now() + 10_000;
	while (!condition()) {
		if (Date.now() > deadline) throw new Error(`never came: ${what}`);
		await new Promise((resolve) => setTimeout(resolve, 2));
	}
}

export class PiSession {
	readonly core = createFauxCore({ api: "local", provider: "local", models: [model] });
	readonly effects: TurnEffect[] = [];
	readonly fates = new Map<string, QueuedFate>();
	/** Names of pi's events in the order in which they came. */
	readonly events: string[] = [];
	readonly authority: SessionAuthority;
	readonly queue: SafeQueue<string>;
	#session: AgentSession | null = null;
	#context: ExtensionContext | null = null;
	#pi: ExtensionAPI | null = null;
	readonly #directory = mkdtempSync(join(tmpdir(), "authority-"));

	private constructor() {
		this.authority = new SessionAuthority({
			monotonic: () => performance.now(),
			epoch: () => Date.now(),
			submissionOf,
			namesSender: (target) => target === "@sender",
			effects: (effects) => this.#follow(effects),
			log: {
				findEntry: (identity) => {
					const entry = this.entries().findLast((one) => one.type === "message" && one.message === identity);
					return entry?.type === "message" ? { id: entry.id, text: messageText(entry.message as PiMessage) } : null;
				},
				write: (mark) => this.pi.appendEntry(MARK_ENTRY_TYPE, mark),
			},
		});
		this.queue = new SafeQueue({
			decide: (queues) => this.authority.decide(queues, this.context),
			submit: (text) => this.authority.submit(text, () => this.#send(text), this.context),
			report: (text, fate) => this.fates.set(text, fate),
		});
	}

	static async open(responses: FauxResponseStep[], options: PiSessionOptions = {}): Promise<PiSession> {
		const opened = new PiSession();
		opened.core.setResponses(responses);
		await opened.#start(options);
		return opened;
	}

	get session(): AgentSession {
		if (this.#session === null) throw new Error("The session is not open yet.");
		return this.#session;
	}

	get pi(): ExtensionAPI {
		if (this.#pi === null) throw new Error("The extension is not loaded yet.");
		return this.#pi;
	}

	get context(): ExtensionContext {
		if (this.#context === null) throw new Error("The session has not started yet.");
		return this.#context;
	}

	entries() {
		return this.session.sessionManager.getEntries();
	}

	/** What is marked: the text of each user entry with the source of its mark. */
	marked(): [string, string | undefined][] {
		const entries = this.entries();
		const marks = entries.filter((entry) => entry.type === "custom" && entry.customType === MARK_ENTRY_TYPE);
		const sourceOf = new Map(
			marks.map((entry) => {
				const mark = (entry as { data?: { entry: string; source: string } }).data;
				return [mark?.entry, mark?.source];
			}),
		);
		const users = entries.filter((entry) => entry.type === "message" && entry.message.role === "user");
		return users.map((entry) => [messageText((entry as { message: PiMessage }).message), sourceOf.get(entry.id)]);
	}

	/** A message of a peer arrives. */
	arrive(text: string): string {
		return this.queue.offer({ message: text, lifetime: 30_000, queues: true }, performance.now());
	}

	/** How often an event of this name came. */
	count(event: string): number {
		return this.events.filter((name) => name === event).length;
	}

	async idle(settlements: number): Promise<void> {
		await until(() => this.count("agent_settled") >= settlements && this.session.isIdle, `settlement ${settlements}`);
		await new Promise((resolve) => setImmediate(resolve));
	}

	close(): void {
		this.authority.release();
		this.#session?.dispose();
		rmSync(this.#directory, { recursive: true, force: true });
	}

	async #start(options: PiSessionOptions): Promise<void> {
		const settings = { retry: { enabled: true, maxRetries: 3, baseDelayMs: options.retryDelay ?? 20 } };
		const settingsManager = SettingsManager.inMemory({ ...settings, compaction: { keepRecentTokens: 10 } });
		const { before = [], after = [] } = options;
		const location = { cwd: this.#directory, agentDir: this.#directory };
		const resourceLoader = new DefaultResourceLoader({
			...location,
			settingsManager,
			extensionFactories: [...before, (pi) => this.#wire(pi), ...after],
			noSkills: true,
			noThemes: true,
			noContextFiles: true,
			noPromptTemplates: true,
		});
		await resourceLoader.reload();
		const sessionManager = SessionManager.inMemory(this.#directory);
		const { session } = await createAgentSession({ ...location, resourceLoader, settingsManager, sessionManager });
		this.#session = session;
		await session.bindExtensions({});
		const found = this.context.modelRegistry.find("local", model.id);
		if (found === undefined) throw new Error("The local model is missing.");
		await session.setModel(found);
	}

	#wire(pi: ExtensionAPI): void {
		this.#pi = pi;
		const { core } = this;
		pi.registerProvider("local", {
			baseUrl: "http://127.0.0.1:1",
			apiKey: "none",
			api: "local",
			models: [model],
			streamSimple: (_model, context, streamOptions) => core.streamSimple(core.getModel(), context, streamOptions),
		});
		for (const name of ["create", "subagent"]) {
			pi.registerTool({
				name,
				label: name,
				description: name,
				parameters: { type: "object", properties: {} } as never,
				execute: async () => ({ content: [{ type: "text", text: `${name} ran` }], details: {} }),
			});
		}
		this.#feed(pi);
	}

	#feed(pi: ExtensionAPI): void {
		const { authority } = this;
		const seen = (name: string, context: ExtensionContext) => {
			this.#context = context;
			this.events.push(name);
		};
		pi.on("session_start", (_event, context) => {
			seen("session_start", context);
			authority.happened("session_start", context);
			authority.happened("registered", context);
		});
		pi.on("input", (event, context) => {
			seen("input", context);
			authority.input(event, false, context);
		});
		pi.on("before_agent_start", (event, context) => {
			seen("before_agent_start", context);
			const prompt = (event as { prompt?: string }).prompt ?? null;
			authority.beforeAgentStart(prompt, context);
		});
		pi.on("agent_start", (_event, context) => {
			seen("agent_start", context);
			authority.happened("agent_start", context);
		});
		pi.on("agent_end", (_event, context) => seen("agent_end", context));
		pi.on("message_start", (event, context) => {
			seen(`message_start:${event.message.role}`, context);
			authority.messageStarted(event.message, context);
		});
		pi.on("message_end", (event, context) => authority.messageEnded(event.message, context));
		pi.on("context", () => authority.contextBuilt());
		pi.on("tool_call", (event, context) => {
			seen("tool_call", context);
			const reason = authority.toolCalled(event, context);
			return reason === null ? undefined : { block: true, reason };
		});
		pi.on("agent_settled", (event, context) => {
			seen("agent_settled", context);
			authority.settled(event.aborted === true, context);
		});
		pi.on("session_before_compact", (_event, context) => {
			seen("session_before_compact", context);
			authority.happened("session_before_compact", context);
		});
		pi.on("session_compact", (_event, context) => authority.happened("session_compact", context));
		pi.on("session_compact_failed", (_event, context) => authority.happened("session_compact_failed", context));
	}

	#follow(effects: readonly TurnEffect[]): void {
		this.effects.push(...effects);
		for (const effect of effects) {
			if (effect.type === "stopped") this.queue.drop("dropped_cancelled");
			if (effect.type === "settled" || effect.type === "look_again") {
				setImmediate(() => this.queue.release(performance.now()));
			}
		}
	}

	#send(text: string): void {
		const message = { customType: "cross-session", content: text, display: true, details: { submission: text } };
		this.pi.sendMessage(message, { triggerTurn: true, deliverAs: "steer" });
	}
}

function submissionOf(message: PiMessage): string | null {
	const { customType, details } = message as { customType?: unknown; details?: { submission?: unknown } };
	return customType === "cross-session" && typeof details?.submission === "string" ? details.submission : null;
}
