/**
 * The extension: wires the rooms in lib/ to pi's events. No logic lives here.
 */
import { type ExtensionAPI, getAgentDir } from "@earendil-works/pi-coding-agent";
import { RPC_FLAG, registerFlags, TOOL_FLAG } from "./lib/pi/flags.ts";
import { type HostParts, HostSession } from "./lib/pi/host-session.ts";
import { createPeerContextTool } from "./lib/pi/peer-context-tool.ts";
import {
	completePrivateChoice,
	PRIVATE_COMMAND,
	privateCommandDescription,
	runPrivateCommand,
} from "./lib/pi/private-command.ts";
import { startResponders } from "./lib/rpc/responders.ts";
import { SessionRecords } from "./lib/sessions/session-records.ts";

export default function crossSession(pi: ExtensionAPI): void {
	let session: HostSession | undefined;

	registerFlags(pi);

	pi.on("session_start", (_event, context) => {
		session?.stop();
		session = HostSession.start(pi.events, context, (parts) => openDoors(pi, parts));
	});
	pi.on("session_shutdown", () => session?.stop());

	pi.registerCommand(PRIVATE_COMMAND, {
		description: privateCommandDescription,
		getArgumentCompletions: completePrivateChoice,
		handler: async (argument, context) => runPrivateCommand(argument, context, new SessionRecords(getAgentDir())),
	});
}

/** A flag given on the command line wins; it can only switch on. */
function openDoors(pi: ExtensionAPI, { local, config, reader, onStop }: HostParts): void {
	if (config.rpc || pi.getFlag(RPC_FLAG) === true) {
		const readPeerContext = reader.read.bind(reader);
		onStop(startResponders({ bus: pi.events, local, readPeerContext, contextRequests: config.contextRequests }));
	}
	if (config.tool || pi.getFlag(TOOL_FLAG) === true) pi.registerTool(createPeerContextTool(reader));
}
