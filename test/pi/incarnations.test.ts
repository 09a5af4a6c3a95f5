/** One incarnation at a time in real sessions: what each has in the registry, and that nothing of it stays behind. */
import path from "node:path";
import process from "node:process";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { describe, expect, test, vi } from "vitest";
import { openDoors } from "../../extension.ts";
import { registerFlags } from "../../lib/pi/flags.ts";
import { HostSession } from "../../lib/pi/host-session.ts";
import type { HostParts } from "../../lib/pi/incarnation.ts";
import { PATIENT } from "../support/patience.ts";
import { infoOf } from "../support/pi/ask.ts";
import { rpcListeners } from "../support/pi/counting-bus.ts";
import type { InProcessPi } from "../support/pi/in-process-pi.ts";
import { storeSession } from "../support/pi/stored-session.ts";
import { presenceFiles, registrations, temporaryDirectory, useOwnAgentDirectory } from "../support/pi/workspaces.ts";
import { answers, calling, start, startNamed } from "./message-setting.ts";
import { failing, standIn } from "./stand-in.ts";

const flags = ["cross-session-rpc"];

/** The files that the incarnation which answers on the bus has, and nobody else. */
async function ownFiles(pi: InProcessPi): Promise<string[]> {
	const { instanceId } = (await infoOf(pi.bus)).local;
	return [`${instanceId}.json`, `${instanceId}.sock`];
}

describe("a reload or a session switch", () => {
	const moves: [name: string, move: (pi: InProcessPi, elsewhere: string) => Promise<unknown>][] = [
		["a reload", (pi) => pi.session.reload()],
		["a new session", (pi) => pi.runtime.newSession()],
		["a resumed session", (pi, elsewhere) => pi.runtime.switchSession(elsewhere)],
		["a fork", (pi) => pi.runtime.fork(pi.session.sessionManager.getLeafId() ?? "", { position: "at" })],
	];

	test.each(moves)("%s makes a new incarnation with a full budget, and removes the old one", async (_name, move) => {
		const agentDirectory = useOwnAgentDirectory();
		const cwd = temporaryDirectory("workspace");
		const elsewhere = storeSession(cwd, [["before", "after"]]);
		await startNamed("receiver", { flagValues: { "cross-session-inbound": "show" } });
		const others = presenceFiles(agentDirectory);
		const files = () => presenceFiles(agentDirectory).filter((name) => !others.includes(name));
		const script = calling("send_pi_message", [{ target: "receiver", message: "hello" }]);
		const pi = await start({ cwd, flags, script });
		await pi.session.prompt("Send.");
		expect(answers(pi)).toMatchObject([{ value: { receipt: { code: "submitted" } } }]);
		expect(await infoOf(pi.bus)).toMatchObject({ remainingBudget: 255 });
		const before = await ownFiles(pi);
		// The end of the turn may be on its way into the registration.
		await vi.waitFor(() => expect(files()).toEqual(before), PATIENT);
		await move(pi, elsewhere.file);
		const after = await ownFiles(pi);
		expect(after).not.toEqual(before);
		expect(files()).toEqual(after);
		const own = { id: pi.sessionId, pid: process.pid, status: "idle" };
		expect(registrations(agentDirectory)).toContainEqual(expect.objectContaining(own));
		expect(await infoOf(pi.bus)).toMatchObject({
			local: { sessionId: pi.sessionId },
			remainingBudget: 256,
			states: [],
		});
		expect(pi.bus.listeners()).toEqual(rpcListeners());
		expect([pi.told, pi.extensionErrors]).toEqual([[], []]);
	});

	test("twenty of them in a row leave one of everything", async () => {
		const agentDirectory = useOwnAgentDirectory();
		const listeners = process.listenerCount("beforeExit");
		const pi = await start({ flags });
		const tools = () => pi.session.getAllTools().map(({ name }) => name);
		const atFirst = tools();
		for (let reload = 0; reload < 20; reload++) await pi.session.reload();
		expect(presenceFiles(agentDirectory)).toEqual(await ownFiles(pi));
		expect(pi.bus.listeners()).toEqual(rpcListeners());
		expect(tools()).toEqual(atFirst);
		expect(process.listenerCount("beforeExit")).toBe(listeners + 1);
		await pi.dispose();
		expect(process.listenerCount("beforeExit")).toBe(listeners);
	});
});

describe("the end of a session", () => {
	test("removes its registration and its socket, and answers nobody", async () => {
		const agentDirectory = useOwnAgentDirectory();
		const pi = await start({ flags });
		expect(presenceFiles(agentDirectory)).toHaveLength(2);
		await pi.dispose();
		expect(presenceFiles(agentDirectory)).toEqual([]);
		expect(pi.bus.listeners()).toEqual({});
	});

	test("that pi does not announce lets go at the next refresh", async () => {
		const agentDirectory = useOwnAgentDirectory();
		let host: HostSession | undefined;
		const instead = (api: ExtensionAPI) => {
			host = standIn(api);
		};
		const pi = await start({ flags, instead });
		expect(presenceFiles(agentDirectory)).toHaveLength(2);
		pi.session.dispose();
		host?.refresh();
		await vi.waitFor(() => expect(presenceFiles(agentDirectory)).toEqual([]), PATIENT);
		expect([host?.parts, pi.bus.listeners()]).toEqual([null, {}]);
	});
});

