/**
 * Commands over the incarnation that is up: what a person is told where none is, and a session that may end while the
 * command is at work, by a reload, a switch or a shutdown.
 */
import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import type { HostParts } from "./incarnation.ts";
import { tellPerson } from "./tell-person.ts";

/** Whoever knows which incarnation is up. */
export interface CommandHost {
	readonly parts: HostParts | null;
}

type CommandWork = (context: ExtensionCommandContext, parts: HostParts, argument: string) => unknown;

/** The handler of such a command. */
export function overIncarnation(host: CommandHost, work: CommandWork) {
	return async (argument: string, context: ExtensionCommandContext): Promise<void> => {
		const { parts } = host;
		if (parts === null) tellPerson(context, "Cross-session access is off in this session.", "warning");
		else await unlessEnded(parts.fence, () => work(context, parts, argument));
	};
}

/**
 * Does the work of a command. Once its session is over its context can't be used and nobody is left to be told:
 * whatever it throws then is dropped.
 * @param fence aborted when the session is over
 */
async function unlessEnded(fence: AbortSignal, work: () => unknown): Promise<void> {
	try {
		await work();
	} catch (error) {
		if (!fence.aborted) throw error;
	}
}
