/** A subagent's session takes no part, says so beside its log, and nobody looks at it. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { MANAGED_IDENTITY_TOPIC } from "../../lib/peers/managed-identity.ts";
import { lookAt } from "../support/pi/ask.ts";
import { CountingBus, rpcListeners } from "../support/pi/counting-bus.ts";
import { type InProcessOptions, InProcessPi } from "../support/pi/in-process-pi.ts";
import { extensionArguments, piCommand, scriptEnvironment } from "../support/pi/pi-process.ts";
import type { Report } from "../support/pi/report-extension.ts";
import { SCRIPTED } from "../support/pi/scripted-model.ts";
import { ownedByTest, temporaryDirectory, useOwnAgentDirectory } from "../support/pi/workspaces.ts";

const TOOL = "get_peer_context";
const flags = ["cross-session-rpc", "cross-session-tool"];
const script = [{ text: "Done." }];

const start = async (options: Partial<InProcessOptions> = {}) =>
	ownedByTest(await InProcessPi.start({ cwd: temporaryDirectory("workspace"), flags, script, ...options }));

function recordFile(agentDirectory: string, sessionId: string): string {
	const name = createHash("sha256").update(sessionId).digest("hex");
	return path.join(agentDirectory, "cross-session", "sessions", `${name}.json`);
}

function expectRecorded(agentDirectory: string, sessionId: string): void {
	const file = recordFile(agentDirectory, sessionId);
	expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ version: 1, origin: "subagent" });
	expect([statSync(file).mode & 0o777, statSync(path.dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
}

function setSubagentVariable(value: string): void {
	process.env.PI_SUBAGENT_CHILD = value;
	onTestFinished(() => {
		delete process.env.PI_SUBAGENT_CHILD;
	});
}

/** A bus on which somebody answers the question who manages this session. */
function managedBus(answer: (reply: (identity: unknown) => void) => void): CountingBus {
	// pi's bus prints what a listener throws.
	const printing = vi.spyOn(console, "error").mockImplementation(() => {});
	onTestFinished(() => printing.mockRestore());
	const bus = new CountingBus();
	bus.on(MANAGED_IDENTITY_TOPIC, (question) => answer((question as { reply: (identity: unknown) => void }).reply));
	return bus;
}

const topicsOf = ({ bus }: InProcessPi) =>
	Object.keys(bus.listeners()).filter((topic) => topic !== MANAGED_IDENTITY_TOPIC);

describe("a child by its environment", () => {
	test("has no topic and no tool, and is recorded for its owner alone", async () => {
		const agentDirectory = useOwnAgentDirectory();
		setSubagentVariable("1");
		const pi = await start();
		expect([topicsOf(pi), pi.hasTool(TOOL), pi.told]).toEqual([[], false, []]);
		expectRecorded(agentDirectory, pi.sessionId);
	});

	test("is refused as a target, live and when it has ended, while its neighbour is not", async () => {
		useOwnAgentDirectory();
		const cwd = temporaryDirectory("workspace");
		setSubagentVariable("1");
		const child = await start({ cwd });
		await child.session.prompt("Work for somebody.");
		delete process.env.PI_SUBAGENT_CHILD;
		const neighbour = await start({ cwd });
		await neighbour.session.prompt("Work for me.");
		const { bus } = await start({ cwd });
		expect(await lookAt(bus, neighbour.sessionId)).toMatchObject({ ok: true });
		expect(await lookAt(bus, child.sessionId)).toMatchObject({ ok: false, code: "unauthorized" });
		const { sessionId } = child;
		await child.dispose();
		expect(await lookAt(bus, sessionId)).toMatchObject({ ok: false, code: "unauthorized" });
	});
});

