/**
 * Reduces pi's messages to what the authority machines look at, by structure alone.
 *
 * Custom message types of other extensions can be anything, so nothing here relies on more than the role.
 */
import type { TurnMessage } from "./turn-events.ts";

/** The part of pi's `AgentMessage` that is looked at. */
export interface PiMessage {
	readonly role: string;
	readonly content?: unknown;
	readonly stopReason?: unknown;
	readonly toolCallId?: unknown;
	readonly timestamp?: unknown;
}

interface ContentBlock {
	readonly type?: unknown;
	readonly text?: unknown;
	readonly id?: unknown;
}

function blocksOf(message: PiMessage): readonly ContentBlock[] {
	if (!Array.isArray(message.content)) return [];
	return message.content.filter((block): block is ContentBlock => typeof block === "object" && block !== null);
}

/** The texts of a message, joined by newlines. */
export function messageText(message: PiMessage): string {
	if (typeof message.content === "string") return message.content;
	const texts = blocksOf(message).filter((block) => block.type === "text" && typeof block.text === "string");
	return texts.map((block) => block.text).join("\n");
}

function toolCallIds(message: PiMessage): readonly string[] {
	const calls = blocksOf(message).filter((block) => block.type === "toolCall");
	return calls.map((block) => String(block.id));
}

/** `submissionOf` gives the id under which this package submitted a custom message, null for anything else. */
export function describeMessage(message: PiMessage, submissionOf: (message: PiMessage) => string | null): TurnMessage {
	switch (message.role) {
		case "system":
			return { role: "system" };
		case "user":
			return { role: "user", text: messageText(message) };
		case "assistant":
			return { role: "assistant", stopReason: String(message.stopReason), calls: toolCallIds(message) };
		case "toolResult":
			return { role: "toolResult", call: String(message.toolCallId) };
		default: {
			const submission = submissionOf(message);
			return submission === null ? { role: "other" } : { role: "submission", submission };
		}
	}
}
