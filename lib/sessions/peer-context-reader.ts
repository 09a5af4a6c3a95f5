/**
 * The core behind every door to peer context: authorizes, captures once, authorizes again, projects.
 *
 * Every refusal, a missing session and a wrong argument alike, is one and the same error after the same work. A failed
 * read never gives a part of a context.
 */
import * as z from "zod";
import { PeerContextError } from "../contract/errors.ts";
import { PEER_CONTEXT_LIMITS, type PeerContext, peerContextViewSchema } from "../contract/peer-context.ts";
import { captureWantFor, type LoweredLimits } from "../projection/limits.ts";
import { projectPeerContext } from "../projection/result.ts";
import { untilAborted } from "./abort.ts";
import { type Caller, mayRead } from "./authorization.ts";
import type { LiveSessions } from "./live-sessions.ts";
import { CaptureError, type SessionCapture, type SessionQuery } from "./query.ts";

const questionSchema = z.object({
	sessionId: z.string().min(1).max(512),
	view: peerContextViewSchema.default("overview"),
	/** Counts for the view `conversation` only, but must be right for all. */
	maxMessages: z.number().int().min(1).max(PEER_CONTEXT_LIMITS.messages).optional(),
});

/** What is asked, unchecked. */
export interface PeerContextQuestion {
	readonly sessionId?: unknown;
	readonly view?: unknown;
	readonly maxMessages?: unknown;
}

export interface PeerContextReaderOptions {
	/** Sessions of the caller's workspace. */
	readonly sessions: SessionQuery;
	readonly live: LiveSessions;
	/** Asked at every read: a session may turn out to be a subagent's. */
	readonly caller: () => Caller;
	/** Configured limits, which only lower the fixed ones. */
	readonly limits?: LoweredLimits | undefined;
}

export class PeerContextReader {
	readonly #options: PeerContextReaderOptions;

	constructor(options: PeerContextReaderOptions) {
		this.#options = options;
	}

	/**
	 * One bounded look at another session. It ends with its signal, also when a storage has stopped answering.
	 * @throws PeerContextError `unauthorized`, `unavailable` (also when the signal is a timeout's) or `cancelled`
	 */
	async read(question: PeerContextQuestion, signal?: AbortSignal): Promise<PeerContext> {
		if (signal?.aborted) throw toPeerContextError(signal.reason, signal);
		try {
			return await untilAborted(this.#read(question, signal), signal);
		} catch (error) {
			throw toPeerContextError(error, signal);
		}
	}

	async #read(question: PeerContextQuestion, signal: AbortSignal | undefined): Promise<PeerContext> {
		const { sessions, live, limits } = this.#options;
		const caller = this.#options.caller();
		// The catalogue is read for wrong questions too: how long a refusal takes must not tell what was refused.
		const catalogue = await sessions.listSessions(signal);
		const parsed = readQuestion(question);
		const sessionId = parsed.success ? parsed.data.sessionId : "";
		const target = catalogue.find((session) => session.id === sessionId);
		if (!parsed.success || !target || !mayRead(caller, target)) throw new PeerContextError("unauthorized");
		const { view, maxMessages } = parsed.data;
		const [capture, runtimeStatus] = await Promise.all([
			sessions.read(sessionId, captureWantFor(view, limits, maxMessages), signal),
			live.runtimeStatus(sessionId, signal),
		]);
		if (!isOf(capture, sessionId) || !mayRead(caller, capture.header)) throw new PeerContextError("unauthorized");
		return projectPeerContext(capture, { view, runtimeStatus, maxMessages, limits });
	}
}

/** A question that can't even be read is a wrong one. */
function readQuestion(question: PeerContextQuestion) {
	try {
		const { sessionId, view, maxMessages } = question;
		return questionSchema.safeParse({ sessionId, view, maxMessages });
	} catch {
		return questionSchema.safeParse(undefined);
	}
}

function isOf(capture: SessionCapture, sessionId: string): boolean {
	return capture.header.id === sessionId;
}

const failureCodes = { not_found: "unauthorized", unavailable: "unavailable", cancelled: "cancelled" } as const;

function toPeerContextError(error: unknown, signal: AbortSignal | undefined): PeerContextError {
	if (error instanceof PeerContextError) return error;
	// A deadline is an abort too, but nobody cancelled anything.
	if (signal?.aborted) return new PeerContextError(isTimeout(signal.reason) ? "unavailable" : "cancelled");
	return new PeerContextError(error instanceof CaptureError ? failureCodes[error.code] : "unavailable");
}

function isTimeout(reason: unknown): boolean {
	return reason instanceof DOMException && reason.name === "TimeoutError";
}
