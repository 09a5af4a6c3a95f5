/**
 * Which events of pi tell about turns, and how each is passed on.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { giveBackPrompt } from "./prompt-collision.ts";
import type { TurnKeeper } from "./turn-keeper.ts";

type Events = Pick<ExtensionAPI, "on">;

/**
 * Gives prompts back that can't be taken now. To be registered before anything else of this package that handles inputs:
 * what was given back is nobody's input any more.
 */
export function guardPrompts(pi: Events, turns: TurnKeeper): void {
	pi.on("input", (event, context) => {
		if (turns.see(context, (authority) => authority.collides(event, context)) !== true) return undefined;
		giveBackPrompt(event, context);
		return { action: "handled" };
	});
}

/**
 * Passes pi's events on. To be registered after everything else of this package that handles inputs, so that only what
 * goes on to pi is seen, with the text with which it does.
 */
export function watchTurns(pi: Events, turns: TurnKeeper): void {
	pi.on("input", (event, context) => {
		turns.see(context, (authority) => authority.input(event, context.mode === "tui", context));
	});
	pi.on("before_agent_start", (event, context) => {
		const prompt = "prompt" in event ? event.prompt : null;
		turns.see(context, (authority) => authority.beforeAgentStart(prompt, context));
	});
	pi.on("message_start", (event, context) => {
		turns.see(context, (authority) => authority.messageStarted(event.message, context));
	});
	pi.on("message_end", (event, context) => {
		turns.see(context, (authority) => authority.messageEnded(event.message, context));
	});
	pi.on("context", (_event, context) => {
		turns.see(context, (authority) => authority.contextBuilt());
	});
	pi.on("tool_call", (event, context) => {
		const reason = turns.judge(event, context);
		return reason === null ? undefined : { block: true, reason };
	});
	pi.on("agent_settled", (event, context) => {
		// Older versions of pi don't say it.
		turns.see(context, (authority) => authority.settled(event.aborted === true, context));
	});
	watchMilestones(pi, turns);
}

/** Events that say no more than that they happened. */
function watchMilestones(pi: Events, turns: TurnKeeper): void {
	pi.on("agent_start", (_event, context) => {
		turns.see(context, (authority) => authority.happened("agent_start", context));
	});
	pi.on("session_before_compact", (_event, context) => {
		turns.see(context, (authority) => authority.happened("session_before_compact", context));
	});
	pi.on("session_compact", (_event, context) => {
		turns.see(context, (authority) => authority.happened("session_compact", context));
	});
	pi.on("session_compact_failed", (_event, context) => {
		turns.see(context, (authority) => authority.happened("session_compact_failed", context));
	});
	pi.on("session_tree", (_event, context) => {
		turns.see(context, (authority) => authority.happened("session_tree", context));
	});
}
