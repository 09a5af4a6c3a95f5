/**
 * Makes one realistic session entry at a time; which one comes next and where it stands is its caller's business.
 */
import { type CompositionOptions, LogComposition } from "./log-composition.ts";
import {
	assistantMessage,
	type EntryPlace,
	headFirstEntry,
	imageBlock,
	type JsonObject,
	payloadFirstEntry,
	systemMessage,
	textBlock,
	thinkingBlock,
	toolCallBlock,
	toolResultMessage,
	userMessage,
} from "./pi-entries.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { TextPool } from "./text-pool.ts";

export type EntryKind =
	| "system"
	| "modelChange"
	| "thinkingLevelChange"
	| "user"
	| "inputMark"
	| "toolStep"
	| "toolResult"
	| "imageResult"
	| "answer"
	| "failedAnswer"
	| "extensionState"
	| "customMessage"
	| "sessionName"
	| "usage"
	| "label"
	| "bashExecution"
	| "contextEdit"
	| "branchSummary";

const ASSISTANT_KINDS: ReadonlySet<EntryKind> = new Set(["toolStep", "answer", "failedAnswer"]);
const TOOLS = ["bash", "read", "edit", "write", "grep"] as const;

export class EntryMaker {
	readonly #random: SeededRandom;
	readonly #pool: TextPool;
	readonly #composition: LogComposition;
	readonly #version: 1 | 2 | 3;
	/** Whether tool results of several megabytes may come; default true. */
	allowsLargeResults = true;
	#openCall = { id: "toolu_none", name: "bash" };
	#lastResultId: string | null = null;

	constructor(random: SeededRandom, pool: TextPool, options: CompositionOptions & { readonly version?: 1 | 2 | 3 }) {
		this.#random = random;
		this.#pool = pool;
		this.#composition = new LogComposition(options);
		this.#version = options.version ?? 3;
	}

	get composition(): LogComposition {
		return this.#composition;
	}

	make(kind: EntryKind, place: EntryPlace): JsonObject {
		return this.#makers[kind](place);
	}

	/** Tells how many bytes the entry became, so that later ones keep the mixture. */
	note(kind: EntryKind, bytes: number): void {
		const part = ASSISTANT_KINDS.has(kind) ? "assistant" : kind === "imageResult" ? "image" : "other";
		this.#composition.note(part, bytes);
	}

	/** `firstKept` is an entry's id, or its index in a version 1 file. */
	compaction(place: EntryPlace, firstKept: string | number | null): JsonObject {
		return headFirstEntry("compaction", place, {
			summary: `## Goal\n${this.#pool.piece("prose", 6000)}`,
			...(typeof firstKept === "number" ? { firstKeptEntryIndex: firstKept } : { firstKeptEntryId: firstKept }),
			tokensBefore: 181_344,
			details: { readFiles: ["lib/queue.ts", "lib/reader.ts"], modifiedFiles: ["lib/reader.ts"] },
			fromHook: false,
			systemMessage: this.#systemMessage(place),
		});
	}

