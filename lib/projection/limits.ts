/**
 * Which parts and how much of a session each view shows.
 *
 * This file promises that configured limits only ever lower the fixed upper bounds, and that what a reader is asked
 * to hold is what the projection will need, no more.
 */
import { PEER_CONTEXT_LIMITS, type PeerContextLimits, type PeerContextView } from "../contract/peer-context.ts";
import type { CaptureWant } from "./events.ts";
import type { RetentionLimits } from "./retention.ts";

const VIEW_PARTS: Record<PeerContextView, { conversation: boolean; activity: boolean }> = {
	overview: { conversation: true, activity: true },
	conversation: { conversation: true, activity: false },
	activity: { conversation: false, activity: true },
};

/** Which of the two parts a view consists of. */
export function viewParts(view: PeerContextView): { readonly conversation: boolean; readonly activity: boolean } {
	return VIEW_PARTS[view];
}

/** Limits as a configuration may give them: some of them, or none. */
export type LoweredLimits = { readonly [Key in keyof PeerContextLimits]?: number | undefined };

/** All limits as whole numbers between 0 and their fixed upper bound, which is also the default. */
export function boundLimits(lowered: LoweredLimits = {}): PeerContextLimits {
	const bound = (key: keyof PeerContextLimits) => boundCount(lowered[key], PEER_CONTEXT_LIMITS[key]);
	return {
		messages: bound("messages"),
		messageBytes: bound("messageBytes"),
		totalBytes: bound("totalBytes"),
		overviewMessages: bound("overviewMessages"),
		overviewMessageBytes: bound("overviewMessageBytes"),
		tools: bound("tools"),
	};
}

function boundCount(value: number | undefined, upper: number): number {
	if (value === undefined || Number.isNaN(value)) return upper;
	return Math.max(0, Math.min(upper, Math.floor(value)));
}

/** What a view retains of the conversation. `maxMessages` counts in the view `conversation` only. */
export function retentionLimitsFor(
	view: PeerContextView,
	lowered?: LoweredLimits,
	maxMessages?: number,
): RetentionLimits {
	const limits = boundLimits(lowered);
	if (view === "overview") {
		return {
			messages: Math.min(limits.messages, limits.overviewMessages),
			messageBytes: Math.min(limits.messageBytes, limits.overviewMessageBytes),
			totalBytes: limits.totalBytes,
		};
	}
	return {
		messages: boundCount(maxMessages, limits.messages),
		messageBytes: limits.messageBytes,
		totalBytes: limits.totalBytes,
	};
}

/**
 * What to ask the reader for, so that the projection of its answer is what the whole log would give. Parts that the view
 * lacks are not asked for, and a checkpoint has no preference over newer messages.
 */
export function captureWantFor(view: PeerContextView, lowered?: LoweredLimits, maxMessages?: number): CaptureWant {
	const parts = viewParts(view);
	const { messages, messageBytes, totalBytes } = retentionLimitsFor(view, lowered, maxMessages);
	return {
		...(parts.conversation && { surface: { messages, textBytes: messageBytes, totalBytes, checkpoint: false } }),
		...(parts.activity && { activity: { calls: boundLimits(lowered).tools } }),
	};
}
