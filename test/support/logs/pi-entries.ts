/**
 * Session entries with their keys in the order in which pi 1.6 writes them.
 *
 * The order matters to a reader that looks at a line's two ends: most entries begin with `type,id,parentId,timestamp`,
 * but an extension's entries carry their payload before `id`.
 */

export type JsonObject = Record<string, unknown>;

/** Where an entry stands. Version 1 files know neither `id` nor `parentId`. */
export interface EntryPlace {
	readonly id?: string;
	readonly parentId?: string | null;
	/** ISO 8601. */
	readonly timestamp: string;
}

/** `type,id,parentId,timestamp`, then the payload: messages, compactions, edits, labels, names, model changes. */
export function headFirstEntry(type: string, place: EntryPlace, payload: JsonObject): JsonObject {
	return { type, ...place, ...payload };
}

/** The payload, then `id,parentId,timestamp`: `custom` and `custom_message`. */
export function payloadFirstEntry(type: string, place: EntryPlace, payload: JsonObject): JsonObject {
	return { type, ...payload, ...place };
}

export function sessionHeader(fields: { version: 1 | 2 | 3; id: string; timestamp: string; cwd: string }): JsonObject {
	const { version, ...rest } = fields;
	return version === 1 ? { type: "session", ...rest } : { type: "session", version, ...rest };
}

export function textBlock(text: string): JsonObject {
	return { type: "text", text };
}

export function imageBlock(data: string): JsonObject {
	return { type: "image", data, mimeType: "image/png" };
}

export function thinkingBlock(thinking: string, thinkingSignature: string): JsonObject {
	return { type: "thinking", thinking, thinkingSignature };
}

export function toolCallBlock(id: string, name: string, callArguments: JsonObject): JsonObject {
	return { type: "toolCall", id, name, arguments: callArguments };
}

export function userMessage(content: string | readonly JsonObject[], timestamp: number): JsonObject {
	return { role: "user", content, timestamp };
}

export interface AssistantFields {
	readonly content: readonly JsonObject[];
	readonly stopReason: string;
	readonly timestamp: number;
	readonly outputTokens?: number;
	readonly responseId?: string;
	readonly errorMessage?: string;
}

export function assistantMessage(fields: AssistantFields): JsonObject {
	const output = fields.outputTokens ?? 128;
	return {
		role: "assistant",
		content: fields.content,
		api: "anthropic-messages",
		provider: "anthropic",
		model: "claude-sonnet-4-5",
		usage: {
			input: 6,
			output,
			cacheRead: 48_211,
			cacheWrite: 1_702,
			totalTokens: 49_919 + output,
			cost: { input: 0.000018, output: 0.00192, cacheRead: 0.0144633, cacheWrite: 0.0063825, total: 0.0227838 },
		},
		stopReason: fields.stopReason,
		timestamp: fields.timestamp,
		...(fields.responseId === undefined ? {} : { responseId: fields.responseId }),
		...(fields.errorMessage === undefined ? {} : { errorMessage: fields.errorMessage }),
	};
}

export interface ToolResultFields {
	readonly toolCallId: string;
	readonly toolName: string;
	readonly content: readonly JsonObject[];
	readonly details?: JsonObject;
	readonly isError: boolean;
	readonly timestamp: number;
}

export function toolResultMessage(fields: ToolResultFields): JsonObject {
	return {
		role: "toolResult",
		toolCallId: fields.toolCallId,
		toolName: fields.toolName,
		content: fields.content,
		...(fields.details === undefined ? {} : { details: fields.details }),
		isError: fields.isError,
		timestamp: fields.timestamp,
	};
}

export function systemMessage(sections: JsonObject, toolsAdded: readonly JsonObject[], timestamp: number): JsonObject {
	return { role: "system", content: "", sections, toolsAdded, timestamp };
}