	/** A tool result as another writer might leave it: the message first, its role last, the ids in between. */
	oddOrderResult(place: EntryPlace, bytes: number): JsonObject {
		const { id, parentId, timestamp } = place;
		const third = Math.floor(bytes / 3);
		const message = {
			timestamp: Date.parse(timestamp),
			isError: false,
			content: [
				{ mimeType: "image/png", data: this.#pool.piece("base64", third), type: "image" },
				{ text: this.#pool.piece("toolOutput", third), type: "text" },
			],
			details: { fullOutput: this.#pool.piece("toolOutput", third), truncation: null },
			toolName: this.#openCall.name,
			toolCallId: this.#openCall.id,
			role: "toolResult",
		};
		return { timestamp, parentId, message, writer: "another", id, type: "message" };
	}

	readonly #makers: Readonly<Record<EntryKind, (place: EntryPlace) => JsonObject>> = {
		system: (place) => headFirstEntry("message", place, { message: this.#systemMessage(place) }),
		modelChange: (place) =>
			headFirstEntry("model_change", place, { provider: "anthropic", modelId: "claude-sonnet-4-5" }),
		thinkingLevelChange: (place) => headFirstEntry("thinking_level_change", place, { thinkingLevel: "high" }),
		user: (place) => headFirstEntry("message", place, { message: this.#userMessage(place) }),
		inputMark: (place) =>
			payloadFirstEntry("custom", place, {
				customType: "cross-session",
				data: { v: 1, kind: "input", source: "user", entry: place.parentId },
			}),
		toolStep: (place) => headFirstEntry("message", place, { message: this.#toolStep(place) }),
		toolResult: (place) => headFirstEntry("message", place, { message: this.#toolResult(place) }),
		imageResult: (place) => headFirstEntry("message", place, { message: this.#imageResult(place) }),
		answer: (place) => headFirstEntry("message", place, { message: this.#answer(place, "stop") }),
		failedAnswer: (place) => headFirstEntry("message", place, { message: this.#answer(place, "error") }),
		extensionState: (place) =>
			payloadFirstEntry("custom", place, { customType: "todo-list", data: this.#extensionState() }),
		customMessage: (place) => this.#customMessage(place),
		sessionName: (place) =>
			headFirstEntry("session_info", place, { name: this.#pool.piece("prose", 40).trim().replaceAll("\n", " ") }),
		usage: (place) =>
			headFirstEntry("usage", place, {
				kind: "cache_warm",
				provider: "anthropic",
				model: "claude-sonnet-4-5",
				usage: { input: 0, output: 0, cacheRead: 50_000, cacheWrite: 0, totalTokens: 50_000 },
			}),
		label: (place) => headFirstEntry("label", place, { targetId: place.parentId, label: "before the change" }),
		bashExecution: (place) =>
			headFirstEntry("message", place, {
				message: {
					role: "bashExecution",
					command: "git status",
					output: this.#pool.piece("toolOutput", this.#random.size(1500)),
					exitCode: 0,
					cancelled: false,
					truncated: false,
					timestamp: Date.parse(place.timestamp),
				},
			}),
		contextEdit: (place) =>
			headFirstEntry("context_edit", place, { targetId: this.#lastResultId ?? place.parentId, replacement: null }),
		branchSummary: (place) =>
			headFirstEntry("branch_summary", place, { fromId: place.parentId, summary: this.#pool.piece("prose", 1800) }),
	};

	#systemMessage(place: EntryPlace): JsonObject {
		const sections = { preamble: this.#pool.piece("prose", 9000), cwd: "/srv/app" };
		const toolsAdded = TOOLS.map((name) => ({ name, description: this.#pool.piece("prose", 700), parameters: {} }));
		return systemMessage(sections, toolsAdded, Date.parse(place.timestamp));
	}

	#userMessage(place: EntryPlace): JsonObject {
		const content = [textBlock(this.#prose(this.#random.size(500)))];
		if (this.#random.chance(0.03)) content.push(imageBlock(this.#pool.piece("base64", 120_000)));
		return userMessage(content, Date.parse(place.timestamp));
	}

	/** Reasoning, sometimes a sentence, and a tool call with large arguments now and then. */
	#toolStep(place: EntryPlace): JsonObject {
		const size = this.#random.size(this.#composition.assistantMean());
		const name = this.#random.pick(TOOLS);
		this.#openCall = { id: `toolu_01${this.#random.hex(8)}${this.#random.hex(8)}`, name };
		const content = [this.#thinking(size * 0.35)];
		if (this.#random.chance(0.4)) content.push(textBlock(this.#prose(size * 0.12)));
		const callArguments =
			name === "bash"
				? { command: this.#pool.piece("toolOutput", Math.ceil(size * 0.4)) }
				: { path: "lib/reader.ts", content: this.#pool.piece("toolOutput", Math.ceil(size * 0.4)) };
		content.push(toolCallBlock(this.#openCall.id, name, callArguments));
		return this.#assistant(content, "toolUse", place);
	}

	#answer(place: EntryPlace, stopReason: "stop" | "error"): JsonObject {
		const size = this.#random.size(this.#composition.assistantMean());
		return this.#assistant([this.#thinking(size * 0.4), textBlock(this.#prose(size * 0.6))], stopReason, place);
	}

	#assistant(content: JsonObject[], stopReason: string, place: EntryPlace): JsonObject {
		return assistantMessage({
			content,
			stopReason,
			timestamp: Date.parse(place.timestamp),
			outputTokens: this.#random.integer(20, 4000),
			responseId: `msg_01${this.#random.hex(8)}${this.#random.hex(8)}`,
			...(stopReason === "error" ? { errorMessage: "529 overloaded" } : {}),
		});
	}

	#thinking(length: number): JsonObject {
		const signature = this.#pool.piece("base64", Math.ceil(length / 3));
		return thinkingBlock(this.#prose(length * 0.67), signature);
	}

	#toolResult(place: EntryPlace): JsonObject {
		const large = this.allowsLargeResults && this.#random.chance(this.#composition.largeResultProbability());
		const length = large
			? this.#random.integer(1_000_000, 4_000_000)
			: this.#random.size(this.#composition.toolResultMean());
		const wide = !large && this.#random.chance(0.1);
		return this.#result(place, [textBlock(this.#pool.piece(wide ? "wideProse" : "toolOutput", length))]);
	}

	#imageResult(place: EntryPlace): JsonObject {
		const length = this.#composition.imageLength((mean) => this.#random.size(mean));
		return this.#result(place, [
			textBlock("Read image file [image/png]"),
			imageBlock(this.#pool.piece("base64", length)),
		]);
	}

	#result(place: EntryPlace, content: readonly JsonObject[]): JsonObject {
		this.#lastResultId = place.id ?? null;
		return toolResultMessage({
			toolCallId: this.#openCall.id,
			toolName: this.#openCall.name,
			content,
			...(this.#random.chance(0.3) ? { details: { diff: this.#pool.piece("toolOutput", 600) } } : {}),
			isError: this.#random.chance(0.06),
			timestamp: Date.parse(place.timestamp),
		});
	}

	#customMessage(place: EntryPlace): JsonObject {
		const content = this.#pool.piece("prose", 700);
		if (this.#version === 3) {
			return payloadFirstEntry("custom_message", place, { customType: "reminder", content, display: true });
		}
		const message = { role: "hookMessage", customType: "reminder", content, display: true, timestamp: 0 };
		return headFirstEntry("message", place, { message });
	}

	#extensionState(): JsonObject {
		const count = this.#random.integer(1, 12);
		return {
			todos: Array.from({ length: count }, (_, id) => ({ id, text: this.#pool.piece("prose", 90), done: false })),
		};
	}

	/** One text in eight has characters outside Latin-1. */
	#prose(length: number): string {
		return this.#pool.piece(this.#random.chance(0.125) ? "wideProse" : "prose", Math.ceil(length));
	}
}
