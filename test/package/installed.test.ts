/** The packed file, installed with `pi install` into a clean agent directory, and real sessions that load it from there. */
import { existsSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { INFO_TOPIC } from "../../lib/contract/index.ts";
import { PiProcess } from "../support/pi/pi-process.ts";
import type { ScriptedReply } from "../support/pi/scripted-model.ts";
import { presenceFiles, registrations, temporaryDirectory } from "../support/pi/workspaces.ts";
import { KEYS, PiTerminal } from "../support/terminal/pi-terminal.ts";
import {
	installedModules,
	installedPackages,
	installPacked,
	PACKAGE_NAME,
	packProject,
	runPi,
} from "./packed-project.ts";

/** Packing, npm and several pi processes one after the other, on a machine that may be busy; in ms. */
const PATIENCE_MS = 120_000;
/** For a condition that pi brings about, in ms. */
const SOON = { timeout: 25_000 };

/** Each test file has an agent directory of its own, in which nothing is yet. */
const agentDirectory = process.env.PI_CODING_AGENT_DIR ?? "";

const CLEAR_LINE = "\u0015";

/** By which pi's lists name the session of the test. */
const PROMPT = "Write the parser.";

const everyFlag = ["--cross-session-rpc", "--cross-session-tool", "--cross-session-inbound=show"];

beforeAll(async () => {
	expect(existsSync(path.join(agentDirectory, "npm"))).toBe(false);
	await installPacked(await packProject());
}, PATIENCE_MS);

async function startInstalled(cwd: string, flags: readonly string[] = [], script: readonly ScriptedReply[] = []) {
	const pi = new PiProcess({ cwd, script, flags, installed: true });
	onTestFinished(() => pi.stop());
	await pi.start();
	return pi;
}

/** What a command told the person. */
async function told(pi: PiProcess, command: string): Promise<string> {
	const before = pi.notifications.length;
	await pi.command(command);
	return pi.notifications.slice(before).join("\n");
}

describe("the installed package", () => {
	test("is listed by pi, with its two dependencies beside it and nothing else", async () => {
		expect(await runPi("list")).toContain(path.join(installedModules(), PACKAGE_NAME));
		expect(installedPackages()).toEqual(["mitt", PACKAGE_NAME, "zod"]);
	});

	test("has its flags in pi's help", async () => {
		const help = await runPi("--help");
		for (const flag of everyFlag) expect(help).toContain(flag.split("=")[0]);
	});

	test("answers its commands, and turns nothing on by itself", { timeout: PATIENCE_MS }, async () => {
		const pi = await startInstalled(temporaryDirectory("workspace"));
		expect(await told(pi, "/peers")).toContain("No other session is live.");
		expect(await told(pi, "/cross-session-status")).toContain("256 of 256 messages are left.");
		expect(await pi.toolNames()).toEqual(expect.arrayContaining(["list_pi", "send_pi_message", "check_pi_message"]));
		expect(await pi.toolNames()).not.toContain("get_peer_context");
		expect(await pi.ask(INFO_TOPIC)).toEqual({ error: "receipt_unknown" });
	});

	test("does what its flags say", { timeout: PATIENCE_MS }, async () => {
		const pi = await startInstalled(temporaryDirectory("workspace"), everyFlag);
		expect(await pi.ask(INFO_TOPIC)).toMatchObject({ ok: true, local: { sessionId: await pi.sessionId() } });
		expect(await pi.toolNames()).toContain("get_peer_context");
		expect(await told(pi, "/cross-session-status")).toContain("none starts a turn");
	});

	test("lets one session look at another and write to it", { timeout: PATIENCE_MS }, async () => {
		const cwd = temporaryDirectory("workspace");
		const worker = await startInstalled(cwd, ["--cross-session-inbound=show"], [{ text: "The parser is done." }]);
		await worker.prompt("Write the parser.");
		const sessionId = await worker.sessionId();
		const calls = [
			{ name: "get_peer_context", arguments: { sessionId } },
			{ name: "send_pi_message", arguments: { target: sessionId, message: "I take the printer." } },
		];
		const script = [...calls.map((call) => ({ calls: [call] })), { text: "Done." }];
		const asker = await startInstalled(cwd, ["--cross-session-tool"], script);
		expect(await told(asker, "/peers")).toContain(`session ${sessionId}`);
		await asker.prompt("Look and write.");
		const [look, sent] = asker.finishedCalls.map(({ text }) => JSON.parse(text));
		expect(look).toMatchObject({
			runtimeStatus: "idle",
			conversation: { messages: [{ text: "Write the parser." }, { text: "The parser is done." }] },
		});
		expect(sent).toMatchObject({ receipt: { code: "submitted" } });
		expect(await told(worker, "/cross-session-status")).toMatch(/submitted · \d+s ago/);
	});
});

/** The one registration that there is, once it is another than before and its old one is gone. */
async function nextIncarnation(
	before: string | undefined,
): Promise<{ readonly instanceId: string; readonly id: string }> {
	return vi.waitFor(() => {
		const [only, ...more] = registrations(agentDirectory);
		const instanceId = String(only?.instanceId);
		expect([more, instanceId === before || only === undefined]).toEqual([[], false]);
		expect(presenceFiles(agentDirectory)).toEqual([`${instanceId}.json`, `${instanceId}.sock`]);
		return { instanceId, id: String(only?.id) };
	}, SOON);
}

test("on a terminal it goes through /reload, /fork, /new and /resume, and leaves nothing of what was", {
	timeout: PATIENCE_MS,
}, async () => {
	const script = [{ text: "The first answer." }, { text: "The second answer." }];
	const terminal = await PiTerminal.start({
		cwd: temporaryDirectory("workspace"),
		script,
		flags: everyFlag,
		installed: true,
	});
	onTestFinished(() => terminal.stop());
	let current = await nextIncarnation(undefined);

	/**
	 * Gives a command, takes the first row of the list that it opens, and expects a new incarnation that works.
	 * @param done what pi says at the end; what is typed before that may be lost
	 */
	const move = async (command: string, done: string, list?: string) => {
		await terminal.submit(command);
		if (list !== undefined) {
			const hasRow = (text: string) => text.includes(list) && text.includes(PROMPT);
			await terminal.waitFor((screen) => hasRow(screen.join("\n")), `${list} with a row`);
			terminal.press(KEYS.enter);
		}
		await terminal.waitForText(done);
		const before = current;
		current = await nextIncarnation(before.instanceId);
		// A fork puts the prompt that it forked at into the editor.
		terminal.press(CLEAR_LINE);
		await terminal.submit("/cross-session-status");
		await terminal.waitForText(`ref is ${current.instanceId.slice(0, 8)}`);
		return { before, after: current };
	};

	await terminal.submit(PROMPT);
	await terminal.waitForText("The first answer.");
	const reload = await move("/reload", "Reloaded keybindings, extensions");
	expect(reload.after.id).toBe(reload.before.id);
	const fork = await move("/fork", "Forked to new session", "Fork from Message");
	expect(fork.after.id).not.toBe(fork.before.id);
	const fresh = await move("/new", "New session started");
	expect(fresh.after.id).not.toBe(fresh.before.id);
	const resumed = await move("/resume", "Resumed session", "Resume Session");
	expect(resumed.after.id).not.toBe(resumed.before.id);

	await terminal.submit("/quit");
	await vi.waitFor(() => expect(presenceFiles(agentDirectory)).toEqual([]), SOON);
});
