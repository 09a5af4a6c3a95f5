/**
 * A harness whose sessions are in memory: a whole `SessionQuery` that keeps its promises about what a capture holds,
 * and faults that a test can switch on.
 */
import type {
	AssistantMessageEvent,
	CheckpointEvent,
	SurfaceEvent,
	UserMessageEvent,
} from "../../lib/projection/events.ts";
import { captureText, keptBytes, utf8Bytes } from "../../lib/projection/text.ts";
import {
	CaptureError,
	type CaptureWant,
	type SessionCapture,
	type SessionQuery,
	type SessionSummary,
} from "../../lib/sessions/query.ts";

/** One message of a session; texts are whole here, and cut when they are captured. */
export interface StoredMessage {
	readonly type: SurfaceEvent["type"];
	readonly text: string;
}

export interface StoredSession extends SessionSummary {
	title: string | null;
	messages: StoredMessage[];
	withheldMessages: number;
}

export const WORKSPACE = "/home space/here";

export function user(text: string): StoredMessage {
	return { type: "user/message", text };
}

export function assistant(text: string): StoredMessage {
	return { type: "assistant/message", text };
}

export function checkpoint(text: string): StoredMessage {
	return { type: "checkpoint", text };
}

/** A readable session of the workspace, with whatever is told otherwise. */
export function storedSession(id: string, told: Partial<StoredSession> = {}): StoredSession {
	const changedAt = told.changedAt ?? 1_000;
	return {
		id,
		cwd: WORKSPACE,
		origin: "root",
		private: false,
		createdAt: 1,
		live: false,
		title: null,
		messages: [],
		withheldMessages: 0,
		...told,
		changedAt,
	};
}

export class InMemorySessions implements SessionQuery {
	readonly stored: StoredSession[];
	/** Ids in the order in which they were asked for. */
	readonly titleReads: string[] = [];
	readonly reads: string[] = [];
	readonly wants: CaptureWant[] = [];
	/** Called first in every question; may throw, or wait. */
	fault: (question: "list" | "title" | "read", id: string | null, signal?: AbortSignal) => void | Promise<void> =
		() => {};

	constructor(...stored: StoredSession[]) {
		this.stored = stored;
	}

	async listSessions(signal?: AbortSignal): Promise<SessionSummary[]> {
		await this.fault("list", null, signal);
		return this.stored
			.map(({ title: _title, messages: _messages, withheldMessages: _withheld, ...summary }) => summary)
			.sort((a, b) => b.changedAt - a.changedAt);
	}

	async readTitle(id: string, signal?: AbortSignal): Promise<string | null> {
		this.titleReads.push(id);
		await this.fault("title", id, signal);
		return this.stored.find((session) => session.id === id)?.title ?? null;
	}

	async read(id: string, want: CaptureWant, signal?: AbortSignal): Promise<SessionCapture> {
		this.reads.push(id);
		this.wants.push(want);
		await this.fault("read", id, signal);
		const session = this.stored.find((stored) => stored.id === id);
		if (session === undefined) throw new CaptureError("not_found");
		return capture(session, want);
	}
}

function capture(session: StoredSession, want: CaptureWant): SessionCapture {
	const { id, cwd, origin, title, messages, withheldMessages } = session;
	const bytes = messages.reduce((sum, { text }) => sum + utf8Bytes(text), 0);
	return {
		header: { id, cwd, origin, private: session.private },
		title,
		capturedThroughSeq: messages.length === 0 ? null : messages.length,
		capturedAt: 2_000,
		damagedLines: 0,
		...(want.surface && {
			surface: {
				messages: held(messages, want.surface),
				eligibleMessages: messages.length,
				eligibleBytes: bytes,
				withheldMessages,
			},
		}),
	};
}

function held(messages: readonly StoredMessage[], want: NonNullable<CaptureWant["surface"]>): SurfaceEvent[] {
	const events: SurfaceEvent[] = [];
	let newest = 0;
	let bytes = 0;
	for (let place = messages.length - 1; place >= 0; place -= 1) {
		const message = messages[place];
		if (message === undefined) break;
		const holdsMore = newest < want.messages && bytes < want.totalBytes;
		if (!holdsMore && !(want.checkpoint && message.type === "checkpoint")) continue;
		const event = toEvent(message, place + 1, want.textBytes);
		if (holdsMore) newest += 1;
		bytes += keptBytes(event.text);
		events.push(event);
	}
	return events.reverse();
}

function toEvent({ type, text }: StoredMessage, seq: number, textBytes: number): SurfaceEvent {
	const captured = { seq, time: seq * 1_000, text: captureText(text, textBytes) };
	const events = {
		"user/message": { ...captured, type: "user/message", attested: true } satisfies UserMessageEvent,
		checkpoint: { ...captured, type: "checkpoint", by: "pi" } satisfies CheckpointEvent,
		"assistant/message": { ...captured, type: "assistant/message" } satisfies AssistantMessageEvent,
	};
	return events[type];
}
