/**
 * `/cross-session-private on|off`: whether other sessions may look at this one.
 */
import type { ExtensionAPI, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { type SessionRecords, UnreadableRecordError } from "../sessions/session-records.ts";
import { completeChoice } from "./command-choice.ts";
import { tellPerson } from "./tell-person.ts";

export const PRIVATE_COMMAND = "cross-session-private";

const choices = ["on", "off"] as const;

/** Registers the command; `openRecords` is asked each time it is used. */
export function registerPrivateCommand(
	pi: Pick<ExtensionAPI, "registerCommand">,
	openRecords: () => SessionRecords,
): void {
	pi.registerCommand(PRIVATE_COMMAND, {
		description: "Keep other sessions from reading or citing this one (on|off)",
		getArgumentCompletions: (prefix) => completeChoice(choices, prefix),
		handler: async (argument, context) => runPrivateCommand(argument, context, openRecords()),
	});
}

/** Carries the command out; without an argument it tells how things are. */
function runPrivateCommand(argument: string, context: ExtensionCommandContext, records: SessionRecords): void {
	const sessionId = context.sessionManager.getSessionId();
	const choice = argument.trim().toLowerCase();
	if (choice === "") {
		tellPerson(context, stateText(records.read(sessionId).private), "info");
		return;
	}
	if (choice !== "on" && choice !== "off") {
		tellPerson(context, `Use /${PRIVATE_COMMAND} on or /${PRIVATE_COMMAND} off.`, "warning");
		return;
	}
	try {
		records.setPrivate(sessionId, choice === "on");
		tellPerson(context, stateText(choice === "on"), "info");
	} catch (error) {
		tellPerson(context, failureText(error), "error");
	}
}

function failureText(error: unknown): string {
	return error instanceof UnreadableRecordError
		? `Nothing was changed. ${error.message}`
		: "Nothing was changed: the setting could not be stored. Check the agent directory's permissions.";
}

function stateText(isPrivate: boolean): string {
	return isPrivate
		? "This session is private: no other session can read or cite it. It is still listed and can get messages."
		: "Other sessions of this workspace can read and cite this session.";
}