describe("an incarnation that can't go on", () => {
	test("because its registration can't be refreshed ends with all it has, and says so", async () => {
		const agentDirectory = useOwnAgentDirectory();
		const fault = failing("rename", 2);
		let host: HostSession | undefined;
		const instead = (api: ExtensionAPI) => {
			host = standIn(api, fault.options);
		};
		const pi = await start({ flags, instead, script: [{ text: "I work." }] });
		expect(pi.bus.listeners()).toEqual(rpcListeners());
		host?.refresh();
		await vi.waitFor(() => expect(pi.told).toHaveLength(1), PATIENT);
		expect(fault.hits).toBe(1);
		expect(pi.told[0]?.text).toMatch(/^Cross-session access has ended\. .*\/reload/);
		expect([host?.parts, presenceFiles(agentDirectory), pi.bus.listeners()]).toEqual([null, [], {}]);
		await pi.session.prompt("Do you work?");
		expect(pi.session.getLastAssistantText()).toBe("I work.");
	});

	test("for long tells the person once, when 32 messages are left", async () => {
		useOwnAgentDirectory();
		let host: HostSession | undefined;
		const instead = (api: ExtensionAPI) => {
			host = standIn(api);
		};
		const pi = await start({ flags, instead });
		for (let taken = 0; taken < 223; taken++) host?.parts?.presence.budget.take();
		expect(pi.told).toEqual([]);
		for (let taken = 0; taken < 33; taken++) host?.parts?.presence.budget.take();
		expect(pi.told).toEqual([{ text: expect.stringContaining("32 more messages"), severity: "warning" }]);
	});
});

test("a start that comes twice at once leaves one incarnation, and nobody is told of the other", async () => {
	const agentDirectory = useOwnAgentDirectory();
	const instead = (api: ExtensionAPI) => {
		const host = new HostSession({ pi: api, openDoors: (parts: HostParts) => openDoors(api, parts) });
		registerFlags(api);
		api.on("session_start", async (_event, context) => {
			await Promise.all([host.start(context), host.start(context)]);
		});
		api.on("session_shutdown", () => host.stop());
	};
	const pi = await start({ flags, instead });
	expect(presenceFiles(agentDirectory)).toEqual(await ownFiles(pi));
	expect([pi.bus.listeners(), pi.told, pi.extensionErrors]).toEqual([rpcListeners(), [], []]);
	await pi.dispose();
	expect(presenceFiles(agentDirectory)).toEqual([]);
});

describe("two sessions in one process", () => {
	test("stay apart: the end of one leaves the other as it was", async () => {
		const agentDirectory = useOwnAgentDirectory();
		const [first, second] = [await start({ flags }), await start({ flags })];
		const files = await ownFiles(second);
		expect(presenceFiles(agentDirectory)).toHaveLength(4);
		await first.dispose();
		expect(presenceFiles(agentDirectory)).toEqual(files);
		expect(await infoOf(second.bus)).toMatchObject({ local: { sessionId: second.sessionId } });
	});
});

describe("a subagent's session", () => {
	test("has no registration, no socket and no tool, and its commands say that it takes no part", async () => {
		const agentDirectory = useOwnAgentDirectory();
		vi.stubEnv("PI_SUBAGENT_CHILD", "1");
		try {
			const pi = await start({ flags });
			expect([presenceFiles(agentDirectory), pi.bus.listeners()]).toEqual([[], {}]);
			for (const name of ["list_pi", "send_pi_message", "check_pi_message"]) expect(pi.hasTool(name)).toBe(false);
			for (const name of ["/peers", "/list-pi", "/cross-session-status", "/cross-session-inbound accept"]) {
				await pi.session.prompt(name);
				expect(pi.told.at(-1)).toEqual({ text: expect.stringContaining("off in this session"), severity: "warning" });
			}
		} finally {
			vi.unstubAllEnvs();
		}
	});
});

describe("a long way to the agent directory", () => {
	test("is no reason to go without messages, and no socket's name is cut", async () => {
		const agentDirectory = path.join(useOwnAgentDirectory(), "a-very-long-name/".repeat(8), "agent");
		vi.stubEnv("PI_CODING_AGENT_DIR", agentDirectory);
		vi.stubEnv("HOME", path.dirname(agentDirectory));
		try {
			expect(agentDirectory.length).toBeGreaterThan(107);
			const receiver = await start({ flags, script: [{ text: "Seen." }] });
			const { instanceId } = (await infoOf(receiver.bus)).local;
			expect(presenceFiles(agentDirectory)).toEqual([`${instanceId}.json`, `${instanceId}.sock`]);
			const sender = await start({ script: calling("send_pi_message", [{ target: instanceId, message: "hello" }]) });
			await sender.session.prompt("Send.");
			expect(answers(sender)).toMatchObject([{ value: { receipt: { code: "submitted" } } }]);
			await vi.waitFor(() => expect(receiver.session.getLastAssistantText()).toBe("Seen."), PATIENT);
		} finally {
			vi.unstubAllEnvs();
		}
	});
});
