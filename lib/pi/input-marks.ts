/**
 * Where marks of observed inputs are kept: in the session's own log, as custom entries beside the user entries.
 */
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { MarkLog } from "../authority/input-attestor.ts";
import { messageText } from "../authority/pi-messages.ts";
import { MARK_ENTRY_TYPE } from "../contract/input-mark.ts";

/** `context`: the session as pi shows it now; asked each time. */
export function createMarkLog(pi: Pick<ExtensionAPI, "appendEntry">, context: () => ExtensionContext): MarkLog {
	return {
		findEntry(identity) {
			const entries = context().sessionManager.getEntries();
			const entry = entries.findLast((one) => one.type === "message" && one.message === identity);
			return entry?.type === "message" ? { id: entry.id, text: messageText(entry.message) } : null;
		},
		write: (mark) => pi.appendEntry(MARK_ENTRY_TYPE, mark),
	};
}
