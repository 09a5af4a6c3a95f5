/**
 * Whether this session is somebody's child and so takes no part: no registration, no inbox, no tools.
 *
 * Promise: only what was said synchronously, frozen and in so many words counts; a listener that answers later, or that
 * throws from its answer, changes nothing.
 */

export const MANAGED_IDENTITY_TOPIC = "pi-mesh:runtime:identity:query";

/** The one function of an event bus that the question needs. */
export interface QuestionBus {
	emit(topic: string, data: unknown): void;
}

/** Asks the bus whether a manager in this process owns the session. Throws what the bus throws. */
export function isManagedSession(bus: QuestionBus): boolean {
	let open = true;
	let managed = false;
	const reply = (identity: unknown): void => {
		if (open && claimsManagement(identity)) managed = true;
	};
	try {
		bus.emit(MANAGED_IDENTITY_TOPIC, { version: 1, reply });
	} finally {
		open = false;
	}
	return managed;
}

function claimsManagement(identity: unknown): boolean {
	if (typeof identity !== "object" || identity === null || !Object.isFrozen(identity)) return false;
	try {
		const claim: { version?: unknown; managed?: unknown } = identity;
		return claim.version === 1 && claim.managed === true;
	} catch {
		return false;
	}
}

export interface SessionKind {
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** Whether the session has a log on disk. */
	readonly stored: boolean;
	/** Whether a person sees it. */
	readonly hasUserInterface: boolean;
}

/** Whether the session was started as a subagent's, as far as its environment and mode show it. */
export function isSubagentSession(kind: SessionKind): boolean {
	if (kind.environment.PI_SUBAGENT_CHILD !== undefined) return true;
	return !kind.stored && !kind.hasUserInterface;
}
