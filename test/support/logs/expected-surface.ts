/**
 * The oracle of the reader's tests: what a log's surface must be, from the SDK's own projection of it.
 *
 * It parses whole lines and calls pi's public functions; it shares no code with what it judges. Where the SDK fails
 * (JSON values that are no objects, cycles) it first takes away what makes it fail.
 */
import {
	buildSessionProjection,
	type FileEntry,
	migrateSessionEntries,
	type ProjectedSessionEntry,
	parseSkillBlock,
	type SessionEntry,
} from "@earendil-works/pi-coding-agent";

export interface ExpectedMessage {
	/** Number of the physical line. */
	readonly seq: number;
	readonly role: "user" | "assistant";
	/** Well-formed. */
	readonly text: string;
	readonly checkpoint: boolean;
}

export interface ExpectedLog {
	/** Chronological; messages without text are not among them. */
	readonly eligible: readonly ExpectedMessage[];
	/** Number of the last entry's line; null without entries. */
	readonly throughSeq: number | null;
	readonly title: string | null;
	/** Whether the walk to the root comes back to an entry; the SDK itself never ends then. */
	readonly cyclic: boolean;
}

/** The surface of a log file with these bytes. Its first line must be a session header. */
export function expectedLog(bytes: Uint8Array): ExpectedLog {
	const { all, seqs } = parseObjectLines(bytes);
	migrateSessionEntries(all);
	const entries = all.filter((entry): entry is SessionEntry => entry.type !== "session");
	const cyclic = cutCycle(entries);
	const projected = entries.length === 0 ? [] : buildSessionProjection(entries).entries;
	const seqOf = (entry: FileEntry): number => seqs.get(entry) ?? -1;
	const last = entries.at(-1);
	return {
		eligible: projected.flatMap((entry) => expectedMessage(entry, seqOf(entry.sourceEntry))),
		throughSeq: last === undefined ? null : seqOf(last),
		title: expectedTitle(entries),
		cyclic,
	};
}

/** The eligible messages alone. */
export function expectedSurface(bytes: Uint8Array): readonly ExpectedMessage[] {
	return expectedLog(bytes).eligible;
}

/** Complete lines that hold a JSON object, in order, and where each stands. */
function parseObjectLines(bytes: Uint8Array): { all: FileEntry[]; seqs: Map<FileEntry, number> } {
	const lines = Buffer.from(bytes).toString("utf8").split("\n").slice(0, -1);
	const all: FileEntry[] = [];
	const seqs = new Map<FileEntry, number>();
	for (const [seq, line] of lines.entries()) {
		const value = parseOrNull(line);
		if (typeof value !== "object" || value === null || Array.isArray(value)) continue;
		all.push(value as FileEntry);
		seqs.set(value as FileEntry, seq);
	}
	return { all, seqs };
}

function parseOrNull(line: string): unknown {
	try {
		return JSON.parse(line);
	} catch {
		return null;
	}
}

/** Ends the walk from the leaf where it would come back to an entry it has seen. */
function cutCycle(entries: readonly SessionEntry[]): boolean {
	const byId = new Map(entries.map((entry) => [entry.id, entry]));
	const seen = new Set<SessionEntry>();
	let current = entries.at(-1);
	while (current) {
		seen.add(current);
		const parent: SessionEntry | undefined = current.parentId ? byId.get(current.parentId) : undefined;
		if (parent && seen.has(parent)) {
			current.parentId = null;
			return true;
		}
		current = parent;
	}
	return false;
}

const COMPLETED: ReadonlySet<unknown> = new Set(["stop", "length", "toolUse"]);

/** At most one message: what an entry of the surface shows. */
function expectedMessage({ sourceEntry, messages }: ProjectedSessionEntry, seq: number): ExpectedMessage[] {
	for (const message of messages) {
		if (sourceEntry.type === "compaction" && message.role === "compactionSummary") {
			return withText(seq, "user", true, [message.summary]);
		}
		if (sourceEntry.type !== "message") continue;
		if (message.role === "user") return withText(seq, "user", false, textsOf(message.content).map(asTyped));
		if (message.role === "assistant" && COMPLETED.has(message.stopReason)) {
			return withText(seq, "assistant", false, textsOf(message.content));
		}
	}
	return [];
}

function withText(
	seq: number,
	role: ExpectedMessage["role"],
	checkpoint: boolean,
	texts: readonly string[],
): ExpectedMessage[] {
	if (texts.every((text) => text === "")) return [];
	return [{ seq, role, checkpoint, text: texts.join("\n").toWellFormed() }];
}

/** `content` is unchecked: it came from a file. */
function textsOf(content: unknown): string[] {
	if (typeof content === "string") return [content];
	if (!Array.isArray(content)) return [];
	return content.flatMap((block) => (block.type === "text" && typeof block.text === "string" ? [block.text] : []));
}

/** A stored skill expansion stands first in its message. */
function asTyped(text: string, index: number): string {
	const skill = index === 0 ? parseSkillBlock(text) : null;
	if (skill === null) return text;
	return ["/skill:", skill.name, skill.userMessage === undefined ? "" : ` ${skill.userMessage}`].join("");
}

function expectedTitle(entries: readonly SessionEntry[]): string | null {
	const named = entries.findLast((entry) => entry.type === "session_info");
	return named?.name?.trim() || null;
}
