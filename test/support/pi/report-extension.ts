/**
 * A pi extension for runs that nobody can ask: when the run ends it writes what it can see to the file that REPORT_FILE
 * names, as JSON `{ sessionId, tools, info }`; `info` is `answered` or the code of the error.
 */
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import process from "node:process";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { INFO_TOPIC, requestRpc } from "../../../lib/contract/index.ts";

const PATIENCE_MS = 150;

export interface Report {
	readonly sessionId: string;
	readonly tools: readonly string[];
	readonly info: string;
}

export default function reportAtEnd(pi: ExtensionAPI): void {
	pi.on("agent_end", async (_event, context) => {
		const answer = requestRpc(pi.events, INFO_TOPIC, { version: 1, requestId: randomUUID() }, PATIENCE_MS);
		const report: Report = {
			sessionId: context.sessionManager.getSessionId(),
			tools: pi.getAllTools().map(({ name }) => name),
			info: await answer.then(
				() => "answered",
				(error: { code: string }) => error.code,
			),
		};
		writeFileSync(process.env.REPORT_FILE ?? "", JSON.stringify(report));
	});
}
