/** A peer that takes every message, with its sockets in its own agent directory. */
import type { Lifecycle } from "../../../lib/inbox/lifecycle.ts";
import { Presence } from "../../../lib/inbox/presence.ts";
import { currentPathFacts, peerPaths } from "../../../lib/peers/paths.ts";

/** The next incarnation of `lifecycle`. */
export function openBenchPeer(lifecycle: Lifecycle, directory: string, name: string): Promise<Presence> {
	return lifecycle.start((scope) =>
		Presence.open(
			{
				agentDirectory: directory,
				paths: peerPaths(directory, { ...currentPathFacts(), socketRoot: directory }),
				sessionId: name,
				describe: () => ({ name, cwd: directory, status: "idle" }),
				inbound: "accept",
				delivery: { refusal: () => null, deliver: () => "submitted" },
			},
			scope,
		),
	);
}
