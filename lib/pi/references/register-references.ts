/**
 * Registers session references: their part in each of pi's events, the card, and the commands.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { PromptReferences, type PromptReferencesOptions } from "./prompt-references.ts";
import { renderReferences } from "./reference-card.ts";
import { registerReferenceCommands } from "./reference-commands.ts";
import { SESSION_REFERENCE } from "./reference-message.ts";

/**
 * To be called before handlers that end the incarnation, since what waits is given back to a session that is still
 * there; and before handlers that want to see an input as pi goes on with it, but after those that keep it from pi.
 */
export function registerReferences(
	pi: ExtensionAPI,
	host: PromptReferencesOptions["host"],
	ports: Pick<PromptReferencesOptions, "ownPrompts" | "isTurnStarting">,
): void {
	const prompts = new PromptReferences({ pi, host, ...ports });

	pi.registerMessageRenderer(SESSION_REFERENCE, renderReferences);
	registerReferenceCommands(pi, host, prompts);

	pi.on("input", (event, context) => prompts.input(event, context));
	pi.on("before_agent_start", (event) => prompts.beforeAgentStart(event));
	pi.on("agent_start", (_event, context) => prompts.agentStarted(context));
	pi.on("message_start", ({ message }) => prompts.messageStarted(message));
	pi.on("message_end", ({ message }) => prompts.messageEnded(message));
	// Older versions don't say whether it was cancelled.
	pi.on("agent_settled", ({ aborted }, context) => prompts.settled(aborted === true, context));
	pi.on("session_before_compact", (_event, context) => prompts.compactionBegan(context));
	pi.on("session_compact", (_event, context) => prompts.compactionEnded(false, context));
	pi.on("session_compact_failed", (event, context) => prompts.compactionEnded(event.aborted, context));
	pi.on("session_shutdown", (_event, context) => prompts.leave(context));
}
