/**
 * A pi extension: a local model that says what a script says, so that real pi sessions run the same every time.
 *
 * The script is the JSON file that SCRIPTED_MODEL names: the replies in order. One more request than there are replies
 * is an error of the run, seen as such in the session.
 */
import { readFileSync } from "node:fs";
import process from "node:process";
import { type AssistantMessage, createAssistantMessageEventStream, type Message } from "@earendil-works/pi-ai";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { LOCAL_USAGE } from "./local-usage.ts";

export const SCRIPTED = "scripted";

/** One reply of the model. */
export interface ScriptedReply {
	readonly thinking?: string;
	readonly text?: string;
	readonly calls?: readonly { readonly name: string; readonly arguments: Record<string, unknown> }[];
	/** The reply fails with this message. */
	readonly error?: string;
}

export default function scriptedModelFromFile(pi: ExtensionAPI): void {
	const file = process.env.SCRIPTED_MODEL;
	registerScriptedModel(pi, file === undefined ? [] : JSON.parse(readFileSync(file, "utf8")));
}

/** What a model says that was told to stop before it said anything. */
const aborted: ScriptedReply = { error: "The request was aborted." };

/**
 * Registers the model with its replies; the next one that is loaded begins with the first reply again.
 * @param onRequest learns of the messages of each request
 */
export function registerScriptedModel(
	pi: ExtensionAPI,
	replies: readonly ScriptedReply[],
	onRequest: (messages: readonly Message[]) => void = () => {},
): void {
	let next = 0;
	pi.registerProvider(SCRIPTED, {
		api: SCRIPTED,
		apiKey: "none-needed",
		baseUrl: "http://127.0.0.1:9",
		models: [
			{
				id: SCRIPTED,
				name: "Scripted model",
				reasoning: false,
				input: ["text", "image"],
				cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
				contextWindow: 128_000,
				maxTokens: 16_384,
			},
		],
		streamSimple(_model, context, options) {
			onRequest(structuredClone(context.messages));
			const stream = createAssistantMessageEventStream();
			const number = next++;
			const reply = replies[number] ?? { error: "The script has no more replies." };
			queueMicrotask(() => {
				const message = toMessage(options?.signal?.aborted ? aborted : reply, number);
				stream.push({ type: "start", partial: { ...message, content: [] } });
				const { stopReason } = message;
				if (stopReason === "error" || stopReason === "aborted") {
					stream.push({ type: "error", reason: stopReason, error: message });
				} else stream.push({ type: "done", reason: message.stopReason === "toolUse" ? "toolUse" : "stop", message });
				stream.end(message);
			});
			return stream;
		},
	});
}

function toMessage(reply: ScriptedReply, number: number): AssistantMessage {
	const calls = (reply.calls ?? []).map((call, index) => ({
		type: "toolCall" as const,
		id: `call-${number}-${index}`,
		name: call.name,
		arguments: call.arguments as AssistantMessage["content"][number] extends infer Block
			? Block extends { type: "toolCall"; arguments: infer Arguments }
				? Arguments
				: never
			: never,
	}));
	return {
		role: "assistant",
		content: [
			...(reply.thinking === undefined ? [] : [{ type: "thinking" as const, thinking: reply.thinking }]),
			...(reply.text === undefined ? [] : [{ type: "text" as const, text: reply.text }]),
			...calls,
		],
		api: SCRIPTED,
		provider: SCRIPTED,
		model: SCRIPTED,
		usage: LOCAL_USAGE,
		stopReason:
			reply === aborted ? "aborted" : reply.error !== undefined ? "error" : calls.length > 0 ? "toolUse" : "stop",
		...(reply.error !== undefined && { errorMessage: reply.error }),
		timestamp: Date.now(),
	};
}
