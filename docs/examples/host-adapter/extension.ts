/**
 * The adapter as a pi extension: `/hand-off`, `/hand-offs` and `/mailbox`. It needs `--cross-session-rpc`.
 */
import type { ExtensionAPI, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { HostAdapter } from "./adapter.ts";
import { describeHandOff, describeLook, describeMail } from "./describe.ts";

export default function hostAdapter(pi: ExtensionAPI): void {
	const adapter = new HostAdapter(pi.events);

	pi.on("session_start", () => adapter.start());
	pi.on("session_shutdown", () => adapter.stop());

	pi.registerCommand("hand-off", {
		description: "Hand work over: /hand-off REF TITLE, REF as /hand-off alone lists it",
		handler: (given, context) => report(context, () => handOff(adapter, given.trim(), context)),
	});
	pi.registerCommand("hand-offs", {
		description: "What is known of the hand-offs of this session",
		handler: (_given, context) => report(context, () => refreshed(adapter)),
	});
	pi.registerCommand("mailbox", {
		description: "Hand-offs of others: /mailbox, or /mailbox ID ANSWER",
		handler: (given, context) => report(context, () => mailbox(adapter, given.trim())),
	});
}

/** Shows the lines that an action gives, or why there are none. */
async function report(context: ExtensionCommandContext, action: () => Promise<readonly string[]>): Promise<void> {
	try {
		context.ui.notify((await action()).join("\n"), "info");
	} catch (error) {
		context.ui.notify(error instanceof Error ? error.message : "It failed.", "warning");
	}
}

async function handOff(adapter: HostAdapter, given: string, context: ExtensionCommandContext) {
	const peers = await adapter.listPeers();
	const [, ref, title] = /^(\S+)\s+(.+)$/su.exec(given) ?? [];
	if (ref === undefined || title === undefined) {
		return peers.length === 0
			? ["No other session is live."]
			: peers.map((peer) => `${peer.ref} ${peer.status} ${peer.cwd}`);
	}
	const peer = peers.find((candidate) => candidate.ref === ref);
	if (peer === undefined) return [`No live session has the ref ${ref}.`];
	const look = describeLook(await adapter.look(peer));
	if (!(await context.ui.confirm(`Hand over "${title}"?`, look.join("\n")))) return ["Nothing was handed over."];
	return describeHandOff(await adapter.handOver(peer, title));
}

async function refreshed(adapter: HostAdapter): Promise<readonly string[]> {
	const all = await Promise.all(adapter.handOffs.map(({ id }) => adapter.askAgain(id)));
	return all.length === 0 ? ["Nothing was handed over."] : all.flatMap(describeHandOff);
}

async function mailbox(adapter: HostAdapter, given: string): Promise<readonly string[]> {
	const [, id, answer] = /^(\S+)\s+(.+)$/su.exec(given) ?? [];
	const { mails } = adapter.mailbox;
	if (id === undefined || answer === undefined)
		return mails.length === 0 ? ["The mailbox is empty."] : mails.map(describeMail);
	const mail = mails.find((candidate) => candidate.handOff === id);
	if (mail === undefined) return [`No mail has the id ${id}.`];
	return [(await adapter.answer(mail, answer)) ? "Answered." : "The answer did not get through."];
}
