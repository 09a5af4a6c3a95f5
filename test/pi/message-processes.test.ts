/** Two pi processes: a message across, and what is left of a process after each way to end. */
import path from "node:path";
import process from "node:process";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Presence } from "../../lib/inbox/presence.ts";
import { peerPaths } from "../../lib/peers/paths.ts";
import { openSession } from "../inbox/open-session.ts";
import { PiProcess, type PiProcessOptions } from "../support/pi/pi-process.ts";
import { presenceFiles, registrations, temporaryDirectory, useOwnAgentDirectory } from "../support/pi/workspaces.ts";
import { calling } from "./message-setting.ts";

async function startProcess(options: Partial<PiProcessOptions> = {}): Promise<PiProcess> {
	const extensions = [path.join(import.meta.dirname, "../support/pi/quit-extension.ts")];
	const pi = new PiProcess({ cwd: temporaryDirectory("workspace"), script: [], extensions, ...options });
	onTestFinished(() => pi.stop());
	await pi.start();
	return pi;
}

/** The registered process of a session. */
function registrationOf(
	agentDirectory: string,
	sessionId: string,
): { readonly pid: number; readonly instanceId: string } {
	const found = registrations(agentDirectory).find(({ id }) => id === sessionId);
	if (found === undefined) throw new Error("The session is not registered.");
	return { pid: Number(found.pid), instanceId: String(found.instanceId) };
}

async function gone(pid: number): Promise<void> {
	await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), { timeout: 10_000 });
}

test("one process sends, the other answers the message in a turn of its own", async () => {
	const agentDirectory = useOwnAgentDirectory();
	const receiver = await startProcess({ script: [{ text: "The parser is mine." }] });
	const { pid, instanceId } = registrationOf(agentDirectory, await receiver.sessionId());
	expect(pid).not.toBe(process.pid);
	const message = { target: instanceId, message: "Who has the parser?" };
	const sender = await startProcess({ script: calling("send_pi_message", [message]) });
	const settled = receiver.reported((event) => event.includes('"agent_settled"') || event.includes('"agent_end"'));
	await sender.prompt("Ask.");
	const [call] = sender.finishedCalls;
	expect(JSON.parse(call?.text ?? "")).toMatchObject({ receipt: { code: "submitted", remoteInstanceId: instanceId } });
	await settled;
	expect(await receiver.client.getLastAssistantText()).toBe("The parser is mine.");
});

const endings: [name: string, end: (pi: PiProcess, pid: number) => unknown][] = [
	["SIGTERM", (_pi, pid) => process.kill(pid, "SIGTERM")],
	["SIGHUP", (_pi, pid) => process.kill(pid, "SIGHUP")],
	["SIGKILL", (_pi, pid) => process.kill(pid, "SIGKILL")],
	["a clean exit", (pi) => pi.command("/leave")],
];

test.each(endings)("nothing of a process is left after %s and the next discovery", async (name, end) => {
	const agentDirectory = useOwnAgentDirectory();
	const { presence } = await openSession(peerPaths(agentDirectory));
	const own = presenceFiles(agentDirectory);
	const pi = await startProcess();
	const sessionId = await pi.sessionId();
	const { pid } = registrationOf(agentDirectory, sessionId);
	expect(await idsSeenBy(presence)).toEqual([sessionId]);
	await end(pi, pid);
	await gone(pid);
	// Whoever gets a chance to clean up has done it already.
	expect(presenceFiles(agentDirectory)).toHaveLength(own.length + (name === "SIGKILL" ? 2 : 0));
	expect(await idsSeenBy(presence)).toEqual([]);
	expect(presenceFiles(agentDirectory)).toEqual(own);
});

async function idsSeenBy(presence: Presence): Promise<string[]> {
	return (await presence.directory.list("/workspace")).map(({ id }) => id);
}
