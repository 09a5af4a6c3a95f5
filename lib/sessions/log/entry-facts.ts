/**
 * Reads the facts of a line from its parsed entry: the way for every shape that line-structure.ts doesn't know.
 *
 * Entries come from files that anyone may have written: each field is checked before it is used, and what does not fit
 * makes the line damaged, never an exception.
 */
import * as z from "zod";
import { inputMarkSchema, MARK_ENTRY_TYPE } from "../../contract/input-mark.ts";
import { utf8Bytes } from "../../projection/text.ts";
import { type EntryIds, NO_ID } from "./entry-ids.ts";
import { textBlocks } from "./entry-text.ts";
import { asRecord } from "./json-object.ts";
import { type LineFacts, LineKind, markBits, outcomeNumber } from "./line-facts.ts";
import type { ElidedText, FindElided } from "./line-filter.ts";

const structureSchema = z.looseObject({
	type: z.string(),
	id: z.string().optional(),
	parentId: z.string().nullish(),
});

const replacementSchema = z.union([z.null(), z.looseObject({ content: z.unknown() })]);

const roleKinds = new Map<unknown, LineKind>([
	["user", LineKind.user],
	["assistant", LineKind.assistant],
	["toolResult", LineKind.toolResult],
	["custom", LineKind.customMessage],
	["hookMessage", LineKind.customMessage],
]);

type Entry = z.infer<typeof structureSchema>;

/** No string was left out of an entry that was parsed whole. */
export const nothingElided: FindElided = () => undefined;

/**
 * Reads one parsed line.
 * @param versionOne the log is of version 1, whose entries have no ids of their own
 * @returns false when it is no entry that has a place in the tree
 */
export function readEntryFacts(
	value: unknown,
	find: FindElided,
	ids: EntryIds,
	facts: LineFacts,
	versionOne: boolean,
): boolean {
	const parsed = structureSchema.safeParse(value, { jitless: true });
	if (!parsed.success) return false;
	const entry = parsed.data;
	if (!versionOne) {
		facts.id = entry.id === undefined ? NO_ID : ids.intern(entry.id);
		if (facts.id === NO_ID) return false;
		facts.parent = entry.parentId ? ids.intern(entry.parentId) : NO_ID;
	}
	readers.get(entry.type)?.(entry, find, ids, facts);
	return true;
}

type Reader = (entry: Entry, find: FindElided, ids: EntryIds, facts: LineFacts) => void;

const readers = new Map<string, Reader>([
	["message", readMessage],
	["custom_message", readCustomMessage],
	["compaction", readCompaction],
	["context_edit", readEdit],
	["custom", readMark],
	["session_info", readName],
]);

function readMessage(entry: Entry, find: FindElided, _ids: EntryIds, facts: LineFacts): void {
	const message = asRecord(entry.message);
	facts.kind = roleKinds.get(message?.role) ?? LineKind.other;
	if (!message || (facts.kind !== LineKind.user && facts.kind !== LineKind.assistant)) return;
	facts.textBytes = joinedBytes(message.content, find, facts.kind === LineKind.user);
	if (facts.kind !== LineKind.assistant) return;
	facts.outcome = outcomeNumber(message.stopReason);
	if (!Array.isArray(message.content)) return;
	for (const block of message.content) if (asRecord(block)?.type === "toolCall") facts.calls++;
}

function readCustomMessage(_entry: Entry, _find: FindElided, _ids: EntryIds, facts: LineFacts): void {
	facts.kind = LineKind.customMessage;
}

function readCompaction(entry: Entry, find: FindElided, ids: EntryIds, facts: LineFacts): void {
	facts.kind = LineKind.compaction;
	const { firstKeptEntryId, firstKeptEntryIndex, summary, fromHook } = entry;
	facts.compaction = {
		firstKept: typeof firstKeptEntryId === "string" ? ids.intern(firstKeptEntryId) : NO_ID,
		firstKeptIndex: typeof firstKeptEntryIndex === "number" ? firstKeptEntryIndex : null,
		summaryBytes: joinedBytes(summary, find, false),
		by: fromHook === true ? "extension" : "pi",
	};
}

function readEdit(entry: Entry, find: FindElided, ids: EntryIds, facts: LineFacts): void {
	const replacement = replacementSchema.safeParse(entry.replacement, { jitless: true });
	if (typeof entry.targetId !== "string" || !replacement.success) return;
	facts.kind = LineKind.contextEdit;
	facts.edit = {
		target: ids.intern(entry.targetId),
		replacementBytes: replacement.data === null ? null : joinedBytes(replacement.data.content, find, false),
	};
}

function readMark(entry: Entry, _find: FindElided, ids: EntryIds, facts: LineFacts): void {
	if (entry.customType !== MARK_ENTRY_TYPE) return;
	const mark = inputMarkSchema.safeParse(entry.data, { jitless: true });
	if (mark.success) facts.mark = { entry: ids.intern(mark.data.entry), bit: markBits[mark.data.source] };
}

function readName(entry: Entry, find: FindElided, _ids: EntryIds, facts: LineFacts): void {
	const elided = find(entry.name);
	const name = elided ? elided.head : entry.name;
	facts.name = typeof name === "string" ? name.trim() || null : null;
}

/** UTF-8 bytes of the joined texts; 0 when there is no text. */
function joinedBytes(content: unknown, find: FindElided, skills: boolean): number {
	const blocks = textBlocks(content, find, skills);
	let bytes = Math.max(0, blocks.length - 1);
	let hasText = false;
	for (const block of blocks) {
		const size = blockBytes(block);
		bytes += size;
		hasText ||= size > 0;
	}
	return hasText ? bytes : 0;
}

function blockBytes(block: string | ElidedText): number {
	return typeof block === "string" ? utf8Bytes(block) : block.bytes;
}
