/**
 * The status line of prompts that wait.
 */
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { printableLine } from "../../projection/printable.ts";
import type { CitedPrompt } from "./cited-prompt.ts";

/** Key of the status. */
const WAITING_STATUS = "cross-session-waiting";

const TEXT_CODE_POINTS = 30;

/** Shows what waits, where there is a screen. Never throws: the session may be over, and its screen with it. */
export function showWaiting(
	context: Pick<ExtensionContext, "hasUI" | "ui"> | null,
	prompts: readonly Pick<CitedPrompt, "text">[],
): void {
	try {
		if (context?.hasUI) context.ui.setStatus(WAITING_STATUS, waitingText(prompts));
	} catch {
		// Nobody is left to see it.
	}
}

/** Undefined when nothing waits, so that the status goes. */
function waitingText(prompts: readonly Pick<CitedPrompt, "text">[]): string | undefined {
	const [first] = prompts;
	if (first === undefined) return undefined;
	const text = `"${printableLine(first.text, TEXT_CODE_POINTS)}"`;
	const what = prompts.length === 1 ? `1 prompt waits: ${text}` : `${prompts.length} prompts wait, first ${text}`;
	return `${what} (/take-back)`;
}
