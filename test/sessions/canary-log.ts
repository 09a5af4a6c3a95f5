/**
 * A log in which every place that nobody may see carries a marker of its own, and the few that may be seen carry none.
 */
import { assistantMessage, imageBlock, type JsonObject, textBlock, userMessage } from "../support/logs/pi-entries.ts";
import { SessionLog } from "./session-log.ts";

/** Begins every marker, and stands nowhere else. */
export const CANARY = "CANARY";

/** Gives out markers, each with the name of its place. */
export class Canaries {
	readonly given: string[] = [];
	readonly #padding: string;

	/** @param padding what stands behind each marker: long lines are read in other ways than short ones */
	constructor(padding: number) {
		this.#padding = "x".repeat(padding);
	}

	in(place: string): string {
		return `${this.unpadded(place)} ${this.#padding}`;
	}

	/** For places where a long string would make the line another one. */
	unpadded(place: string): string {
		const marker = `${CANARY}-${this.given.length}-${place}`;
		this.given.push(marker);
		return marker;
	}

	/** Under keys that look as if they belonged to a message. */
	payload(place: string): JsonObject {
		return {
			text: this.in(`${place}/text`),
			content: [textBlock(this.unpadded(`${place}/content`))],
			message: { role: "user", content: this.unpadded(`${place}/message`) },
			summary: this.unpadded(`${place}/summary`),
			name: this.unpadded(`${place}/name`),
			role: "user",
			type: "text",
		};
	}
}

/** What may be seen of the log, in order. */
export const SHOWN = ["in short", "a question", "a typed one", "/skill:review now", "replaced", "an answer", "the end"];
export const SHOWN_TITLE = "The title";
export const SHOWN_TOOLS = ["bash", "read"];

export function canaryLog(canaries: Canaries): SessionLog {
	const log = new SessionLog({
		header: { parentSession: canaries.unpadded("header/parentSession"), extra: canaries.unpadded("header/extra") },
	});
	writeBeforeCompaction(log, canaries);
	const question = log.message({
		...userMessage([textBlock("a question"), imageBlock(canaries.in("user/image"))], 1),
		...{ extra: canaries.payload("user/extra") },
	});
	log.message(userMessage([{ type: "text", text: "a typed one", textSignature: canaries.in("user/signature") }], 1));
	const skill = `<skill name="review" location="/${canaries.unpadded("skill/location")}">\n${canaries.in("skill/body")}\n</skill>`;
	log.user(`${skill}\n\nnow`);
	const replaced = log.user(canaries.in("replaced/user"));
	const omitted = log.user(canaries.in("omitted/user"));
	writeUnseenEntries(log, canaries);
	writeWithheld(log, canaries);
	writeAnswers(log, canaries);
	log.compaction("in short", question, {
		details: canaries.payload("compaction/details"),
		systemMessage: { role: "system", content: canaries.in("compaction/systemMessage") },
	});
	log.entry("context_edit", {
		targetId: replaced,
		replacement: {
			content: [textBlock("replaced"), imageBlock(canaries.in("edit/image"))],
			extra: canaries.in("edit/extra"),
		},
		reason: canaries.in("edit/reason"),
	});
	log.edit(omitted, null);
	log.entry("session_info", { name: SHOWN_TITLE, extra: canaries.payload("session_info/extra") });
	const fork = log.assistant("the end");
	log.user(canaries.in("abandoned/user"));
	log.assistant(canaries.in("abandoned/assistant"), { calls: [["a", canaries.in("abandoned/tool")]] });
	log.continueFrom(fork);
	log.custom("anything", canaries.payload("leaf/custom"));
	return log;
}

function writeBeforeCompaction(log: SessionLog, canaries: Canaries): void {
	log.name(canaries.in("session_info/older name"));
	const first = log.user(canaries.in("compacted/user"));
	log.assistant(canaries.in("compacted/assistant"));
	log.compaction(canaries.in("compaction/older summary"), first);
}

function writeUnseenEntries(log: SessionLog, canaries: Canaries): void {
	for (const role of [
		"system",
		"custom",
		"hookMessage",
		"bashExecution",
		"branchSummary",
		"compactionSummary",
		"unheard-of",
	]) {
		log.message({
			role,
			content: canaries.in(`${role}/content`),
			command: canaries.in(`${role}/command`),
			output: canaries.in(`${role}/output`),
			summary: canaries.in(`${role}/summary`),
			sections: { rules: canaries.in(`${role}/sections`) },
			toolsAdded: [canaries.payload(`${role}/toolsAdded`)],
			details: canaries.payload(`${role}/details`),
		});
	}
	for (const type of [
		"custom",
		"custom_message",
		"branch_summary",
		"label",
		"model_change",
		"thinking_level_change",
		"usage",
		"unheard_of",
	]) {
		log.entry(type, {
			customType: canaries.in(`${type}/customType`),
			label: canaries.in(`${type}/label`),
			modelId: canaries.in(`${type}/modelId`),
			thinkingLevel: canaries.in(`${type}/thinkingLevel`),
			note: canaries.in(`${type}/note`),
			details: canaries.payload(`${type}/details`),
			data: canaries.payload(`${type}/data`),
			...canaries.payload(type),
			type,
		});
	}
}

function writeWithheld(log: SessionLog, canaries: Canaries): void {
	for (const source of ["extension", "unclear"]) {
		const entry = log.user(canaries.in(`withheld/${source}`));
		log.custom("cross-session", { v: 1, kind: "input", source, entry, extra: canaries.payload(`mark/${source}`) });
	}
}

function writeAnswers(log: SessionLog, canaries: Canaries): void {
	for (const stopReason of ["error", "aborted", "pending", "deferred", "unheard of"]) {
		const text = textBlock(canaries.in(`assistant/${stopReason}`));
		const failed = assistantMessage({ content: [text], stopReason, timestamp: 1 });
		log.message({ ...failed, errorMessage: canaries.in(`assistant/${stopReason}/errorMessage`) });
	}
	const call = (id: string, name: string) => ({
		type: "toolCall",
		id: canaries.unpadded(`call/${id}`),
		name,
		arguments: { command: canaries.in(`call/${id}/arguments`), nested: [canaries.payload(`call/${id}/nested`)] },
		thoughtSignature: canaries.in(`call/${id}/thoughtSignature`),
	});
	const calls = SHOWN_TOOLS.map((name) => call(name, name));
	const content = [
		{ type: "thinking", thinking: canaries.in("thinking"), thinkingSignature: canaries.in("thinking/signature") },
		{ type: "redacted_thinking", data: canaries.in("thinking/redacted"), text: canaries.in("thinking/text") },
		textBlock("an answer"),
		...calls,
		{ type: "unheard-of", text: canaries.in("block/text"), content: canaries.in("block/content") },
	];
	log.message({
		...assistantMessage({
			content,
			stopReason: "toolUse",
			timestamp: 1,
			responseId: canaries.in("assistant/responseId"),
		}),
		diagnostics: [canaries.payload("assistant/diagnostics")],
		model: canaries.in("assistant/model"),
		usage: { note: canaries.in("assistant/usage") },
	});
	for (const [index, { id, name }] of calls.entries()) {
		log.message({
			role: "toolResult",
			toolCallId: id,
			toolName: name,
			content: [textBlock(canaries.in(`result/${index}/text`)), imageBlock(canaries.in(`result/${index}/image`))],
			details: canaries.payload(`result/${index}/details`),
			isError: index > 0,
			timestamp: 1,
		});
	}
}
