/**
 * The status line of prompts that wait.
 */
import { printableLine } from "../../projection/printable.ts";
import type { CitedPrompt } from "./cited-prompt.ts";

/** Key of the status. */
export const WAITING_STATUS = "cross-session-waiting";

const TEXT_CODE_POINTS = 30;

/** Undefined when nothing waits, so that the status goes. */
export function waitingText(prompts: readonly Pick<CitedPrompt, "text">[]): string | undefined {
	const [first] = prompts;
	if (first === undefined) return undefined;
	const text = `"${printableLine(first.text, TEXT_CODE_POINTS)}"`;
	const what = prompts.length === 1 ? `1 prompt waits: ${text}` : `${prompts.length} prompts wait, first ${text}`;
	return `${what} (/take-back)`;
}
