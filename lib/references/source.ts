/**
 * The account that is stored beside an injected snapshot: which sessions, how much of each, how much was left out.
 *
 * It is written into the citing session's own log and read again when that session is resumed, so whoever draws it
 * checks it with the schema first.
 */
import * as z from "zod";

const count = z.number().int().nonnegative();

export const sessionReferenceSourceEntrySchema = z.looseObject({
	sessionId: z.string(),
	label: z.string(),
	/** seq of the last entry that the snapshot could hold; null for a log without entries. */
	capturedThroughSeq: count.nullable(),
	/** Whether the session's surface begins with a checkpoint. */
	compacted: z.boolean(),
	/** Messages with text on the surface. Always retained plus omitted. */
	originalMessages: count,
	retainedMessages: count,
	omittedMessages: count,
	/** Source UTF-8 bytes that are not in the snapshot, of dropped messages and of cut ones. */
	omittedBytes: count,
	/** Whether anything at all was left out. */
	truncated: z.boolean(),
	/** Place of the session's first mention among the references of the prompt, duplicates counted; 0 is the first. */
	inputIndex: count,
});

export const sessionReferenceSourceSchema = z.looseObject({
	kind: z.literal("session-reference"),
	version: z.literal(1),
	/** In the order of first mention. */
	references: z.array(sessionReferenceSourceEntrySchema),
});

export type SessionReferenceSourceEntry = z.infer<typeof sessionReferenceSourceEntrySchema>;
export type SessionReferenceSource = z.infer<typeof sessionReferenceSourceSchema>;
