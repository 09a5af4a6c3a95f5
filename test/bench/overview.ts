/**
 * What is measured: one cold or repeated look at a session, from the file to the bounded value that a peer gets.
 */
import type { PeerContext } from "../../lib/contract/peer-context.ts";
import { captureWantFor } from "../../lib/projection/limits.ts";
import { projectPeerContext } from "../../lib/projection/result.ts";
import { LogReader } from "../../lib/sessions/log/log-reader.ts";

/** A reader that has no index of any file. */
export function newReader(): LogReader {
	return new LogReader();
}

/** Reads a session file and projects the view `overview` from it. */
export async function readOverview(reader: LogReader, file: string): Promise<PeerContext> {
	const capture = await reader.read(file, captureWantFor("overview"));
	return projectPeerContext(capture, { view: "overview", runtimeStatus: "offline" });
}
