/** A presence that can't be acquired: what was acquired before is released, the person is told, and the session works. */
import path from "node:path";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { describe, expect, test, vi } from "vitest";
import { openDoors } from "../../extension.ts";
import { currentPathFacts, peerPaths } from "../../lib/peers/paths.ts";
import { registerFlags } from "../../lib/pi/flags.ts";
import { HostSession } from "../../lib/pi/host-session.ts";
import type { InProcessPi } from "../support/pi/in-process-pi.ts";
import { presenceFiles, useOwnAgentDirectory } from "../support/pi/workspaces.ts";
import { start } from "./message-setting.ts";
import { failing, standIn } from "./stand-in.ts";

const flags = ["cross-session-rpc"];

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
