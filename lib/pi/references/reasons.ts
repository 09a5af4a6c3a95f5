/**
 * Why a prompt waits or comes back, in words for the person.
 */
import { SessionReferenceError } from "../../references/index.ts";
import type { GiveBackReason } from "./cited-prompt.ts";
import { MAX_HELD } from "./held-queue.ts";

export const waits: GiveBackReason = {
	text: "pi is at work, so this prompt waits: it goes, with what it cites, when pi is done. /take-back returns it.",
	severity: "info",
};

export const reasons = {
	takenBack: { text: "It was not sent.", severity: "info" },
	left: { text: "The session ended before the prompt that waited could be sent.", severity: "warning" },
	cancelled: { text: "The run was cancelled, so the prompt that waited was not sent.", severity: "warning" },
	failed: { text: "The run failed, so the prompt that waited was not sent.", severity: "warning" },
	compaction: { text: "The compaction did not end well, so the prompt that waited was not sent.", severity: "warning" },
	noScreen: { text: "pi is at work, and without a screen a prompt that cites sessions can't wait.", severity: "error" },
	tooMany: { text: `${MAX_HELD} prompts wait already.`, severity: "error" },
	noExpansion: {
		text: "This version of pi can't expand a / prompt that has waited. Send it when the run has ended.",
		severity: "warning",
	},
	off: {
		text: "Cross-session access could not start in this session, so nothing can be cited. Try /reload.",
		severity: "error",
	},
	unknown: { text: "The cited sessions could not be prepared. Try again.", severity: "error" },
} as const satisfies Record<string, GiveBackReason>;

/** What was wrong with a reference; the errors of the references room are written for the person. */
export function toReason(error: unknown): GiveBackReason {
	if (!(error instanceof SessionReferenceError)) return reasons.unknown;
	return { text: `The prompt was not sent. ${error.message}`, severity: "error" };
}
