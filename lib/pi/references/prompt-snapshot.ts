/**
 * Takes the snapshot of what a prompt cites, and asks the person about other workspaces, once for each prompt.
 */
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { type AdditionalContext, type OutsideReference, SessionReferenceError } from "../../references/index.ts";
import type { HostParts } from "../incarnation.ts";
import type { CitedPrompt } from "./cited-prompt.ts";
import { confirmOutside } from "./confirm-outside.ts";

/** What there is to look with and to ask at; null when the session is over. */
export interface SnapshotSetting {
	readonly parts: Pick<HostParts, "caller" | "references" | "fence"> | null;
	readonly context: ExtensionContext | null;
}

/** @throws SessionReferenceError */
export async function snapshotOf(
	prompt: CitedPrompt,
	{ parts, context }: SnapshotSetting,
	signal?: AbortSignal,
): Promise<AdditionalContext | null> {
	if (parts === null || context === null) throw new SessionReferenceError("SESSION_REFERENCE_CANCELLED");
	const ask = async (outside: readonly OutsideReference[], given?: AbortSignal) => {
		const asked = outside.filter(({ sessionId }) => !prompt.confirmed.has(sessionId));
		if (asked.length > 0 && !(await confirmOutside(context, asked, given))) return false;
		for (const { sessionId } of asked) prompt.confirmed.add(sessionId);
		return true;
	};
	const ended = signal === undefined ? parts.fence : AbortSignal.any([parts.fence, signal]);
	const caller = { ...parts.caller, confirmOutside: ask };
	const prepared = await parts.references.prepare(caller, null, prompt.references, ended);
	return prepared.additionalContext ?? null;
}
