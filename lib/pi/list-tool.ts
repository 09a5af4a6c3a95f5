/**
 * The model's list of other sessions: the tool `list_pi`.
 */
import { defineTool } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { PeerContextError } from "../contract/errors.ts";
import { ANSWER_DEADLINE_MS } from "../contract/limits.ts";
import { tagSafeJson } from "../projection/serialization.ts";
import { untilAborted } from "../sessions/abort.ts";
import { errorLines, ScreenLines } from "./foreign-text.ts";
import type { HostParts } from "./incarnation.ts";
import { listingLines, listPeers, peerListingSchema } from "./peer-listing.ts";
import { toToolError } from "./tool-error.ts";

const LIST_TOOL = "list_pi";

const DESCRIPTION = [
	"List the pi sessions that run on this machine now: name, ids, directory, git branch, whether each is busy (status),",
	"takes messages (inbound), and works in your directory and so may be looked at (readable).",
	"Names and directories are what the sessions say of themselves.",
].join(" ");

const parameters = Type.Object({
	include: Type.Optional(
		Type.String({ description: "recent: also the newest 20 sessions of your directory that do not run now." }),
	),
});

const wrongInclude = Object.freeze({
	code: "invalid_request",
	message: "There is nothing else to include but recent.",
	next: "Call it again with include: recent, or without include for the live sessions alone.",
});

/** The tool over an incarnation's parts. The content of its result is one JSON value. */
export function createListTool(parts: Pick<HostParts, "presence" | "sessions" | "caller">) {
	return defineTool({
		name: LIST_TOOL,
		label: "List pi sessions",
		description: DESCRIPTION,
		promptSnippet: "List other pi sessions on this machine",
		parameters,
		annotations: { readOnlyHint: true, openWorldHint: false },
		async execute(_toolCallId, { include }, signal) {
			if (include !== undefined && include !== "recent" && include !== "") throw toToolError(wrongInclude);
			const deadline = AbortSignal.timeout(ANSWER_DEADLINE_MS);
			const ended = signal ? AbortSignal.any([signal, deadline]) : deadline;
			try {
				const listing = await untilAborted(listPeers(parts, { recent: include === "recent" }, ended), ended);
				return { content: [{ type: "text", text: tagSafeJson(listing) }], details: listing };
			} catch {
				throw toToolError(new PeerContextError(signal?.aborted ? "cancelled" : "unavailable"));
			}
		},
		renderCall(_args, theme) {
			return new ScreenLines([
				{ fit: "cut", parts: [{ text: "list pi sessions", style: (text) => theme.bold(text) }] },
			]);
		},
		renderResult(result, { expanded }, theme) {
			const listing = peerListingSchema.safeParse(result.details);
			if (!listing.success) return errorLines(result.content, theme);
			const { peers, recent } = listing.data;
			const counts = [`${peers.length} live`, ...(recent ? [`${recent.length} earlier`] : [])];
			const style = (text: string) => theme.fg("muted", text);
			if (!expanded) return new ScreenLines([{ fit: "cut", parts: [{ text: counts.join(" · "), style }] }]);
			const lines = listingLines(listing.data, Date.now());
			return new ScreenLines(lines.map((text) => ({ fit: "cut", parts: [{ text }] })));
		},
	});
}
