/**
 * Real pi sessions inside the test's own process, by the SDK's session runtime, with this package loaded as pi loads it.
 *
 * The test owns what it starts: `dispose()` ends the session the way pi does.
 */
import type { Message } from "@earendil-works/pi-ai";
import {
	type AgentSession,
	type AgentSessionRuntime,
	createAgentSessionFromServices,
	createAgentSessionRuntime,
	createAgentSessionServices,
	type ExtensionUIContext,
	getAgentDir,
	type InlineExtension,
	SessionManager,
} from "@earendil-works/pi-coding-agent";
import { CountingBus } from "./counting-bus.ts";
import { extensionPath } from "./pi-process.ts";
import { registerScriptedModel, SCRIPTED, type ScriptedReply } from "./scripted-model.ts";

export interface InProcessOptions {
	readonly cwd: string;
	/** Names of boolean flags that were given on the command line. */
	readonly flags?: readonly string[];
	/** Flags that were given with a value. */
	readonly flagValues?: Readonly<Record<string, string>>;
	readonly script?: readonly ScriptedReply[];
	readonly bus?: CountingBus;
	readonly sessionManager?: SessionManager;
	/** Whether a person sees the session. Default: true. */
	readonly hasUserInterface?: boolean;
	/** What the person's screen can do besides notifications. */
	readonly userInterface?: Partial<ExtensionUIContext>;
	/** Loaded in place of the package's entry. */
	readonly instead?: InlineExtension;
	/** Loaded besides it, before it. */
	readonly extensions?: readonly InlineExtension[];
	/** Packages that are loaded besides it, by their directories. */
	readonly packages?: readonly string[];
	/** Loaded besides it, after it. */
	readonly late?: readonly InlineExtension[];
}

/** One line that the person was shown. */
export interface Told {
	readonly text: string;
	readonly severity: string | undefined;
}

export class InProcessPi {
	readonly bus: CountingBus;
	/** What the person was shown, oldest first. */
	readonly told: Told[] = [];
	/** What extensions show in the status line, by their keys. */
	readonly statusLine = new Map<string, string>();
	/** What stands in the editor. */
	editor = "";
	/** The messages that each request to the model carried, oldest request first. */
	readonly requests: (readonly Message[])[] = [];
	/** What extensions threw. */
	readonly extensionErrors: string[] = [];
	readonly #hasUserInterface: boolean;
	readonly #moreInterface: Partial<ExtensionUIContext>;
	#runtime: AgentSessionRuntime | undefined;

	private constructor(options: InProcessOptions) {
		this.bus = options.bus ?? new CountingBus();
		this.#hasUserInterface = options.hasUserInterface ?? true;
		this.#moreInterface = options.userInterface ?? {};
	}

	static async start(options: InProcessOptions): Promise<InProcessPi> {
		const pi = new InProcessPi(options);
		pi.#runtime = await createAgentSessionRuntime(
			async ({ cwd, sessionManager, sessionStartEvent }) => {
				const services = await createAgentSessionServices({
					cwd,
					extensionFlagValues: new Map<string, boolean | string>([
						...(options.flags ?? []).map((flag) => [flag, true] as const),
						...Object.entries(options.flagValues ?? {}),
					]),
					resourceLoaderOptions: {
						eventBus: pi.bus,
						noSkills: true,
						noContextFiles: true,
						noPromptTemplates: true,
						additionalExtensionPaths: [...(options.instead ? [] : [extensionPath]), ...(options.packages ?? [])],
						extensionFactories: [
							...(options.extensions ?? []),
							(api) => registerScriptedModel(api, options.script ?? [], (messages) => pi.requests.push(messages)),
							...(options.instead ? [options.instead] : []),
							...(options.late ?? []),
						],
					},
				});
				const model = services.modelRuntime.getModel(SCRIPTED, SCRIPTED);
				if (!model) throw new Error("The scripted model did not load.");
				const session = await createAgentSessionFromServices({
					services,
					sessionManager,
					model,
					...(sessionStartEvent && { sessionStartEvent }),
				});
				return { ...session, services, diagnostics: services.diagnostics };
			},
			{
				cwd: options.cwd,
				agentDir: getAgentDir(),
				sessionManager: options.sessionManager ?? SessionManager.create(options.cwd),
			},
		);
		const problems = pi.runtime.services.resourceLoader.getExtensions().errors;
		if (problems.length > 0) throw new Error(problems.map(({ error }) => error).join("\n"));
		pi.runtime.setRebindSession((session) => pi.#bind(session));
		await pi.#bind(pi.session);
		return pi;
	}

	get runtime(): AgentSessionRuntime {
		if (!this.#runtime) throw new Error("The session has not started.");
		return this.#runtime;
	}

	get session(): AgentSession {
		return this.runtime.session;
	}

	get sessionId(): string {
		return this.session.sessionId;
	}

	/** Where the session's log is, or will be. */
	get sessionFile(): string {
		return this.session.sessionFile ?? "";
	}

	/** Whether the tool is there, called or not. */
	hasTool(name: string): boolean {
		return this.session.getAllTools().some((tool) => tool.name === name);
	}

	/** The results of the tool's calls so far, as the model sees them. */
	toolResults(): { readonly text: string; readonly isError: boolean }[] {
		return this.session.messages.flatMap((message) => {
			if (message.role !== "toolResult") return [];
			const text = message.content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("");
			return [{ text, isError: message.isError }];
		});
	}

	/** The messages that came from other sessions, as the model sees them. */
	arrivals(): { readonly content: string; readonly details: unknown }[] {
		return this.session.messages.flatMap((message) => {
			if (message.role !== "custom" || message.customType !== "cross-session") return [];
			return [{ content: String(message.content), details: message.details }];
		});
	}

	async dispose(): Promise<void> {
		await this.#runtime?.dispose();
		this.#runtime = undefined;
	}

	async #bind(session: AgentSession): Promise<void> {
		await session.bindExtensions({
			...(this.#hasUserInterface && { uiContext: this.#userInterface(), mode: "rpc" }),
			onError: ({ error }) => this.extensionErrors.push(error),
		});
	}

	/** A person with notifications, a status line, an editor, and what a test gives besides: nothing else is there. */
	#userInterface(): ExtensionUIContext {
		const only: Pick<ExtensionUIContext, "notify" | "setStatus" | "getEditorText" | "setEditorText"> = {
			notify: (text, severity) => this.told.push({ text, severity }),
			setStatus: (key, text) => {
				if (text === undefined) this.statusLine.delete(key);
				else this.statusLine.set(key, text);
			},
			getEditorText: () => this.editor,
			setEditorText: (text) => {
				this.editor = text;
			},
		};
		return { ...only, ...this.#moreInterface } as ExtensionUIContext;
	}
}
