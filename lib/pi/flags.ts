/**
 * The command-line flags. Their values are known from `session_start` on.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { InboundMode } from "../inbox/inbox.ts";

export const RPC_FLAG = "cross-session-rpc";
export const TOOL_FLAG = "cross-session-tool";
export const INBOUND_FLAG = "cross-session-inbound";

/** What may happen with messages that arrive, as flags, commands and the configuration spell it. */
export const INBOUND_MODES: readonly InboundMode[] = Object.freeze(["accept", "show", "refuse"] as const);

/** Registers the flags; nothing is on or changed unless one is given. */
export function registerFlags(pi: Pick<ExtensionAPI, "registerFlag">): void {
	pi.registerFlag(RPC_FLAG, {
		type: "boolean",
		description: "Let other extensions read peer sessions over the event bus",
	});
	pi.registerFlag(TOOL_FLAG, { type: "boolean", description: "Give the model the tool get_peer_context" });
	pi.registerFlag(INBOUND_FLAG, {
		type: "string",
		description: "Messages of other sessions: accept, show (start no turn) or refuse",
	});
}

/** The inbound mode of a text, or undefined when it is none. */
export function parseInboundMode(text: string): InboundMode | undefined {
	return INBOUND_MODES.find((mode) => mode === text);
}

export interface ChosenInbound {
	readonly mode: InboundMode;
	/** One line for the person when the flag's value is none there is; else null. */
	readonly problem: string | null;
}

/** What the flag says, else what the configuration says. A value that is none refuses: a typing error must open nothing. */
export function chooseInbound(flag: boolean | string | undefined, configured: InboundMode): ChosenInbound {
	if (flag === undefined) return { mode: configured, problem: null };
	const mode = parseInboundMode(String(flag));
	if (mode !== undefined) return { mode, problem: null };
	const problem = `--${INBOUND_FLAG} takes accept, show or refuse. Messages are refused until you choose one: /${INBOUND_FLAG} accept|show|refuse.`;
	return { mode: "refuse", problem };
}
