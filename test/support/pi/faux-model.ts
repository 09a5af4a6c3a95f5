/**
 * A local model whose replies a test decides while the session runs: held back, aborted, failing, or looking at what they
 * are asked.
 */
import {
	createFauxCore,
	type FauxResponseStep,
	fauxAssistantMessage,
	fauxToolCall,
} from "@earendil-works/pi-ai/providers/faux";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { InProcessPi } from "./in-process-pi.ts";

const PROVIDER = "local";

export type Reply = FauxResponseStep;

type Message = ReturnType<typeof fauxAssistantMessage>;

export const say = (text: string): Message => fauxAssistantMessage(text);

export const call = (
	...calls: readonly (readonly [tool: string, given?: Parameters<typeof fauxToolCall>[1]])[]
): Message =>
	fauxAssistantMessage(
		calls.map(([tool, given]) => fauxToolCall(tool, given ?? {})),
		{ stopReason: "toolUse" },
	);

/** A reply that comes when the test lets it go, or ends with the turn that is aborted. */
export class HeldReply {
	readonly #asked = Promise.withResolvers<void>();
	readonly #released = Promise.withResolvers<void>();
	readonly #text: string;
	/** Resolves when the model is asked for it. */
	readonly asked = this.#asked.promise;

	constructor(text: string) {
		this.#text = text;
	}

	release(): void {
		this.#released.resolve();
	}

	readonly step: Reply = async (_context, options) => {
		this.#asked.resolve();
		const aborted = new Promise((resolve) => options?.signal?.addEventListener("abort", resolve, { once: true }));
		await Promise.race([this.#released.promise, aborted]);
		return fauxAssistantMessage(this.#text);
	};
}

export class FauxModel {
	readonly #core: ReturnType<typeof createFauxCore>;
	/** What the model was asked, request by request, as JSON. */
	readonly asked: string[] = [];

	/** @param contextWindow in tokens; a small one makes pi compact by itself */
	constructor(replies: readonly Reply[], contextWindow = 128_000) {
		const model = {
			id: PROVIDER,
			name: "Local model",
			reasoning: false,
			input: ["text" as const] satisfies "text"[],
			cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
			contextWindow,
			maxTokens: 1_000,
		};
		this.#core = createFauxCore({ api: PROVIDER, provider: PROVIDER, models: [model] });
		this.#core.setResponses([...replies]);
	}

	/** Replies that are still to come. */
	get left(): number {
		return this.#core.getPendingResponseCount();
	}

	add(...replies: readonly Reply[]): void {
		this.#core.appendResponses([...replies]);
	}

	/** The extension that brings the model. */
	readonly extension = (pi: ExtensionAPI): void => {
		pi.registerProvider(PROVIDER, {
			baseUrl: "http://127.0.0.1:9",
			apiKey: "none-needed",
			api: PROVIDER,
			models: this.#core.models.map(({ provider: _provider, api: _api, baseUrl: _url, ...model }) => model),
			streamSimple: (_model, context, options) => {
				this.asked.push(JSON.stringify(context));
				return this.#core.streamSimple(this.#core.getModel(), context, options);
			},
		});
	};

	/** Makes it the session's model. */
	async use(pi: InProcessPi): Promise<void> {
		await useModel(pi, PROVIDER, PROVIDER);
	}
}

/** Makes a registered model the session's one. */
export async function useModel(pi: InProcessPi, provider: string, id: string): Promise<void> {
	const model = pi.runtime.services.modelRuntime.getModel(provider, id);
	if (model === undefined) throw new Error("The model is missing.");
	await pi.session.setModel(model);
}
