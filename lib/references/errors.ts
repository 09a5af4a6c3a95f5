/**
 * How a session reference fails: a code for programs, and for the person what was wrong and what to do now.
 *
 * A message quotes nothing but the label that the citing prompt itself carries, as one short printable line. Why a
 * session could not be read is never told: a missing, a private and a subagent's session look the same from outside.
 */
import { printableLine } from "../projection/printable.ts";

const failures = {
	SESSION_REFERENCE_INVALID_CONFIG:
		"The settings for session references are not valid. Correct the named setting, or remove it to get the default.",
	SESSION_REFERENCE_INVALID_REFERENCE:
		"This is not a valid session reference. Choose the session again from the list, or remove the reference.",
	SESSION_REFERENCE_SELF_REFERENCE:
		"A session cannot cite itself: it already knows its own conversation. Remove the reference.",
	SESSION_REFERENCE_TOO_MANY: "Too many sessions are cited in one prompt. Remove some, or spread them over prompts.",
	SESSION_REFERENCE_NOT_CONFIRMED:
		"This session belongs to another workspace, and citing it was not confirmed on screen. Confirm it, or remove the reference; without a screen it cannot be cited.",
	SESSION_REFERENCE_READ_FAILED:
		"The cited session cannot be read: it may be gone, private or not open to references. Remove the reference, or try again.",
	SESSION_REFERENCE_BUDGET_EXCEEDED:
		"The cited session does not fit into a snapshot: its name alone takes the room. Cite it under a shorter label.",
	SESSION_REFERENCE_CANCELLED: "Reading the cited sessions was cancelled. Nothing was sent; submit the prompt again.",
} as const;

export type SessionReferenceErrorCode = keyof typeof failures;

/** Code points of a label that an error shows. */
const shownLabelLength = 80;

/** Nothing was injected and nothing sent: a reference fails for the whole prompt. */
export class SessionReferenceError extends Error {
	override readonly name = "SessionReferenceError";
	readonly code: SessionReferenceErrorCode;
	/** The label of the reference that failed, as the prompt has it; null when none is to blame. */
	readonly label: string | null;

	/** @param detail a further sentence in this package's own words: which setting, which bound */
	constructor(code: SessionReferenceErrorCode, label: string | null = null, detail: string | null = null) {
		super(messageOf(code, label, detail));
		this.code = code;
		this.label = label;
	}
}

function messageOf(code: SessionReferenceErrorCode, label: string | null, detail: string | null): string {
	const subject = label === null ? "" : `@${printableLine(label, shownLabelLength)}: `;
	return detail === null ? subject + failures[code] : `${subject}${failures[code]} ${detail}`;
}
