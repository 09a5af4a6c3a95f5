/** A start that fails half-way: what was acquired before is released, the person is told, and the session works. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { type ExtensionAPI, getAgentDir } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import crossSession from "../../extension.ts";
import { INFO_TOPIC } from "../../lib/contract/index.ts";
import { MANAGED_IDENTITY_TOPIC } from "../../lib/peers/managed-identity.ts";
import { CountingBus, rpcListeners } from "../support/pi/counting-bus.ts";
import { type InProcessOptions, InProcessPi } from "../support/pi/in-process-pi.ts";
import { ownedByTest, presenceFiles, temporaryDirectory, useOwnAgentDirectory } from "../support/pi/workspaces.ts";

const flags = ["cross-session-rpc", "cross-session-tool"];

async function start(options: Partial<InProcessOptions>): Promise<InProcessPi> {
	const script = [{ text: "I work." }];
	return ownedByTest(await InProcessPi.start({ cwd: temporaryDirectory("workspace"), flags, script, ...options }));
}

/** Nothing is held, one line tells it after what else had to be told, and a prompt is answered. */
async function expectToWorkWithout(pi: InProcessPi, ...toldBefore: string[]): Promise<void> {
	expect([pi.bus.listeners(), presenceFiles(getAgentDir())]).toEqual([{}, []]);
	expect(pi.hasTool("get_peer_context")).toBe(false);
	const told = [...toldBefore, "works without it"];
	expect(pi.told).toEqual(told.map((text) => ({ text: expect.stringContaining(text), severity: "warning" })));
	await pi.session.prompt("Do you work?");
	expect(pi.session.getLastAssistantText()).toBe("I work.");
	expect(pi.extensionErrors).toEqual([]);
}

test.each(Object.keys(rpcListeners()))("at the subscription to %s", async (topic) => {
	useOwnAgentDirectory();
	const bus = new CountingBus();
	bus.refuse(topic);
	const pi = await start({ bus });
	expect(bus.refusals).toBe(1);
	await expectToWorkWithout(pi);
});

test("at the question who manages the session", async () => {
	useOwnAgentDirectory();
	const bus = new CountingBus();
	bus.refuse(MANAGED_IDENTITY_TOPIC);
	const pi = await start({ bus });
	expect(bus.refusals).toBe(1);
	await expectToWorkWithout(pi);
});

test("at the registration of the tool", async () => {
	useOwnAgentDirectory();
	let refusals = 0;
	const instead = (pi: ExtensionAPI) =>
		crossSession({
			...pi,
			registerTool() {
				refusals += 1;
				throw new Error("No more tools.");
			},
		});
	const pi = await start({ instead });
	expect(refusals).toBe(1);
	await expectToWorkWithout(pi);
});

test("at the record that makes a fork private, and says that others may be able to read the fork", async () => {
	const agentDirectory = useOwnAgentDirectory();
	const pi = await start({ script: [{ text: "I work." }] });
	await pi.session.prompt("Hello.");
	// A file where the records' directory would be: what stands in it can't be read, and nothing can be stored.
	writeFileSync(path.join(agentDirectory, "cross-session"), "");
	await pi.runtime.fork(pi.session.sessionManager.getLeafId() ?? "", { position: "at" });
	await expectToWorkWithout(pi, "This fork could not be made private");
});

test("after a reload that succeeds everything is there", async () => {
	useOwnAgentDirectory();
	const bus = new CountingBus();
	bus.refuse(INFO_TOPIC);
	const pi = await start({ bus });
	expect(bus.listeners()).toEqual({});
	bus.allow(INFO_TOPIC);
	await pi.session.reload();
	expect(bus.listeners()).toEqual(rpcListeners());
	expect(pi.hasTool("get_peer_context")).toBe(true);
});
