/**
 * `/cross-session-resume`: the one way to let messages in again after a turn was cancelled.
 */
import type { ExtensionAPI, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { RESUME_COMMAND } from "./latch-notice.ts";
import { tellPerson } from "./tell-person.ts";
import type { TurnKeeper } from "./turn-keeper.ts";

/** Registers the command. */
export function registerResumeCommand(pi: Pick<ExtensionAPI, "registerCommand">, turns: TurnKeeper): void {
	pi.registerCommand(RESUME_COMMAND, {
		description: "Let messages of other sessions in again after a turn was cancelled",
		handler: async (_argument, context) => runResume(context, turns),
	});
}

function runResume(context: ExtensionCommandContext, turns: TurnKeeper): void {
	const wasStopped = turns.view.stopped !== null;
	if (!turns.resume(context).resumed) {
		tellPerson(context, `Nothing was changed: pi is at work. Use /${RESUME_COMMAND} when it is idle.`, "warning");
		return;
	}
	const text = wasStopped
		? "Messages of other sessions come in again. What was dropped does not come back; its senders can send it again."
		: "Messages of other sessions were not stopped.";
	tellPerson(context, text, "info");
}
