/**
 * The mark that says, in a session's own log, where a user entry came from.
 *
 * pi stores a typed prompt and an extension's `sendUserMessage()` as the same bytes, so the observed source is written
 * beside the entry as a custom entry, which never becomes part of the model's context. Whoever writes marks and whoever
 * reads logs agree on them here.
 */
import * as z from "zod";

/** `customType` of the entries that hold marks. */
export const MARK_ENTRY_TYPE = "cross-session";

export const inputMarkSchema = z.object({
	v: z.literal(1),
	kind: z.literal("input"),
	/** `user`: a person's own text. `extension`: another extension's. `unclear`: could be either. */
	source: z.enum(["user", "extension", "unclear"]),
	/** Id of the user entry that this is about. */
	entry: z.string().min(1).max(512),
});

export type InputMark = z.infer<typeof inputMarkSchema>;
export type MarkSource = InputMark["source"];
