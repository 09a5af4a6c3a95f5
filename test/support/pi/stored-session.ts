/**
 * A session that ended: its log, written by pi's own session manager, without a model or an agent.
 */
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { LOCAL_USAGE } from "./local-usage.ts";
import { SCRIPTED } from "./scripted-model.ts";

export interface StoredSession {
	readonly id: string;
	readonly file: string;
}

export interface StoredSessionOptions {
	readonly name?: string;
	/** Names of tools that the last assistant message calls and that answered. */
	readonly calls?: readonly string[];
}

/** Writes a session of one turn a pair: what the user said, what the model answered. */
export function storeSession(
	cwd: string,
	turns: readonly (readonly [user: string, assistant: string])[],
	{ name, calls = [] }: StoredSessionOptions = {},
): StoredSession {
	const manager = SessionManager.create(cwd);
	if (name !== undefined) manager.appendSessionInfo(name);
	for (const [user, assistant] of turns) {
		manager.appendMessage({ role: "user", content: user, timestamp: Date.now() });
		const isLast = assistant === turns.at(-1)?.[1];
		if (isLast && calls.length > 0) appendCalls(manager, calls);
		appendAssistant(manager, [{ type: "text", text: assistant }], "stop");
	}
	const file = manager.getSessionFile();
	if (file === undefined) throw new Error("The session was not stored.");
	return { id: manager.getSessionId(), file };
}

type AssistantMessage = Extract<Parameters<SessionManager["appendMessage"]>[0], { role: "assistant" }>;

function appendCalls(manager: SessionManager, names: readonly string[]): void {
	const content = names.map((name, index) => ({
		type: "toolCall" as const,
		id: `stored-${index}`,
		name,
		arguments: {},
	}));
	appendAssistant(manager, content, "toolUse");
	for (const { id, name } of content) {
		manager.appendMessage({
			role: "toolResult",
			toolCallId: id,
			toolName: name,
			content: [{ type: "text", text: "done" }],
			isError: false,
			timestamp: Date.now(),
		});
	}
}

function appendAssistant(
	manager: SessionManager,
	content: AssistantMessage["content"],
	stopReason: AssistantMessage["stopReason"],
): void {
	manager.appendMessage({
		role: "assistant",
		content,
		api: SCRIPTED,
		provider: SCRIPTED,
		model: SCRIPTED,
		usage: LOCAL_USAGE,
		stopReason,
		timestamp: Date.now(),
	});
}
