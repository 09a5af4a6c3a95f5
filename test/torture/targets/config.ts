/**
 * The configuration file: whatever stands in it, there is a whole configuration within its bounds, and one reason.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { CONFIG_FILE_NAME, type CrossSessionConfig, readConfig } from "../../../lib/pi/config.ts";
import { resolveSessionReferenceConfig, SessionReferenceError } from "../../../lib/references/index.ts";
import { type FuzzTarget, type OpenTarget, samplesOf } from "../fuzz/target.ts";

const full = {
	rpc: true,
	tool: true,
	inbound: "show",
	contextRequests: 300,
	sendRequests: 4096,
	limits: {
		messages: 8,
		messageBytes: 4096,
		totalBytes: 16_384,
		overviewMessages: 3,
		overviewMessageBytes: 1024,
		tools: 8,
	},
	references: { maxReferences: 3, candidateLimit: 50, maxReferenceBytes: 65_536 },
	gate: { extraTools: ["deploy", "launch"], extensionTurns: "trusted" },
} as const;

/** Least and most of each number. */
const NUMBERS: readonly (readonly [
	read: (config: CrossSessionConfig) => number | undefined,
	least: number,
	most: number,
])[] = [
	[(config) => config.contextRequests, 1, 4096],
	[(config) => config.sendRequests, 1, 4096],
	[({ limits }) => limits.messages, 1, 8],
	[({ limits }) => limits.messageBytes, 256, 4096],
	[({ limits }) => limits.totalBytes, 256, 16_384],
	[({ limits }) => limits.overviewMessages, 1, 3],
	[({ limits }) => limits.overviewMessageBytes, 256, 1024],
	[({ limits }) => limits.tools, 0, 8],
	[({ references }) => references.maxReferences, 1, 3],
	[({ references }) => references.candidateLimit, 1, 1000],
	[({ references }) => references.maxReferenceBytes, 1024, 65_536],
];

export const configTarget: FuzzTarget = {
	name: "config",
	samples: samplesOf(
		full,
		{},
		{ rpc: true },
		{ limits: { tools: 0 } },
		JSON.stringify(full, null, 2),
		"",
		"null",
		"[]",
	),
	tokens: [
		'"rpc":true',
		'"inbound":"accept"',
		'"limits":{',
		'"gate":{"extraTools":[',
		'"references":{',
		"true",
		"null",
	],
	bounds: [1, 3, 8, 128, 256, 1024, 4096, 16_384, 65_536],
	maxBytes: 70 * 1024,
	open: openConfig,
};

function openConfig(): OpenTarget {
	const directory = mkdtempSync(path.join(tmpdir(), "fuzz-config-"));
	const file = path.join(directory, CONFIG_FILE_NAME);
	const read = (text: string | Buffer) => {
		writeFileSync(file, text);
		return readConfig(directory);
	};
	const { config: defaults } = read("{}");
	return {
		check(bytes) {
			const { config, problem } = read(bytes);
			checkBounds(config);
			checkReferences(bytes.toString());
			if (problem === null) {
				// As JSON: it has no minus zero.
				const again = JSON.stringify({ config, problem });
				assert.equal(JSON.stringify(read(JSON.stringify(config))), again);
				return;
			}
			assert.deepEqual(config, defaults, "a wrong file changes a setting");
			assert.doesNotMatch(problem, /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\ud800-\udfff]/u);
			assert.ok(problem.length < 600 && problem.startsWith(CONFIG_FILE_NAME));
		},
		close: () => rmSync(directory, { recursive: true, force: true }),
	};
}

function checkBounds(config: CrossSessionConfig): void {
	assert.deepEqual(Object.keys(config).sort(), Object.keys(full).sort());
	assert.ok(typeof config.rpc === "boolean" && typeof config.tool === "boolean");
	assert.ok(["accept", "show", "refuse"].includes(config.inbound));
	for (const [numberOf, least, most] of NUMBERS) {
		const number = numberOf(config) ?? least;
		assert.ok(Number.isInteger(number) && number >= least && number <= most);
	}
	const { extraTools = [], extensionTurns = "gated" } = config.gate;
	assert.ok(["gated", "trusted"].includes(extensionTurns));
	assert.ok(extraTools.length <= 256 && extraTools.every((name) => name.length >= 1 && name.length <= 128));
}

/** The other door to the same section, for hosts without this file. */
function checkReferences(text: string): void {
	try {
		const { references } = JSON.parse(text) ?? {};
		const limits = resolveSessionReferenceConfig(references);
		assert.ok(limits.maxReferences >= 1 && limits.maxReferences <= 3);
		assert.ok(limits.candidateLimit >= 1 && limits.candidateLimit <= 1000);
		assert.ok(limits.maxReferenceBytes >= 1 && limits.maxReferenceBytes <= 65_536);
	} catch (error) {
		if (error instanceof SyntaxError) return;
		assert.ok(error instanceof SessionReferenceError, `Thrown: ${String(error)}`);
		assert.equal(error.code, "SESSION_REFERENCE_INVALID_CONFIG");
	}
}
