/**
 * Vetting an endpoint before anybody connects to it.
 *
 * Promise: `safe` means a real socket of this user, closed to others, in a directory that is the same. It can't rule out
 * a swap between the look and the connection; only this user could make one.
 */
import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import type { PeerPaths } from "./paths.ts";
import { errorCode, isPrivate } from "./private-files.ts";

export type EndpointVerdict = "safe" | "missing" | "unsafe";

/** Looks at an endpoint. Synchronous: two looks at local entries take microseconds, and a message waits for them. */
export function vetEndpoint(path: string, paths: Pick<PeerPaths, "platform" | "userId">): EndpointVerdict {
	if (paths.platform === "win32") return "safe";
	try {
		const directory = lstatSync(dirname(path));
		const socket = lstatSync(path);
		const safe =
			directory.isDirectory() &&
			isPrivate(directory, paths.userId) &&
			socket.isSocket() &&
			isPrivate(socket, paths.userId);
		return safe ? "safe" : "unsafe";
	} catch (error) {
		return errorCode(error) === "ENOENT" ? "missing" : "unsafe";
	}
}
