/**
 * The command-line flags. Their values are known from `session_start` on.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export const RPC_FLAG = "cross-session-rpc";
export const TOOL_FLAG = "cross-session-tool";

/** Registers the flags, all off unless given. */
export function registerFlags(pi: Pick<ExtensionAPI, "registerFlag">): void {
	pi.registerFlag(RPC_FLAG, {
		type: "boolean",
		description: "Let other extensions read peer sessions over the event bus",
	});
	pi.registerFlag(TOOL_FLAG, { type: "boolean", description: "Give the model the tool get_peer_context" });
}
