/**
 * How the person learns that this session takes no more messages, and what to do about it.
 */
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { CancelCause } from "../authority/turn-events.ts";
import { tellQuietly } from "./tell-person.ts";

export const RESUME_COMMAND = "cross-session-resume";

/** The key of this package's part of the status line. */
const STATUS_KEY = "cross-session";

const causeTexts: Readonly<Record<CancelCause, string>> = {
	aborted: "A turn was cancelled",
	unknown_source: "A turn ended that neither you nor another session is known to have begun",
	no_signal: "A turn ended in which a cancellation could not have been seen",
	no_good_end: "A turn ended without a complete answer",
	not_started: "pi was handed a message and began no turn with it",
};

/** Why it is closed and how it is opened, in one line. `dropped`: messages that waited. */
export function stoppedText(cause: CancelCause, dropped = 0): string {
	const lost = dropped === 0 ? "" : ` ${dropped} waiting ${dropped === 1 ? "message was" : "messages were"} dropped.`;
	return `${causeTexts[cause]}, so this session takes no more messages of other sessions.${lost} /${RESUME_COMMAND} lets them in again.`;
}

/** Tells the person that the latch has closed. Never throws. */
export function tellStopped(context: ExtensionContext, cause: CancelCause, dropped: number): void {
	tellQuietly(context, stoppedText(cause, dropped), "warning");
	showInStatusLine(context, cause);
}

/** Shows in the status line that the latch is closed; nothing while it is open. Never throws. */
export function showInStatusLine(context: ExtensionContext, cause: CancelCause | null): void {
	try {
		if (!context.hasUI) return;
		context.ui.setStatus(STATUS_KEY, cause === null ? undefined : `messages stopped: /${RESUME_COMMAND}`);
	} catch {
		// The session that would have shown it is gone.
	}
}
