/** Prompts that cite sessions where nobody sits at a terminal: print mode, JSON mode, a client of pi's RPC. */
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { VERSION } from "@earendil-works/pi-coding-agent";
import { describe, expect, test } from "vitest";
import { extensionArguments, PiProcess, piCommand, scriptEnvironment } from "../../support/pi/pi-process.ts";
import { SCRIPTED, type ScriptedReply } from "../../support/pi/scripted-model.ts";
import { type StoredSession, storeSession } from "../../support/pi/stored-session.ts";
import { temporaryDirectory, useOwnAgentDirectory } from "../../support/pi/workspaces.ts";
import { citing } from "./citing-person.ts";

interface Setting {
	readonly agentDirectory: string;
	readonly cwd: string;
	readonly other: StoredSession;
}

function setting(): Setting {
	const agentDirectory = useOwnAgentDirectory();
	const cwd = temporaryDirectory("workspace");
	return { agentDirectory, cwd, other: storeSession(cwd, [["Fix the retry.", "It doubles the delay now."]]) };
}

interface Run {
	readonly code: number;
	readonly stdout: string;
	readonly stderr: string;
}

/** Runs pi once, without a terminal. */
function run(cwd: string, script: readonly ScriptedReply[], ...given: string[]): Promise<Run> {
	const { promise, resolve } = Promise.withResolvers<Run>();
	const running = execFile(
		process.execPath,
		[piCommand(), ...extensionArguments(), "--provider", SCRIPTED, "--model", SCRIPTED, ...given],
		{ cwd, env: { ...process.env, ...scriptEnvironment(script) } },
		(error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
	);
	running.stdin?.end();
	return promise;
}

/** What the newest session of the workspace holds besides the other one, by kind. */
function storedKinds({ other }: Setting): string[] {
	const directory = path.dirname(other.file);
	const files = readdirSync(directory).filter((name) => name !== path.basename(other.file));
	return files.flatMap((name) => {
		const lines = readFileSync(path.join(directory, name), "utf8").trim().split("\n");
		const entries = lines.map((line) => JSON.parse(line));
		return entries.flatMap(({ type, customType, message }) => {
			if (type === "custom_message") return [customType];
			return type === "message" && message.role !== "system" ? [message.role] : [];
		});
	});
}

describe("in print mode", () => {
	test("a prompt goes with its snapshot", async () => {
		const given = setting();
		const { code, stdout, stderr } = await run(given.cwd, [{ text: "Read." }], "-p", `See ${citing(given.other.id)}.`);
		expect([code, stdout, stderr]).toEqual([0, "Read.\n", ""]);
		expect(storedKinds(given)).toEqual(["session-reference", "user", "assistant"]);
	});

	test("a prompt that can't go says why on standard error and fails; the next one goes", async () => {
		const given = setting();
		const prompts = [`See ${citing("nobody", "gone")}.`, "Something else."];
		const { code, stdout, stderr } = await run(given.cwd, [{ text: "Yes." }], "-p", ...prompts);
		expect([code, stdout]).toEqual([1, "Yes.\n"]);
		expect(stderr).toMatch(/^The prompt was not sent\. @gone: The cited session cannot be read/);
		expect(storedKinds(given)).toEqual(["user", "assistant"]);
	});

	test("/reference prints the mentions of what it finds, for the next prompt's text", async () => {
		const given = setting();
		const { code, stdout, stderr } = await run(given.cwd, [], "-p", `/reference ${given.other.id.slice(0, 12)}`);
		expect([code, stdout, stderr]).toEqual([0, "", `${citing(given.other.id, given.other.id)}\n`]);
	});

	test("a session of another workspace is refused, because nobody can be asked", async () => {
		const given = setting();
		const { code, stderr } = await run(
			temporaryDirectory("elsewhere"),
			[],
			"-p",
			`See ${citing(given.other.id, "far")}.`,
		);
		expect(code).toBe(1);
		expect(stderr).toMatch(/@far: .* another workspace, .* without a screen it cannot be cited/);
	});
});

describe("in JSON mode", () => {
	test("a prompt goes with its snapshot", async () => {
		const given = setting();
		const prompt = `See ${citing(given.other.id)}.`;
		const { code, stdout, stderr } = await run(given.cwd, [{ text: "Read." }], "--mode", "json", "-p", prompt);
		expect([code, stderr]).toEqual([0, ""]);
		const messages = stdout
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line))
			.filter(({ type, message }) => type === "message_end" && message.role !== "system");
		expect(messages.map(({ message }) => message.customType ?? message.role)).toEqual([
			...["session-reference", "user", "assistant"],
		]);
	});

	test("a prompt that can't go says so on standard error, and the output stays JSON", async () => {
		const given = setting();
		const prompt = `See ${citing("nobody", "gone")}.`;
		const { code, stdout, stderr } = await run(given.cwd, [], "--mode", "json", "-p", prompt);
		expect(code).toBe(1);
		expect(stderr).toMatch(/@gone: /);
		for (const line of stdout.trim().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
		expect(stdout).not.toContain('"role":"user"');
	});
});

