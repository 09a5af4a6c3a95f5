/**
 * The demo in words: who asked, what came back, what was withheld, what became of the message.
 */
import type { PeerContext, PeerContextReply, Receipt } from "../../lib/contract/index.ts";

export interface DemoResult {
	readonly rpc: PeerContextReply;
	readonly tool: PeerContext;
	/** Whether the looked-at session's log has the same bytes and times as before. */
	readonly logUnchanged: boolean;
	readonly message: { readonly receipt: Receipt; readonly target: string };
	/** What the first session's model said to the message. */
	readonly answer: string;
}

/** What a person wants to see of the demo. */
export function describeDemo({ rpc, tool, logUnchanged, message, answer }: DemoResult): string {
	if (!rpc.ok) return `The adapter was refused: ${rpc.code}. ${rpc.next}\n`;
	const { context, local } = rpc;
	const retention = context.conversation?.retention;
	return [
		"Two pi sessions work in one directory. The first was told to fix a flaky test, and did some work with tools.",
		"",
		`1. A Host adapter in the second session (incarnation ${local.instanceId.slice(0, 8)}) asks over the event bus for`,
		`   the context of session ${context.target.sessionId}:`,
		"",
		indent(JSON.stringify(context, null, 2)),
		"",
		`   ${retention?.returnedMessages} of ${retention?.eligibleMessages} messages, ${retention?.returnedBytes} of ${retention?.eligibleBytes} bytes;`,
		`   ${retention?.withheldMessages ?? 0} user messages withheld.`,
		"   Not in it, at any depth: what the tools were asked and what they answered (among it a file with a password),",
		"   the model's reasoning, the system prompt.",
		`   The first session's log, its bytes and its times: ${logUnchanged ? "as before" : "CHANGED"}.`,
		"",
		"2. The model in the second session asks through its tool get_peer_context and gets the same projection:",
		`   ${tool.conversation?.messages.length} messages, turn ${tool.activity?.turn.number} ${tool.activity?.turn.endReason ?? tool.activity?.turn.state},`,
		`   tool calls ${tool.activity?.tools.map(({ name, status }) => `${name} ${status}`).join(", ")}.`,
		"",
		`3. It sends a message to the first session, ${message.target}, through its tool send_pi_message. The receipt:`,
		"",
		indent(JSON.stringify(message.receipt, null, 2)),
		"",
		`   The first session, idle until then, takes it as a turn of its own: "${answer}"`,
		"   The receipt says only that the message was handed over. Nothing in it says that it was read or answered.",
		"",
	].join("\n");
}

function indent(text: string): string {
	return text.replaceAll(/^/gm, "   ");
}
