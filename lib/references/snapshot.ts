/**
 * One captured session as one frozen snapshot of bounded size.
 *
 * Kept before anything else: checkpoints, because they stand for all that was compacted, and the newest message.
 * Other messages are kept whole, newest first, as far as they fit. Only when the protected ones alone are too large
 * are texts cut, the longest first, to head and tail. Sizes are those of the serialized form, so a text full of
 * characters that need escapes keeps as much as every other. The work is linear in the bytes that are kept.
 */
import type { SurfaceEvent } from "../projection/events.ts";
import { fitTexts, serializedBytes, serializedTextBytes, tagSafeJson } from "../projection/serialization.ts";
import { keptBytes, omittedBytes, renderText, wellFormedText } from "../projection/text.ts";
import type { CaptureWant, SessionCapture } from "../sessions/query.ts";
import { SessionReferenceError } from "./errors.ts";
import type { SessionReference } from "./mention.ts";
import type { SessionReferenceSourceEntry } from "./source.ts";

/** A cited session as it goes into the prompt's context. */
export interface SessionSnapshot {
	/** One line of JSON in which no text can spell a tag. */
	readonly json: string;
	readonly entry: SessionReferenceSourceEntry;
}

/** A reference that is the first one of its session in a prompt. */
export interface CitedReference extends SessionReference {
	/** Its place among all references of the prompt; 0 is the first. */
	readonly inputIndex: number;
}

type Role = "user" | "assistant";

/** The empty shell of a message, quotes of its text included. */
const shellBytes: Record<Role, number> = {
	user: serializedBytes({ role: "user", text: "" }),
	assistant: serializedBytes({ role: "assistant", text: "" }),
};

const separatorBytes = ",".length;

/** What a reader must hold so that a snapshot of `maxBytes` has all that could go into it. */
export function captureWantForSnapshot(maxBytes: number): CaptureWant {
	// Serializing never makes a text shorter, so no text and no run of texts can keep more source bytes than that.
	const messages = Math.ceil(maxBytes / shellBytes.user);
	return { surface: { messages, textBytes: maxBytes, totalBytes: maxBytes, checkpoint: true } };
}

/**
 * The snapshot of a capture, at most `maxBytes` UTF-8 bytes as JSON. It shares nothing with the capture.
 *
 * @throws SessionReferenceError `SESSION_REFERENCE_BUDGET_EXCEEDED` when the fixed fields leave no room for a few
 * characters of the messages that must be kept; `SESSION_REFERENCE_READ_FAILED` for a capture without a surface.
 */
export function takeSnapshot(reference: CitedReference, capture: SessionCapture, maxBytes: number): SessionSnapshot {
	const { surface, header, capturedThroughSeq } = capture;
	if (surface === undefined) throw new SessionReferenceError("SESSION_REFERENCE_READ_FAILED", reference.label);
	const { sessionId, label, inputIndex } = reference;
	const fixed = { sessionId, label, cwd: header.cwd === "" ? null : header.cwd, capturedThroughSeq };
	const budget = maxBytes - serializedBytes({ ...fixed, conversation: [] });
	const kept = budget < 0 ? null : keepMessages(surface.messages, budget);
	if (kept === null) throw new SessionReferenceError("SESSION_REFERENCE_BUDGET_EXCEEDED", label);
	const conversation = kept.map((event) => ({ role: roleOf(event), text: renderText(event.text) }));
	const keptSourceBytes = kept.reduce((sum, event) => sum + keptBytes(event.text), 0);
	const left = surface.eligibleBytes - keptSourceBytes;
	return {
		json: tagSafeJson({ ...fixed, conversation }),
		entry: {
			sessionId,
			label,
			capturedThroughSeq,
			compacted: kept.some(isCheckpoint),
			originalMessages: surface.eligibleMessages,
			retainedMessages: kept.length,
			omittedMessages: surface.eligibleMessages - kept.length,
			omittedBytes: left,
			truncated: left > 0,
			inputIndex,
		},
	};
}

/** The messages that stay, chronological and well-formed; null when not even the protected ones can. */
function keepMessages(held: readonly SurfaceEvent[], budget: number): SurfaceEvent[] | null {
	const checkpoints = held.filter(isCheckpoint);
	const mustStay = joinInOrder(checkpoints, held.slice(-1));
	// The first message has no separator before it.
	const left = mustStay.reduce((rest, event) => rest - costOf(event), budget + separatorBytes);
	if (left < 0) return cutMessages(mustStay, budget + separatorBytes);
	return joinInOrder(checkpoints, held.slice(placeOfOldestThatFits(held, left)));
}

/** The checkpoints that are older than the newest messages, and those, chronological and well-formed. */
function joinInOrder(checkpoints: readonly SurfaceEvent[], newest: readonly SurfaceEvent[]): SurfaceEvent[] {
	const older = checkpoints.filter((event) => !newest.includes(event));
	return [...older, ...newest].map(withWellFormedText);
}

/** Goes back from the newest message, which is paid for like the checkpoints, until one does not fit whole. */
function placeOfOldestThatFits(held: readonly SurfaceEvent[], budget: number): number {
	let left = budget;
	let place = held.length - 1;
	for (; place > 0; place -= 1) {
		const older = held[place - 1];
		if (older === undefined || isCheckpoint(older)) continue;
		if (omittedBytes(older.text) > 0 || older.text.bytes > left) break;
		left -= costOf(withWellFormedText(older));
		if (left < 0) break;
	}
	return place;
}

function cutMessages(messages: readonly SurfaceEvent[], budget: number): SurfaceEvent[] | null {
	const shells = messages.reduce((sum, event) => sum + shellBytes[roleOf(event)] + separatorBytes, 0);
	const texts = fitTexts(
		messages.map((event) => event.text),
		budget - shells,
	);
	return texts && messages.map((event, index) => ({ ...event, text: texts[index] ?? event.text }));
}

function costOf(event: SurfaceEvent): number {
	return shellBytes[roleOf(event)] + separatorBytes + serializedTextBytes(renderText(event.text));
}

function withWellFormedText(event: SurfaceEvent): SurfaceEvent {
	return { ...event, text: wellFormedText(event.text) };
}

function isCheckpoint(event: SurfaceEvent): boolean {
	return event.type === "checkpoint";
}

function roleOf(event: SurfaceEvent): Role {
	return event.type === "assistant/message" ? "assistant" : "user";
}
