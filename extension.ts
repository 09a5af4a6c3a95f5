/**
 * The extension: wires the rooms in lib/ to pi's events. No logic lives here.
 */
import { type ExtensionAPI, getAgentDir } from "@earendil-works/pi-coding-agent";
import { registerFlags } from "./lib/pi/flags.ts";
import { HostSession } from "./lib/pi/host-session.ts";
import {
	completePrivateChoice,
	PRIVATE_COMMAND,
	privateCommandDescription,
	runPrivateCommand,
} from "./lib/pi/private-command.ts";
import { SessionRecords } from "./lib/sessions/session-records.ts";

export default function crossSession(pi: ExtensionAPI): void {
	let session: HostSession | undefined;

	registerFlags(pi);

	pi.on("session_start", (_event, context) => {
		session?.stop();
		session = HostSession.start(pi, context);
	});
	pi.on("session_shutdown", () => session?.stop());

	pi.registerCommand(PRIVATE_COMMAND, {
		description: privateCommandDescription,
		getArgumentCompletions: completePrivateChoice,
		handler: async (argument, context) => runPrivateCommand(argument, context, new SessionRecords(getAgentDir())),
	});
}
