/**
 * Which messages of a surface are kept, how much of each, and the exact account of the rest.
 *
 * This file promises an unbroken run of the newest messages within the limits, in chronological order, and counts in
 * which eligible is always returned plus omitted, in messages and in source bytes. Linear in the held text.
 */
import type { PeerContextMessage, PeerContextRetention } from "../contract/peer-context.ts";
import type { CapturedSurface, CapturedText, SurfaceEvent } from "./events.ts";
import { cutToBytes, keptBytes, omittedBytes, renderText, wellFormedText } from "./text.ts";

/** Upper bounds of one retained conversation; sizes in source UTF-8 bytes. */
export interface RetentionLimits {
	readonly messages: number;
	/** Of one message. */
	readonly messageBytes: number;
	/** Of all messages. */
	readonly totalBytes: number;
}

/** A message that stays, with what stays of its text. */
export interface RetainedMessage {
	readonly event: SurfaceEvent;
	/** Well-formed; whole, or its two ends. */
	readonly text: CapturedText;
}

/** A remainder of the total below this many source bytes says too little to be worth a cut message. */
const LEAST_CUT_BYTES = 256;

/**
 * The newest messages within the limits, chronological. Going back in time, the first message that doesn't fit into
 * what is left of the total is cut to it, or dropped when that is too little, and everything older is dropped.
 */
export function retainNewest(surface: CapturedSurface, limits: RetentionLimits): RetainedMessage[] {
	const kept: RetainedMessage[] = [];
	let left = limits.totalBytes;
	for (let index = surface.messages.length - 1; index >= 0 && kept.length < limits.messages; index -= 1) {
		const event = surface.messages[index];
		if (event === undefined) break;
		const fits = Math.min(event.text.bytes, limits.messageBytes) <= left;
		if (!fits && left < LEAST_CUT_BYTES) break;
		const text = cutToBytes(wellFormedText(event.text), Math.min(limits.messageBytes, left));
		const bytes = keptBytes(text);
		// Limits of a few bytes can leave no room for a single code point; a bare note would tell nothing.
		if (bytes === 0) break;
		kept.push({ event, text });
		left = fits ? left - bytes : 0;
	}
	return kept.reverse();
}

/** The account of what was kept of a surface. Notes at cuts are not source bytes and are not counted. */
export function countRetention(surface: CapturedSurface, kept: readonly RetainedMessage[]): PeerContextRetention {
	const returnedBytes = kept.reduce((sum, { text }) => sum + keptBytes(text), 0);
	return {
		eligibleMessages: surface.eligibleMessages,
		returnedMessages: kept.length,
		omittedMessages: surface.eligibleMessages - kept.length,
		withheldMessages: surface.withheldMessages,
		eligibleBytes: surface.eligibleBytes,
		returnedBytes,
		omittedBytes: surface.eligibleBytes - returnedBytes,
	};
}

/** A retained message as callers see it. */
export function toPeerContextMessage({ event, text }: RetainedMessage): PeerContextMessage {
	return {
		seq: event.seq,
		time: event.time,
		role: event.type === "assistant/message" ? "assistant" : "user",
		checkpoint: event.type === "checkpoint",
		...(event.type === "user/message" && { attested: event.attested }),
		...(event.type === "checkpoint" && { by: event.by }),
		text: renderText(text),
		omittedBytes: omittedBytes(text),
	};
}
