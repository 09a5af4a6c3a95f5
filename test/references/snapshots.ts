/**
 * Taking snapshots in tests, and reading them back with nothing but JSON and the note at a cut.
 */
import { expect } from "vitest";
import type { SurfaceEvent } from "../../lib/projection/events.ts";
import {
	MAX_REFERENCE_BYTES,
	type SessionReferenceSourceEntry,
	SessionReferences,
} from "../../lib/references/index.ts";
import { type SessionSnapshot, takeSnapshot } from "../../lib/references/snapshot.ts";
import { InMemorySessions, type StoredMessage, storedSession, WORKSPACE } from "./in-memory-sessions.ts";

export interface Snapshot {
	readonly sessionId: string;
	readonly label: string;
	readonly cwd: string | null;
	readonly capturedThroughSeq: number | null;
	readonly conversation: readonly { readonly role: string; readonly text: string }[];
}

export interface Taken {
	readonly json: string;
	readonly snapshot: Snapshot;
	readonly entry: SessionReferenceSourceEntry;
}

export const caller = { sessionId: "caller", cwd: WORKSPACE };

/** Cites one session that holds these messages. */
export async function take(
	messages: StoredMessage[],
	maxReferenceBytes = MAX_REFERENCE_BYTES,
	label = "the peer",
): Promise<Taken> {
	const sessions = new InMemorySessions(storedSession("peer", { messages, withheldMessages: 2 }));
	const references = new SessionReferences(sessions, { maxReferenceBytes });
	const prepared = await references.prepare(caller, "prompt", [{ sessionId: "peer", label }]);
	const line = prepared.additionalContext?.text.split("\n").find((candidate) => candidate.startsWith("[{")) ?? "";
	const [snapshot] = JSON.parse(line) as Snapshot[];
	const [entry] = prepared.additionalContext?.source.references ?? [];
	if (snapshot === undefined || entry === undefined) throw new Error("no snapshot was taken");
	return { json: line.slice(1, -1), snapshot, entry };
}

/** The snapshot of a surface whose reader held just these events. */
export function snapshotOf(messages: readonly SurfaceEvent[], eligibleBytes: number): SessionSnapshot {
	return takeSnapshot(
		{ sessionId: "peer", label: "peer", inputIndex: 0 },
		{
			header: { id: "peer", cwd: WORKSPACE, origin: "root", private: false },
			title: null,
			capturedThroughSeq: messages.length,
			capturedAt: 0,
			damagedLines: 0,
			surface: { messages, eligibleMessages: messages.length, eligibleBytes, withheldMessages: 0 },
		},
		MAX_REFERENCE_BYTES,
	);
}

export const bytesOf = (text: string) => Buffer.byteLength(text);
export const tagSafe = (value: unknown) => JSON.stringify(value).replace(/</g, "\\u003c");
export const roleOf = (message: StoredMessage) => (message.type === "assistant/message" ? "assistant" : "user");
export const shown = (messages: readonly StoredMessage[]) =>
	messages.map((message) => ({ role: roleOf(message), text: message.text.toWellFormed() }));

/** Head and tail of a cut text and the omitted bytes that its note names; null for a text without a note. */
export function readCut(text: string): { head: string; tail: string; omitted: number } | null {
	const note = /\n\[… (\d+) bytes omitted …\]\n/.exec(text);
	if (note === null) return null;
	const head = text.slice(0, note.index);
	return { head, tail: text.slice(note.index + note[0].length), omitted: Number(note[1]) };
}

/** Source bytes of a text that a snapshot still has, after checking that it has them in the right places. */
export function checkedKeptBytes(source: string, text: string): number {
	const cut = readCut(text);
	if (cut === null) {
		expect(text).toBe(source.toWellFormed());
		return bytesOf(source);
	}
	expect(source.toWellFormed().startsWith(cut.head)).toBe(true);
	expect(source.toWellFormed().endsWith(cut.tail)).toBe(true);
	const kept = bytesOf(cut.head) + bytesOf(cut.tail);
	expect(cut.omitted).toBe(bytesOf(source) - kept);
	expect(Math.min(cut.head.length, cut.tail.length)).toBeGreaterThan(0);
	return kept;
}
