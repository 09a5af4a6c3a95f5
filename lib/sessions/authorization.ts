/**
 * Who may look at whom: the one place where that is decided, with yes or no and no reasons.
 */
import { isSameWorkspace } from "../contract/workspace.ts";
import type { CapturedHeader } from "./query.ts";

/** The session that asks. */
export interface Caller {
	readonly sessionId: string;
	/** Its workspace; empty when it has none. */
	readonly cwd: string;
	/** A top-level session of a person, not a subagent's. */
	readonly isHost: boolean;
}

/** Whether `caller` may read `target`, by what is known of that before or after the read. */
export function mayRead(caller: Caller, target: CapturedHeader): boolean {
	return (
		caller.isHost &&
		isSameWorkspace(caller.cwd, target.cwd) &&
		target.id !== caller.sessionId &&
		target.origin !== "subagent" &&
		!target.private
	);
}
