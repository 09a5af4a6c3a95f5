/** The tables of README.md: settings, limits, and what goes wrong, each figure and each word as the code has it. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { MAX_REPLIES } from "../../lib/authority/tool-gate.ts";
import { BRIDGE_LIMITS } from "../../lib/contract/bridge.ts";
import { MAX_GIVEN_SUMMARY_UNITS, PEER_CONTEXT_LIMITS, PEER_CONTEXT_MAX_BYTES } from "../../lib/contract/index.ts";
import { ANSWER_DEADLINE_MS, DEFAULT_REQUESTS, MAX_REQUESTS } from "../../lib/contract/limits.ts";
import { MAX_REQUEST_TIMEOUT_MS } from "../../lib/contract/request-rpc.ts";
import { FUTURE_TOLERANCE, MESSAGE_LIFETIME, REPETITION_WINDOW } from "../../lib/inbox/admission.ts";
import { BUDGET_UNITS, LOW_BUDGET_UNITS } from "../../lib/inbox/budget.ts";
import { QUEUE_CAPACITY, QUEUE_LIFETIME_MS } from "../../lib/inbox/safe-queue.ts";
import { BUCKET_REFILL_PER_SECOND, BUCKET_TOKENS } from "../../lib/inbox/sender-buckets.ts";
import { REGISTRATION_LIMITS } from "../../lib/peers/registration.ts";
import { CONFIG_FILE_NAME, readConfig } from "../../lib/pi/config.ts";
import { MAX_HELD } from "../../lib/pi/references/held-queue.ts";
import {
	DEFAULT_CANDIDATES,
	MAX_CANDIDATES,
	MAX_REFERENCE_BYTES,
	MAX_REFERENCES,
} from "../../lib/references/config.ts";
import { MAX_ENTRIES } from "../../lib/sessions/log/log-index.ts";
import { MAX_RECENT_SESSIONS } from "../../lib/sessions/recent-sessions.ts";
import { WIRE_LIMITS } from "../../lib/wire/limits.ts";
import { temporaryDirectory } from "../support/pi/workspaces.ts";
import { ownCommands, sources, tableUnder } from "./text-facts.ts";

const number = (value: number) => value.toLocaleString("en");
const kib = (bytes: number) => `${bytes / 1024} KiB`;
const seconds = (milliseconds: number) => `${milliseconds / 1000}`;

const settings = tableUnder("README.md", "Flags, commands, configuration");

test("has every command and every flag in its one table", () => {
	const named = settings.map(([name = ""]) => name).join(" ");
	for (const name of ownCommands()) expect(named).toContain(`\`/${name}`);
	for (const [, flag] of sources.matchAll(/_FLAG = "(cross-session-[a-z]+)"/g)) expect(named).toContain(`\`--${flag}`);
});

test("has every key of the configuration there, and no other", () => {
	const named = settings.flatMap(([name = ""]) => [...name.matchAll(/(?<!\/|--|`\w+ )`([a-zA-Z.]+)`/g)]);
	expect(named.map(([, key]) => key).sort()).toEqual(configurationKeys());
});

test("has their defaults and bounds from the code", () => {
	const requests = `${DEFAULT_REQUESTS}, up to ${number(MAX_REQUESTS)}`;
	const expected: Record<string, string> = {
		...Object.fromEntries(Object.entries(PEER_CONTEXT_LIMITS).map(([key, value]) => [`limits.${key}`, number(value)])),
		"references.maxReferences": number(MAX_REFERENCES),
		"references.maxReferenceBytes": number(MAX_REFERENCE_BYTES),
		"references.candidateLimit": `${DEFAULT_CANDIDATES}, up to ${number(MAX_CANDIDATES)}`,
		contextRequests: requests,
		sendRequests: requests,
	};
	const figures = settings.flatMap(([name = "", , bound = ""]) => {
		const key = name.replaceAll("`", "");
		return key in expected ? [[key, bound]] : [];
	});
	expect(Object.fromEntries(figures)).toEqual(expected);
	const { config } = readConfig(temporaryDirectory("agent"));
	expect(config).toMatchObject({ rpc: false, tool: false, inbound: "accept", gate: {} });
});

test("has the limits of the code in its one table of limits", () => {
	const context = PEER_CONTEXT_LIMITS;
	const { connectionMilliseconds, idleMilliseconds } = WIRE_LIMITS;
	expect(tableUnder("README.md", "Limits").map(([, limit]) => limit)).toEqual([
		kib(PEER_CONTEXT_MAX_BYTES),
		`${context.messages}; of an overview ${context.overviewMessages}`,
		`${number(context.messageBytes)}; in an overview ${number(context.overviewMessageBytes)}`,
		number(context.totalBytes),
		number(context.tools),
		number(MAX_ENTRIES),
		`${MAX_REFERENCES}, each ${number(MAX_REFERENCE_BYTES)} bytes`,
		number(MAX_HELD),
		`${number(MAX_RECENT_SESSIONS)}; in the picker ${number(MAX_CANDIDATES)}`,
		`${REGISTRATION_LIMITS.files}, each ${kib(REGISTRATION_LIMITS.fileBytes)}`,
		`${seconds(REGISTRATION_LIMITS.staleMilliseconds)} seconds; it is refreshed every ${seconds(REGISTRATION_LIMITS.refreshMilliseconds)}`,
		`${number(WIRE_LIMITS.textUnits)} UTF-16 units; a whole frame ${WIRE_LIMITS.frameBytes / 2 ** 20} MiB`,
		`${MAX_GIVEN_SUMMARY_UNITS} units when given; ${WIRE_LIMITS.summaryCodePoints} code points on the way`,
		`${BUDGET_UNITS}; the person is told at ${LOW_BUDGET_UNITS}`,
		`${BUCKET_TOKENS} at a time, and one more every ${1 / BUCKET_REFILL_PER_SECOND} seconds`,
		`once in ${seconds(REPETITION_WINDOW)} seconds`,
		`${seconds(MESSAGE_LIFETIME)} seconds; ${seconds(FUTURE_TOLERANCE)} in the future`,
		`${QUEUE_CAPACITY}, each ${seconds(QUEUE_LIFETIME_MS)} seconds`,
		`${MAX_REPLIES}, to its sender only`,
		`${seconds(WIRE_LIMITS.exchangeMilliseconds)} seconds`,
		`${WIRE_LIMITS.probeMilliseconds} ms`,
		`${WIRE_LIMITS.connections}; ${seconds(connectionMilliseconds)} seconds each, ${seconds(idleMilliseconds)} seconds idle after the greeting`,
		`${DEFAULT_REQUESTS}; configurable up to ${number(MAX_REQUESTS)}`,
		`${seconds(ANSWER_DEADLINE_MS)} seconds; a caller waits ${seconds(MAX_REQUEST_TIMEOUT_MS)} at most`,
		`${BRIDGE_LIMITS.hops} hops, ${seconds(BRIDGE_LIMITS.lifetime)} seconds, a budget of ${BRIDGE_LIMITS.budget}`,
	]);
});

test("quotes what the package really says, where something goes wrong", () => {
	const seen = tableUnder("README.md", "When something goes wrong").map(([symptom = ""]) => symptom);
	const quoted = seen.flatMap((symptom) => [...symptom.matchAll(/`([^`]+)`/g)].map(([, words = ""]) => words));
	const shown = sources.replaceAll(/\$\{CONFIG_FILE_NAME\}/g, CONFIG_FILE_NAME);
	expect(quoted.filter((words) => !shown.includes(words) && !ownCommands().includes(words.slice(1)))).toEqual([]);
	expect(seen.length).toBeGreaterThan(10);
});

/** Every key of the configuration file, as the report on an unknown one names them. */
function configurationKeys(): readonly string[] {
	const directory = temporaryDirectory("agent");
	const known = (config: unknown): readonly string[] => {
		writeFileSync(path.join(directory, CONFIG_FILE_NAME), JSON.stringify(config));
		const [, names = ""] = /expected one of ([\w, ]+)/.exec(readConfig(directory).problem ?? "") ?? [];
		return names.split(", ");
	};
	const keysOf = (name: string): readonly string[] => {
		writeFileSync(path.join(directory, CONFIG_FILE_NAME), JSON.stringify({ [name]: { unknown: 1 } }));
		const isSection = (readConfig(directory).problem ?? "").includes(`${name}.unknown`);
		return isSection ? known({ [name]: { unknown: 1 } }).map((key) => `${name}.${key}`) : [name];
	};
	return known({ unknown: 1 }).flatMap(keysOf).sort();
}
