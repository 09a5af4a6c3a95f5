/**
 * The one configuration file, `<agentDir>/cross-session.json`: read once a session, checked whole.
 *
 * A file that is wrong anywhere is ignored everywhere: half of somebody's settings is nobody's settings. Limits can only
 * be lowered.
 */
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { DEFAULT_REQUESTS, MAX_REQUESTS } from "../contract/limits.ts";
import { PEER_CONTEXT_LIMITS } from "../contract/peer-context.ts";
import { printableLine } from "../projection/printable.ts";
import { MAX_CANDIDATES, MAX_REFERENCE_BYTES, MAX_REFERENCES } from "../references/index.ts";

export const CONFIG_FILE_NAME = "cross-session.json";

/** A full configuration is less than 1 KiB. */
const MAX_CONFIG_BYTES = 64 * 1024;

/** A text cut to less than this says nothing any more. */
const LEAST_BYTES = 256;

/** The same of a snapshot, which has its own frame. */
const LEAST_REFERENCE_BYTES = 1024;

const lowered = (upper: number, least: number) => z.number().int().min(least).max(upper).optional();
const requests = z.number().int().min(1).max(MAX_REQUESTS).default(DEFAULT_REQUESTS);

/** Bounds of one peer context; the fixed ones where not given. */
const limitsSchema = z.strictObject({
	messages: lowered(PEER_CONTEXT_LIMITS.messages, 1),
	messageBytes: lowered(PEER_CONTEXT_LIMITS.messageBytes, LEAST_BYTES),
	totalBytes: lowered(PEER_CONTEXT_LIMITS.totalBytes, LEAST_BYTES),
	overviewMessages: lowered(PEER_CONTEXT_LIMITS.overviewMessages, 1),
	overviewMessageBytes: lowered(PEER_CONTEXT_LIMITS.overviewMessageBytes, LEAST_BYTES),
	tools: lowered(PEER_CONTEXT_LIMITS.tools, 0),
});

/** Session references in prompts. */
const referencesSchema = z.strictObject({
	maxReferences: lowered(MAX_REFERENCES, 1),
	candidateLimit: lowered(MAX_CANDIDATES, 1),
	maxReferenceBytes: lowered(MAX_REFERENCE_BYTES, LEAST_REFERENCE_BYTES),
});

/** Which tools a turn that no person started may use. */
const gateSchema = z.strictObject({
	extraTools: z.array(z.string().min(1).max(128)).max(256).optional(),
	extensionTurns: z.enum(["gated", "trusted"]).optional(),
});

const configSchema = z.strictObject({
	/** Event-bus RPC for other extensions. */
	rpc: z.boolean().default(false),
	/** The model's tool `get_peer_context`. */
	tool: z.boolean().default(false),
	/** What happens with messages that arrive. */
	inbound: z.enum(["accept", "show", "refuse"]).default("accept"),
	/** Peer-context requests that one incarnation answers by RPC. */
	contextRequests: requests,
	/** Send and status requests that one incarnation answers by RPC. */
	sendRequests: requests,
	limits: limitsSchema.prefault({}),
	references: referencesSchema.prefault({}),
	gate: gateSchema.prefault({}),
});

/** Names of the settings there are, at the top and in each section. */
const settingNames: Readonly<Record<string, readonly string[]>> = {
	"": Object.keys(configSchema.shape),
	limits: Object.keys(limitsSchema.shape),
	references: Object.keys(referencesSchema.shape),
	gate: Object.keys(gateSchema.shape),
};

export type CrossSessionConfig = z.output<typeof configSchema>;

export interface ReadConfig {
	readonly config: CrossSessionConfig;
	/** One line for the person: what is wrong with the file, which is ignored then; null when nothing is. */
	readonly problem: string | null;
}

/** Reads and checks the file. Never throws: without a usable file everything is at its default. */
export function readConfig(agentDirectory: string): ReadConfig {
	const file = path.join(agentDirectory, CONFIG_FILE_NAME);
	const defaults = configSchema.parse({});
	let text: string;
	try {
		const stat = statSync(file);
		// Reading a pipe would wait for whoever writes to it.
		if (!stat.isFile()) return { config: defaults, problem: problemText("it is not a regular file") };
		if (stat.size > MAX_CONFIG_BYTES) return { config: defaults, problem: problemText("it is too large") };
		text = readFileSync(file, "utf8");
	} catch (error) {
		const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
		return { config: defaults, problem: isMissing ? null : problemText("it cannot be read") };
	}
	try {
		const parsed = configSchema.safeParse(JSON.parse(text));
		if (parsed.success) return { config: parsed.data, problem: null };
		return { config: defaults, problem: problemText(describe(parsed.error)) };
	} catch {
		return { config: defaults, problem: problemText("it is not valid JSON") };
	}
}

function problemText(reason: string): string {
	return `${CONFIG_FILE_NAME} is ignored, defaults are used: ${reason}. Correct it and /reload.`;
}

/** The first wrong key and what was expected there. */
function describe(error: z.ZodError): string {
	const issue = error.issues[0];
	if (!issue) return "it does not fit";
	const section = issue.path.join(".");
	if (issue.code === "unrecognized_keys") {
		const key = [...issue.path, issue.keys[0]].join(".");
		return printableLine(`${key}: unknown, expected one of ${settingNames[section]?.join(", ")}`, 240);
	}
	return printableLine(`${section === "" ? "the file" : section}: ${issue.message}`, 240);
}
