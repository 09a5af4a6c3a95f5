/**
 * What snapshots become in a session: a custom message right before the prompt that cites them.
 */
import * as z from "zod";
import { parseJson } from "../../contract/parse-json.ts";
import type { AdditionalContext, SessionReferenceSource } from "../../references/index.ts";

/** `customType` of snapshots of other sessions. */
export const SESSION_REFERENCE = "session-reference";

/** A custom message as pi takes it. */
export interface ReferenceMessage {
	readonly customType: typeof SESSION_REFERENCE;
	readonly content: string;
	readonly display: true;
	readonly details: SessionReferenceSource;
}

export function toReferenceMessage({ source, text }: AdditionalContext): ReferenceMessage {
	return { customType: SESSION_REFERENCE, content: text, display: true, details: source };
}

const snapshotsSchema = z.array(
	z.looseObject({
		sessionId: z.string(),
		cwd: z.string().nullable(),
		conversation: z.array(z.object({ role: z.enum(["user", "assistant"]), text: z.string() })),
	}),
);
export type ShownSnapshot = z.infer<typeof snapshotsSchema>[number];

/** The snapshots of a stored message, for the screen; none when it holds nothing that can be read. */
export function snapshotsOf(content: string): readonly ShownSnapshot[] {
	const data = content.split("\n").find((line) => line.startsWith("["));
	return snapshotsSchema.safeParse(parseJson(data ?? "")).data ?? [];
}
