/**
 * A Host adapter as another package would write it, in its smallest form: `/look SESSION-ID FILE` asks for a peer's
 * context over the event bus and writes the reply to a file.
 */
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { INFO_TOPIC, PEER_CONTEXT_TOPIC, requestRpc } from "../../lib/contract/index.ts";

export default function lookAdapter(pi: ExtensionAPI): void {
	pi.registerCommand("look", {
		description: "Write the context of a peer session to a file",
		async handler(text) {
			const [sessionId = "", file = ""] = text.split(" ");
			const info = await requestRpc(pi.events, INFO_TOPIC, { version: 1, requestId: randomUUID() });
			if (!info.ok || !info.local) throw new Error("This session answers no RPC.");
			const { local } = info;
			const request = { version: 1 as const, requestId: randomUUID(), local, sessionId };
			writeFileSync(file, JSON.stringify(await requestRpc(pi.events, PEER_CONTEXT_TOPIC, request)));
		},
	});
}
