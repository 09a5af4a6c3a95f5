/**
 * Builds the bytes of one session log, entry by entry, in the order of keys in which pi writes them.
 *
 * Each entry follows the one before it unless the log was told to go on elsewhere. Times count up by one second, so
 * that a test can tell an entry by its time.
 */
import {
	assistantMessage,
	headFirstEntry,
	type JsonObject,
	payloadFirstEntry,
	sessionHeader,
	textBlock,
	toolCallBlock,
	toolResultMessage,
	userMessage,
} from "../support/logs/pi-entries.ts";

export const FIRST_INSTANT = Date.UTC(2026, 3, 1, 12);

export interface SessionLogOptions {
	readonly id?: string;
	readonly cwd?: string;
	readonly version?: 2 | 3;
	/** More keys of the header. */
	readonly header?: JsonObject;
}

export interface AssistantTurn {
	readonly stopReason?: string;
	/** Calls as `[id, tool name]`. */
	readonly calls?: readonly (readonly [string, string])[];
}

export class SessionLog {
	readonly #lines: string[] = [];
	#parent: string | null = null;
	#entries = 0;

	constructor({ id = "peer", cwd = "/home/project", version = 3, header = {} }: SessionLogOptions = {}) {
		const timestamp = new Date(FIRST_INSTANT).toISOString();
		this.#lines.push(JSON.stringify({ ...sessionHeader({ version, id, timestamp, cwd }), ...header }));
	}

	/** The number of the last line. */
	get seq(): number {
		return this.#lines.length - 1;
	}

	/** The last entry's id. */
	get leaf(): string | null {
		return this.#parent;
	}

	/** When the last entry was written. */
	get time(): number {
		return FIRST_INSTANT + this.#entries * 1000;
	}

	/** The next entry follows this one. */
	continueFrom(id: string | null): this {
		this.#parent = id;
		return this;
	}

	/** One line as it is. */
	line(text: string): this {
		this.#lines.push(text);
		return this;
	}

	/** Adds an entry and returns its id. `place` overrides what the entry would get. */
	entry(type: string, payload: JsonObject, place: { id?: string; parentId?: string | null } = {}): string {
		const isPayloadFirst = type === "custom" || type === "custom_message";
		const write = isPayloadFirst ? payloadFirstEntry : headFirstEntry;
		this.#entries++;
		const id = place.id ?? (this.#entries * 0x01010101).toString(16).padStart(8, "0").slice(-8);
		const parentId = place.parentId === undefined ? this.#parent : place.parentId;
		this.#lines.push(
			JSON.stringify(write(type, { id, parentId, timestamp: new Date(this.time).toISOString() }, payload)),
		);
		this.#parent = id;
		return id;
	}

	message(message: JsonObject): string {
		return this.entry("message", { message });
	}

	user(content: string | readonly JsonObject[]): string {
		return this.message(userMessage(content, this.time + 1000));
	}

	assistant(text: string, { stopReason, calls = [] }: AssistantTurn = {}): string {
		const content = [
			...(text === "" ? [] : [textBlock(text)]),
			...calls.map(([id, name]) => toolCallBlock(id, name, { path: "/somewhere" })),
		];
		const reason = stopReason ?? (calls.length > 0 ? "toolUse" : "stop");
		return this.message(assistantMessage({ content, stopReason: reason, timestamp: this.time + 1000 }));
	}

	result(toolCallId: string, toolName = "bash", isError = false): string {
		const content = [textBlock("what the tool printed")];
		return this.message(toolResultMessage({ toolCallId, toolName, content, isError, timestamp: this.time + 1000 }));
	}

	compaction(summary: string, firstKeptEntryId: string, rest: JsonObject = {}): string {
		return this.entry("compaction", { summary, firstKeptEntryId, tokensBefore: 1000, ...rest });
	}

	/** Replaces an entry's content, or omits it when `content` is null. */
	edit(targetId: string, content: string | readonly JsonObject[] | null): string {
		return this.entry("context_edit", { targetId, replacement: content === null ? null : { content } });
	}

	custom(customType: string, data: JsonObject): string {
		return this.entry("custom", { customType, data });
	}

	customMessage(content: string): string {
		return this.entry("custom_message", { customType: "reminder", content, display: true });
	}

	/** An attestation mark. */
	mark(entry: string, source: string): string {
		return this.custom("cross-session", { v: 1, kind: "input", source, entry });
	}

	name(name: string): string {
		return this.entry("session_info", { name });
	}

	toString(): string {
		return `${this.#lines.join("\n")}\n`;
	}

	toBuffer(): Buffer {
		return Buffer.from(this.toString());
	}
}
