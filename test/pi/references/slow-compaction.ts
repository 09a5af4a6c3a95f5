/**
 * A pi extension: every compaction waits until the file `go` is in the workspace, and then takes a fixed summary.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

const LOOK_MS = 20;

export default function slowCompaction(pi: ExtensionAPI): void {
	pi.on("session_before_compact", async ({ preparation }, { cwd }) => {
		while (!existsSync(path.join(cwd, "go"))) await wait(LOOK_MS);
		const { firstKeptEntryId, tokensBefore } = preparation;
		return { compaction: { summary: "What was said before.", firstKeptEntryId, tokensBefore } };
	});
}
