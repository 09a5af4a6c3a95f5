/**
 * A prompt that cites sessions becomes the prompt and one frozen context, or fails as a whole.
 *
 * Everything that can be refused without a look into a conversation is refused first; then all sources are read once,
 * at the same time. Any failure ends the others and nothing of the context is handed out.
 */
import { isSameWorkspace } from "../contract/workspace.ts";
import type { SessionCapture, SessionQuery, SessionSummary } from "../sessions/query.ts";
import { formatReferenceBlock } from "./block.ts";
import { throwIfCancelled, untilCancelled } from "./cancellation.ts";
import { isCitable, type ReferenceCaller, readCatalogue } from "./catalogue.ts";
import type { SessionReferenceLimits } from "./config.ts";
import { SessionReferenceError } from "./errors.ts";
import type { SessionReference } from "./mention.ts";
import { withinReadingTime } from "./reading-time.ts";
import { type CitedReference, captureWantForSnapshot, takeSnapshot } from "./snapshot.ts";
import type { SessionReferenceSource } from "./source.ts";

/** A cited session that is not of the caller's workspace. */
export interface OutsideReference extends SessionReference {
	/** Null for a session without a working directory. */
	readonly cwd: string | null;
}

/** The session whose prompt it is, and how its user is asked. */
export interface PreparingCaller extends ReferenceCaller {
	/**
	 * Asks the person, before anything is read, whether sessions of other workspaces may be cited. Called at most once a
	 * prompt, with all of them. Without it, and when it fails, they are refused.
	 */
	readonly confirmOutside?: (outside: readonly OutsideReference[], signal?: AbortSignal) => boolean | Promise<boolean>;
}

/** What the model is to be given right before the prompt. */
export interface AdditionalContext {
	readonly source: SessionReferenceSource;
	readonly text: string;
}

/** A prompt that is ready to be sent. Detached: what is later done to the input or the sources does not change it. */
export interface PreparedPrompt<Content> {
	readonly content: Content;
	/** Absent when nothing is cited. */
	readonly additionalContext?: AdditionalContext;
}

/** A distinct reference and what the catalogue says of its session. */
interface CitedSession {
	readonly reference: CitedReference;
	readonly session: SessionSummary;
}

/** See `SessionReferences.prepare`. */
export async function preparePrompt<Content>(
	sessions: SessionQuery,
	limits: SessionReferenceLimits,
	caller: PreparingCaller,
	prompt: { readonly content: Content; readonly references: readonly SessionReference[] },
	signal?: AbortSignal,
): Promise<PreparedPrompt<Content>> {
	throwIfCancelled(signal);
	const content = structuredClone(prompt.content);
	const distinct = distinctReferences(prompt.references, caller.sessionId, limits.maxReferences);
	if (distinct.length === 0) return { content };
	const cited = lookUp(distinct, await readCatalogue(sessions, signal));
	await confirmOutside(cited, caller, signal);
	const captures = await readSources(sessions, cited, limits.maxReferenceBytes, signal);
	const snapshots = captures.map(({ reference, capture }) =>
		takeSnapshot(reference, capture, limits.maxReferenceBytes),
	);
	throwIfCancelled(signal);
	const references = snapshots.map((snapshot) => snapshot.entry);
	const source: SessionReferenceSource = { kind: "session-reference", version: 1, references };
	return { content, additionalContext: { source, text: formatReferenceBlock(snapshots) } };
}

/** Distinct sessions in the order of first mention; the first label wins. */
function distinctReferences(
	references: readonly SessionReference[],
	callerId: string,
	maxReferences: number,
): CitedReference[] {
	const distinct = new Map<string, CitedReference>();
	for (const [inputIndex, { sessionId, label }] of references.entries()) {
		if (typeof sessionId !== "string" || typeof label !== "string") {
			throw new SessionReferenceError("SESSION_REFERENCE_INVALID_REFERENCE");
		}
		if (sessionId === callerId) throw new SessionReferenceError("SESSION_REFERENCE_SELF_REFERENCE", label);
		if (!distinct.has(sessionId)) distinct.set(sessionId, { sessionId, label, inputIndex });
	}
	const firstTooMany = [...distinct.values()][maxReferences];
	if (firstTooMany !== undefined) {
		const detail = `At most ${maxReferences} different sessions can be cited.`;
		throw new SessionReferenceError("SESSION_REFERENCE_TOO_MANY", firstTooMany.label, detail);
	}
	return [...distinct.values()];
}

function lookUp(distinct: readonly CitedReference[], catalogue: readonly SessionSummary[]): CitedSession[] {
	return distinct.map((reference) => {
		const session = catalogue.find(({ id }) => id === reference.sessionId);
		if (session === undefined || !isCitable(session)) throw unreadable(reference);
		return { reference, session };
	});
}

async function confirmOutside(
	cited: readonly CitedSession[],
	caller: PreparingCaller,
	signal: AbortSignal | undefined,
): Promise<void> {
	const outside = cited
		.filter(({ session }) => !isSameWorkspace(session.cwd, caller.cwd))
		.map(({ reference: { sessionId, label }, session: { cwd } }) => ({
			sessionId,
			label,
			cwd: cwd === "" ? null : cwd,
		}));
	const [first] = outside;
	if (first === undefined) return;
	const answer = async () => (await caller.confirmOutside?.(outside, signal)) === true;
	const confirmed = await untilCancelled(
		answer().catch(() => false),
		signal,
	);
	if (!confirmed) throw new SessionReferenceError("SESSION_REFERENCE_NOT_CONFIRMED", first.label);
}

/** Reads every source once, at the same time; the first failure is the failure of all and ends the other reads. */
function readSources(
	sessions: SessionQuery,
	cited: readonly CitedSession[],
	maxBytes: number,
	signal: AbortSignal | undefined,
): Promise<{ reference: CitedReference; capture: SessionCapture }[]> {
	const readAll = (ended: AbortSignal) =>
		Promise.all(
			cited.map(async ({ reference, session }) => {
				const capture = await readSource(sessions, session, maxBytes, ended);
				if (capture === null) throw unreadable(reference);
				return { reference, capture };
			}),
		);
	return withinReadingTime(readAll, signal);
}

/** Null when it can't be read, and when the log is not, or no longer, the one that the catalogue promised. */
async function readSource(
	sessions: SessionQuery,
	{ id, cwd }: SessionSummary,
	maxBytes: number,
	signal: AbortSignal,
): Promise<SessionCapture | null> {
	try {
		const capture = await sessions.read(id, captureWantForSnapshot(maxBytes), signal);
		const { header } = capture;
		return isCitable(header) && header.id === id && header.cwd === cwd ? capture : null;
	} catch {
		return null;
	}
}

function unreadable(reference: SessionReference): SessionReferenceError {
	return new SessionReferenceError("SESSION_REFERENCE_READ_FAILED", reference.label);
}