describe("a child by what a manager on the bus answers", () => {
	const managed = Object.freeze({ version: 1, managed: true });
	const claims: [name: string, answer: (reply: (identity: unknown) => void) => void][] = [
		["at once, frozen, in so many words", (reply) => reply(managed)],
		["and says more", (reply) => reply(Object.freeze({ ...managed, manager: "mesh" }))],
		[
			"after others that say nothing",
			(reply) => [null, "managed", managed].forEach((identity) => void reply(identity)),
		],
		[
			"and then fails",
			(reply) => {
				reply(managed);
				throw new Error("after the answer");
			},
		],
	];
	const noClaims: typeof claims = [
		["nothing", () => {}],
		["something that can still change", (reply) => reply({ ...managed })],
		["another version", (reply) => reply(Object.freeze({ version: 2, managed: true }))],
		["that it does not manage it", (reply) => reply(Object.freeze({ version: 1, managed: false }))],
		["a word instead of a fact", (reply) => reply(Object.freeze({ version: 1, managed: "true" }))],
		["no object", (reply) => reply("managed")],
		["a moment too late", (reply) => queueMicrotask(() => reply(managed))],
		[
			"something that can't be read",
			(reply) =>
				reply(
					Object.freeze({
						version: 1,
						get managed(): boolean {
							throw new Error("no answer");
						},
					}),
				),
		],
		[
			"an error",
			() => {
				throw new Error("no answer");
			},
		],
	];

	test.each(claims)("%s", async (_name, answer) => {
		const agentDirectory = useOwnAgentDirectory();
		const pi = await start({ bus: managedBus(answer) });
		expect([topicsOf(pi), pi.hasTool(TOOL), pi.told]).toEqual([[], false, []]);
		expectRecorded(agentDirectory, pi.sessionId);
	});

	test.each(noClaims)("but not by %s", async (_name, answer) => {
		const agentDirectory = useOwnAgentDirectory();
		const pi = await start({ bus: managedBus(answer) });
		expect([topicsOf(pi), pi.hasTool(TOOL)]).toEqual([Object.keys(rpcListeners()).sort(), true]);
		expect(existsSync(recordFile(agentDirectory, pi.sessionId))).toBe(false);
	});

	test("and other sessions of the process are not affected", async () => {
		useOwnAgentDirectory();
		await start({ bus: managedBus((reply) => reply(managed)) });
		const other = await start();
		expect([topicsOf(other), other.hasTool(TOOL)]).toEqual([Object.keys(rpcListeners()).sort(), true]);
	});
});

describe("a run that is neither stored nor seen by a person", () => {
	/** Runs pi once, without a terminal. */
	async function run(mode: readonly string[]): Promise<{ agentDirectory: string; report: Report; stdout: string }> {
		const agentDirectory = useOwnAgentDirectory();
		const file = path.join(temporaryDirectory("report"), "report.json");
		const report = path.join(import.meta.dirname, "../support/pi/report-extension.ts");
		const model = ["--provider", SCRIPTED, "--model", SCRIPTED, "--cross-session-rpc", "--cross-session-tool"];
		const running = promisify(execFile)(
			process.execPath,
			[piCommand(), ...extensionArguments([report]), ...model, ...mode, "-p", "Do it."],
			{
				cwd: temporaryDirectory("workspace"),
				env: { ...process.env, ...scriptEnvironment(script), REPORT_FILE: file },
			},
		);
		running.child.stdin?.end();
		const { stdout } = await running;
		return { agentDirectory, report: JSON.parse(readFileSync(file, "utf8")), stdout };
	}

	test("in print mode has no topic and no tool, and is recorded", async () => {
		const { agentDirectory, report, stdout } = await run(["--no-session"]);
		expect(stdout).toBe("Done.\n");
		expect(report.info).toBe("receipt_unknown");
		expect(report.tools).not.toContain(TOOL);
		expectRecorded(agentDirectory, report.sessionId);
	});

	test("in JSON mode likewise, and its output stays JSON", async () => {
		const { agentDirectory, report, stdout } = await run(["--mode", "json", "--no-session"]);
		for (const line of stdout.trim().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
		expect(report.info).toBe("receipt_unknown");
		expect(report.tools).not.toContain(TOOL);
		expectRecorded(agentDirectory, report.sessionId);
	});

	test("is not what a stored run in print mode is", async () => {
		const { agentDirectory, report } = await run([]);
		expect(report.info).toBe("answered");
		expect(report.tools).toContain(TOOL);
		expect(existsSync(recordFile(agentDirectory, report.sessionId))).toBe(false);
	});
});