/** A client of pi's RPC beside a session that runs a tool until the file is there. */
async function withClient(given: Setting, script: readonly ScriptedReply[], use: (pi: PiProcess) => Promise<void>) {
	const pi = new PiProcess({ cwd: given.cwd, script });
	try {
		await pi.start();
		await use(pi);
	} finally {
		await pi.stop();
	}
}

/** A run that goes on until somebody makes the file `go`. */
const busyRun = (then: ScriptedReply[]): ScriptedReply[] => [
	{ calls: [{ name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.05; done" } }] },
	{ text: "Waited." },
	...then,
];

const sentTexts = (pi: PiProcess) =>
	pi.events
		.map((event) => JSON.parse(event))
		.filter(({ type, message }) => type === "message_end" && message.role === "user")
		.map(({ message }) => message.content.map(({ text }: { text: string }) => text).join(""));

describe("by a client of pi's RPC", () => {
	test("a prompt that has waited is expanded like any other, or given back where pi can't do that", async () => {
		const given = setting();
		mkdirSync(path.join(given.agentDirectory, "prompts"));
		writeFileSync(path.join(given.agentDirectory, "prompts", "greet.md"), "Say hello to $1.");
		await withClient(given, busyRun([{ text: "Hello." }]), async (pi) => {
			const typed = `/greet ${citing(given.other.id)}`;
			await pi.client.prompt("Wait.");
			await pi.reported((event) => event.includes('"tool_execution_start"'));
			await pi.client.prompt(typed, undefined, "steer");
			if (VERSION.startsWith("0.83.")) {
				expect(pi.events.some((event) => event.includes('"set_editor_text"') && event.includes("/greet @["))).toBe(
					true,
				);
				expect(pi.notifications.at(-1)).toMatch(/can't expand a \/ prompt that has waited/);
				return;
			}
			await pi.reported((event) => event.includes('"setStatus"') && event.includes("1 prompt waits"));
			writeFileSync(path.join(given.cwd, "go"), "");
			await pi.reported((event) => event.includes('"message_end"') && event.includes("Hello."));
			expect(sentTexts(pi)).toEqual(["Wait.", "Say hello to @the."]);
		});
	});

	test("the question about another workspace goes to the client, and waits a minute at most", async () => {
		const given = setting();
		const far = storeSession(temporaryDirectory("elsewhere"), [["Far.", "Away."]]);
		await withClient(given, [], async (pi) => {
			// Nobody answers here, so the prompt has no end.
			pi.client.prompt(citing(far.id, "far")).catch(() => {});
			await pi.reported((event) => event.includes('"confirm"') && event.includes("Cite sessions of other workspaces?"));
			const request = pi.events.find((event) => event.includes('"confirm"')) ?? "";
			expect(JSON.parse(request)).toMatchObject({ timeout: 60_000, message: expect.stringContaining("@far · /") });
		});
	});
});
