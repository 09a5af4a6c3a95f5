/**
 * Vetting an endpoint before anybody connects to it.
 *
 * Promise: `safe` means a real socket of this user, closed to others, in a directory that is the same. It can't rule out
 * a swap between the look and the connection; only this user could make one.
 */
import { dirname } from "node:path";
import type { PeerPaths } from "./paths.ts";
import { errorCode, type FileOperations, isPrivate, systemFiles } from "./private-files.ts";

export type EndpointVerdict = "safe" | "missing" | "unsafe";

export async function vetEndpoint(
	path: string,
	paths: Pick<PeerPaths, "platform" | "userId">,
	files: FileOperations = systemFiles,
): Promise<EndpointVerdict> {
	if (paths.platform === "win32") return "safe";
	try {
		const [directory, socket] = await Promise.all([files.lstat(dirname(path)), files.lstat(path)]);
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
