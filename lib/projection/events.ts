/**
 * What a session reader is asked for, and what it hands to the projection: the words of an agent harness, already
 * detached from the log.
 *
 * This file owns the shapes between the two rooms. They promise that nothing forbidden can be expressed: there is no
 * field for tool arguments, tool results, reasoning, images or custom payloads.
 */

/**
 * One source text, whole or as its two ends.
 *
 * `bytes` is the exact UTF-8 size of the whole, well-formed source text. When the reader was asked to hold less than
 * that, `head` and `tail` are its first and last part, cut at code-point borders; otherwise `head` is the whole text
 * and `tail` is empty.
 */
export interface CapturedText {
	readonly bytes: number;
	readonly head: string;
	readonly tail: string;
}

interface CapturedEvent {
	/** Number of the entry's physical line in the log; the header is line 0. */
	readonly seq: number;
	/** The entry's own timestamp, epoch milliseconds; null when the entry has no readable one. */
	readonly time: number | null;
	readonly text: CapturedText;
}

/** A user entry that is not known or suspected to be another extension's. */
export interface UserMessageEvent extends CapturedEvent {
	readonly type: "user/message";
	/** True when the log proves that the person wrote this very text. */
	readonly attested: boolean;
}

/** The newest compaction on the branch: the summary that stands for everything before the kept range. */
export interface CheckpointEvent extends CapturedEvent {
	readonly type: "checkpoint";
	readonly by: "pi" | "extension";
}

/** A completed assistant message. */
export interface AssistantMessageEvent extends CapturedEvent {
	readonly type: "assistant/message";
}

export type SurfaceEvent = UserMessageEvent | CheckpointEvent | AssistantMessageEvent;

/** The folded surface at one instant: exact totals over all of it, and the newest part of its messages. */
export interface CapturedSurface {
	/** Chronological. The newest eligible messages, as many as the reader was asked to hold. */
	readonly messages: readonly SurfaceEvent[];
	/** Messages with text on the whole surface, withheld ones not among them. */
	readonly eligibleMessages: number;
	/** Their source size in UTF-8 bytes. */
	readonly eligibleBytes: number;
	/** User messages with text that are known or suspected to be another extension's. */
	readonly withheldMessages: number;
}

export type TurnEndReason = "completed" | "length" | "error" | "aborted";

export interface TurnState {
	readonly state: "unknown" | "open" | "ended";
	/** 1 is the first turn of the branch. Absent while unknown. */
	readonly number?: number;
	/** Present when ended. */
	readonly endReason?: TurnEndReason;
}

export interface StepState {
	readonly state: "unknown" | "open" | "ended";
	/** 1 is the first assistant message of the turn. Absent while unknown. */
	readonly number?: number;
}

/** One tool call as evidence: its name, its id and how it ended. Never its arguments or its result. */
export interface CapturedCall {
	readonly name: string;
	readonly callId: string;
	/** Epoch milliseconds of the result, else of the call; null when neither entry has a readable timestamp. */
	readonly time: number | null;
	/** `pending`: no result in the log. */
	readonly outcome: "completed" | "error" | "pending";
	/** Whether the turn that made the call is the branch's current turn and still open. */
	readonly turnOpen: boolean;
}

/** Activity of the current branch at one instant. */
export interface CapturedActivity {
	readonly turn: TurnState;
	readonly step: StepState;
	/** The newest calls, oldest first. */
	readonly calls: readonly CapturedCall[];
}

/** What a capture should hold. Totals are always exact over the whole surface; the bounds are on held texts only. */
export interface CaptureWant {
	readonly surface?: {
		/** At most this many of the newest messages. */
		readonly messages: number;
		/** At most this many source bytes of each text, half of it from each end. */
		readonly textBytes: number;
		/** No further (older) message is held once the held texts have this many source bytes. */
		readonly totalBytes: number;
		/** Hold the checkpoint too, even when it is older than the newest messages. */
		readonly checkpoint: boolean;
	};
	readonly activity?: {
		/** At most this many of the newest tool calls. */
		readonly calls: number;
	};
}

/** One atomic, detached look at a session, as far as the projection needs it. */
export interface CapturedSession {
	readonly header: { readonly id: string };
	/** The name that the log held at that instant; null when it has none. */
	readonly title: string | null;
	/** seq of the last entry; null for a log without entries. */
	readonly capturedThroughSeq: number | null;
	/** Epoch milliseconds of the capture. */
	readonly capturedAt: number;
	/** Lines that could not be read or placed, as far as structure shows it. */
	readonly damagedLines: number;
	/** Present when asked for. */
	readonly surface?: CapturedSurface;
	/** Present when asked for. */
	readonly activity?: CapturedActivity;
}
