/** One incarnation at a time in real sessions: what each has in the registry, and that nothing of it stays behind. */
import path from "node:path";
import process from "node:process";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { describe, expect, test, vi } from "vitest";
import { openDoors } from "../../extension.ts";
import { INFO_TOPIC, PEER_CONTEXT_TOPIC } from "../../lib/contract/index.ts";
import { currentPathFacts, peerPaths } from "../../lib/peers/paths.ts";
import { type FileOperations, systemFiles } from "../../lib/peers/private-files.ts";
import { registerFlags } from "../../lib/pi/flags.ts";
import { HostSession } from "../../lib/pi/host-session.ts";
import type { HostParts, IncarnationOptions } from "../../lib/pi/incarnation.ts";
import { infoOf } from "../support/pi/ask.ts";
import type { InProcessPi } from "../support/pi/in-process-pi.ts";
import { storeSession } from "../support/pi/stored-session.ts";
import { presenceFiles, registrations, temporaryDirectory, useOwnAgentDirectory } from "../support/pi/workspaces.ts";
import { answers, calling, start, startNamed } from "./message-setting.ts";

const flags = ["cross-session-rpc"];
const bothTopics = { [INFO_TOPIC]: 1, [PEER_CONTEXT_TOPIC]: 1 };

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
		await vi.waitFor(() => expect(files()).toEqual(before));
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
		expect(pi.bus.listeners()).toEqual(bothTopics);
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
		expect(pi.bus.listeners()).toEqual(bothTopics);
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
		await vi.waitFor(() => expect(presenceFiles(agentDirectory)).toEqual([]));
		expect([host?.parts, pi.bus.listeners()]).toEqual([null, {}]);
	});
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

/** The extension with its boundary, where a test can reach what the boundary acquires. */
function standIn(pi: ExtensionAPI, options: Partial<IncarnationOptions> = {}): HostSession {
	const host = new HostSession({ pi, openDoors: (parts: HostParts) => openDoors(pi, parts), ...options });
	registerFlags(pi);
	pi.on("session_start", (_event, context) => host.start(context));
	pi.on("session_shutdown", () => host.stop());
	return host;
}

/** Fails one call of one file operation, and counts the hit. */
function failing(name: keyof FileOperations, call: number): { hits: number; options: Partial<IncarnationOptions> } {
	let calls = 0;
	const original = systemFiles[name] as (...given: unknown[]) => Promise<unknown>;
	const fault = { hits: 0, options: { system: { files: { ...systemFiles, [name]: broken } } } };
	async function broken(...given: unknown[]): Promise<unknown> {
		calls += 1;
		if (calls !== call) return original(...given);
		fault.hits += 1;
		throw Object.assign(new Error("injected"), { code: "EIO" });
	}
	return fault;
}

describe("a start that fails releases what it had, says so, and the session works", () => {
	const steps: [name: string, ...Parameters<typeof failing>][] = [
		["the peers directory", "mkdir", 1],
		["the socket directory", "mkdir", 2],
		["the registration", "open", 1],
		["its rename", "rename", 1],
	];

	async function expectToWorkWithout(agentDirectory: string, pi: InProcessPi, reason: RegExp): Promise<void> {
		expect([presenceFiles(agentDirectory), pi.bus.listeners()]).toEqual([[], {}]);
		expect(pi.hasTool("send_pi_message")).toBe(false);
		expect(pi.told).toEqual([{ text: expect.stringMatching(reason), severity: "warning" }]);
		expect(pi.told[0]?.text).toMatch(/this session works without it/);
		expect(pi.told[0]?.text).not.toContain(agentDirectory);
		await pi.session.prompt("Do you work?");
		expect(pi.session.getLastAssistantText()).toBe("I work.");
		expect(pi.extensionErrors).toEqual([]);
	}

	const script = [{ text: "I work." }];

	test.each(steps)("at %s", async (_name, operation, call) => {
		const agentDirectory = useOwnAgentDirectory();
		const fault = failing(operation, call);
		const pi = await start({ flags, script, instead: (api) => void standIn(api, fault.options) });
		expect(fault.hits).toBe(1);
		await expectToWorkWithout(agentDirectory, pi, /disk/);
	});

	test("at the socket", async () => {
		const agentDirectory = useOwnAgentDirectory();
		const openReceiver = vi.fn(() => Promise.reject(new Error("injected")));
		const pi = await start({ flags, script, instead: (api) => void standIn(api, { system: { openReceiver } }) });
		expect(openReceiver).toHaveBeenCalledOnce();
		await expectToWorkWithout(agentDirectory, pi, /socket could not be opened/);
	});

	test("at a socket path that the system would cut, where nothing is bound", async () => {
		const agentDirectory = useOwnAgentDirectory();
		const socketRoot = path.join(agentDirectory, "long/".repeat(20));
		const system = { paths: peerPaths(agentDirectory, { ...currentPathFacts(), socketRoot }) };
		const pi = await start({ flags, script, instead: (api) => void standIn(api, { system }) });
		await expectToWorkWithout(agentDirectory, pi, /longer than the system allows/);
	});

	test.each(["list_pi", "send_pi_message", "check_pi_message"])("at the registration of %s", async (refused) => {
		const agentDirectory = useOwnAgentDirectory();
		let hits = 0;
		const instead = (api: ExtensionAPI) => {
			const registerTool: ExtensionAPI["registerTool"] = (tool) => {
				if (tool.name !== refused) return api.registerTool(tool);
				hits += 1;
				throw new Error("No more tools.");
			};
			standIn(api, { openDoors: (parts) => openDoors({ ...api, registerTool }, parts) });
		};
		const pi = await start({ flags, script, instead });
		expect(hits).toBe(1);
		expect([presenceFiles(agentDirectory), pi.bus.listeners()]).toEqual([[], {}]);
		expect(pi.told).toEqual([{ text: expect.stringMatching(/works without it/), severity: "warning" }]);
	});

	test("also when the person can't be told", async () => {
		const agentDirectory = useOwnAgentDirectory();
		const fault = failing("rename", 1);
		const notify = vi.fn(() => {
			throw new Error("No screen.");
		});
		const instead = (api: ExtensionAPI) => {
			const host = new HostSession({ pi: api, openDoors: (parts) => openDoors(api, parts), ...fault.options });
			registerFlags(api);
			api.on("session_start", (_event, context) => {
				const ui = { ...context.ui, notify };
				return host.start(new Proxy(context, { get: (real, key) => (key === "ui" ? ui : Reflect.get(real, key)) }));
			});
		};
		const pi = await start({ flags, script, instead });
		expect([fault.hits, notify.mock.calls.length]).toEqual([1, 1]);
		expect([presenceFiles(agentDirectory), pi.bus.listeners(), pi.extensionErrors]).toEqual([[], {}, []]);
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
			await vi.waitFor(() => expect(receiver.session.getLastAssistantText()).toBe("Seen."));
		} finally {
			vi.unstubAllEnvs();
		}
	});
});
