/** What is on without being asked for (nothing), and what turns it on. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { contextOf, infoOf, lookAt, SHORT_PATIENCE_MS } from "../support/pi/ask.ts";
import { rpcListeners } from "../support/pi/counting-bus.ts";
import { type InProcessOptions, InProcessPi } from "../support/pi/in-process-pi.ts";
import { storeSession } from "../support/pi/stored-session.ts";
import { listing, ownedByTest, temporaryDirectory, useOwnAgentDirectory } from "../support/pi/workspaces.ts";

const TOOL = "get_peer_context";
const bothFlags = ["cross-session-rpc", "cross-session-tool"];
const unknown = { name: "RpcError", code: "receipt_unknown" };

const start = async (options: Partial<InProcessOptions> = {}) =>
	ownedByTest(await InProcessPi.start({ cwd: temporaryDirectory("workspace"), ...options }));

/** The agent directory with this configuration in it. */
function configure(config: unknown): string {
	const directory = useOwnAgentDirectory();
	writeFileSync(path.join(directory, "cross-session.json"), JSON.stringify(config));
	return directory;
}

describe("without flags and configuration", () => {
	test("no topic answers, and the caller's wait ends in its time", async () => {
		useOwnAgentDirectory();
		const { bus } = await start();
		const local = { sessionId: "a", instanceId: "b" };
		await expect(infoOf(bus, SHORT_PATIENCE_MS)).rejects.toMatchObject(unknown);
		await expect(lookAt(bus, "c", { local }, SHORT_PATIENCE_MS)).rejects.toMatchObject(unknown);
	});

	test("nothing listens on the bus, no tool is there for the model, and nobody is told anything", async () => {
		useOwnAgentDirectory();
		const pi = await start({ script: [{ text: "Hello." }] });
		await pi.session.prompt("Hello.");
		expect(pi.bus.listeners()).toEqual({});
		expect(pi.hasTool(TOOL)).toBe(false);
		expect(pi.session.systemPrompt).not.toContain(TOOL);
		expect([pi.told, pi.extensionErrors]).toEqual([[], []]);
	});

	test("the agent directory holds what pi itself puts there and the session's registration, and nothing more", async () => {
		const without = useOwnAgentDirectory();
		await (await start({ instead: () => {} })).session.reload();
		const expected = listing(without);
		const directory = useOwnAgentDirectory();
		const pi = await start();
		await pi.session.reload();
		const own = listing(directory).filter((name) => name.startsWith("peers"));
		expect(own).toEqual(["peers", expect.stringMatching(/^peers\/[0-9a-f]{32}\.json$/)]);
		expect(listing(directory).length).toBe(expected.length + own.length);
		await pi.dispose();
		expect(listing(directory).length).toBe(expected.length + 1);
		expect(listing(directory).filter((name) => name.includes("cross-session"))).toEqual([]);
	});
});

describe("what turns it on", () => {
	test("each flag its own door", async () => {
		useOwnAgentDirectory();
		const rpc = await start({ flags: ["cross-session-rpc"] });
		expect([rpc.bus.listeners(), rpc.hasTool(TOOL)]).toEqual([rpcListeners(), false]);
		const tool = await start({ flags: ["cross-session-tool"] });
		expect([tool.bus.listeners(), tool.hasTool(TOOL)]).toEqual([{}, true]);
	});

	test("the configuration file, without a word to the person", async () => {
		configure({ rpc: true, tool: true });
		const pi = await start();
		expect([pi.bus.listeners(), pi.hasTool(TOOL), pi.told]).toEqual([rpcListeners(), true, []]);
	});

	test("a flag, whatever the file says", async () => {
		configure({ rpc: false, tool: false });
		const pi = await start({ flags: bothFlags });
		expect([pi.bus.listeners(), pi.hasTool(TOOL)]).toEqual([rpcListeners(), true]);
	});
});

describe("a wrong configuration file", () => {
	test("is reported once, turns nothing on, and leaves the flags in force", async () => {
		configure({ rpc: true, tool: true, limits: { messages: 9 } });
		const off = await start({ script: [{ text: "Hello." }] });
		await off.session.prompt("Hello.");
		expect(off.told).toEqual([{ text: expect.stringMatching(/limits\.messages: .*<=8/), severity: "warning" }]);
		expect([off.bus.listeners(), off.hasTool(TOOL)]).toEqual([{}, false]);
		const on = await start({ flags: bothFlags });
		expect([on.bus.listeners(), on.hasTool(TOOL)]).toEqual([rpcListeners(), true]);
	});

	test("counts again after a reload, as it is then", async () => {
		const directory = configure({ rpc: "yes" });
		const pi = await start();
		expect(pi.told).toHaveLength(1);
		writeFileSync(path.join(directory, "cross-session.json"), '{"rpc":true}');
		await pi.session.reload();
		expect([pi.told.length, pi.bus.listeners()]).toEqual([1, rpcListeners()]);
	});
});

describe("lowered limits", () => {
	test("bound what a look gives, by both doors", async () => {
		configure({ limits: { messages: 2, overviewMessages: 1, overviewMessageBytes: 256, totalBytes: 300, tools: 1 } });
		const cwd = temporaryDirectory("workspace");
		const { id } = storeSession(
			cwd,
			[
				["one", "two"],
				["three", "x".repeat(1000)],
			],
			{ calls: ["read", "bash"] },
		);
		const call = { name: TOOL, arguments: { sessionId: id } };
		const pi = await start({ cwd, flags: bothFlags, script: [{ calls: [call] }, { text: "Seen." }] });
		const overview = await contextOf(pi.bus, id);
		expect(overview.activity?.tools.map(({ name }) => name)).toEqual(["bash"]);
		expect(overview.conversation?.messages).toMatchObject([{ role: "assistant", omittedBytes: 1000 - 256 }]);
		expect(overview.conversation?.retention).toMatchObject({
			eligibleMessages: 4,
			returnedMessages: 1,
			returnedBytes: 256,
		});
		const conversation = await contextOf(pi.bus, id, { view: "conversation", maxMessages: 8 });
		expect(conversation.conversation?.retention).toMatchObject({ returnedBytes: 300 });
		await pi.session.prompt("Look.");
		const [result] = pi.toolResults();
		expect(JSON.parse(result?.text ?? "")).toMatchObject({
			conversation: overview.conversation,
			activity: overview.activity,
		});
	});

	test("bound how many looks one incarnation answers, and its info says how many are left", async () => {
		configure({ rpc: true, contextRequests: 2 });
		const { bus } = await start();
		const { local, remainingContextRequests } = await infoOf(bus);
		expect(remainingContextRequests).toBe(2);
		for (const _ of [1, 2]) expect(await lookAt(bus, "nobody", { local })).toMatchObject({ code: "unauthorized" });
		expect((await infoOf(bus)).remainingContextRequests).toBe(0);
		await expect(lookAt(bus, "nobody", { local }, SHORT_PATIENCE_MS)).rejects.toMatchObject(unknown);
	});
});
