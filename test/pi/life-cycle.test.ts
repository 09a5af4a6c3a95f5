/** What an incarnation holds while its session lives, and that nothing of it stays behind. */
import { execFileSync } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { PEER_CONTEXT_TOPIC, replyTopic } from "../../lib/contract/index.ts";
import { infoOf, lookAt, SHORT_PATIENCE_MS } from "../support/pi/ask.ts";
import { CountingBus, rpcListeners } from "../support/pi/counting-bus.ts";
import { type InProcessOptions, InProcessPi } from "../support/pi/in-process-pi.ts";
import { storeSession } from "../support/pi/stored-session.ts";
import { ownedByTest, presenceFiles, temporaryDirectory, useOwnAgentDirectory } from "../support/pi/workspaces.ts";

const flags = ["cross-session-rpc", "cross-session-tool"];

const start = async (options: Partial<InProcessOptions> = {}) =>
	ownedByTest(await InProcessPi.start({ cwd: temporaryDirectory("workspace"), flags, ...options }));

const toolCount = (pi: InProcessPi) =>
	pi.session.getAllTools().filter(({ name }) => name === "get_peer_context").length;

test("twenty reloads leave one listener of each kind and one tool, and each is an incarnation of its own", async () => {
	useOwnAgentDirectory();
	const pi = await start();
	const incarnations = new Set([(await infoOf(pi.bus)).local.instanceId]);
	for (let reload = 1; reload <= 20; reload += 1) {
		await pi.session.reload();
		incarnations.add((await infoOf(pi.bus)).local.instanceId);
	}
	expect([pi.bus.listeners(), toolCount(pi), incarnations.size]).toEqual([rpcListeners(), 1, 21]);
	expect([pi.told, pi.extensionErrors]).toEqual([[], []]);
});

describe("a session switch", () => {
	const moves: [name: string, move: (pi: InProcessPi, elsewhere: string) => Promise<unknown>][] = [
		["a new session", (pi) => pi.runtime.newSession()],
		["a resumed session", (pi, elsewhere) => pi.runtime.switchSession(elsewhere)],
		["a fork", (pi) => pi.runtime.fork(firstUserEntry(pi))],
	];

	test.each(moves)("to %s makes a new incarnation, and the old one answers no more", async (_name, move) => {
		useOwnAgentDirectory();
		const cwd = temporaryDirectory("workspace");
		const elsewhere = storeSession(cwd, [["before", "after"]]);
		const pi = await start({ cwd, script: [{ text: "Hello." }] });
		await pi.session.prompt("Hello.");
		const old = (await infoOf(pi.bus)).local;
		await move(pi, elsewhere.file);

		const { local } = await infoOf(pi.bus);
		expect(local.sessionId).toBe(pi.sessionId);
		expect(local.sessionId).not.toBe(old.sessionId);
		expect(local.instanceId).toMatch(/^[0-9a-f]{32}$/);
		expect(local.instanceId).not.toBe(old.instanceId);
		expect([pi.bus.listeners(), toolCount(pi)]).toEqual([rpcListeners(), 1]);

		const replies: unknown[] = [];
		const stopListening = pi.bus.on(replyTopic(PEER_CONTEXT_TOPIC, "old"), (reply) => replies.push(reply));
		pi.bus.emit(PEER_CONTEXT_TOPIC, { version: 1, requestId: "old", local: old, sessionId: elsewhere.id });
		stopListening();
		expect(replies).toMatchObject([{ ok: false, code: "invalid_request", local }]);
	});
});

function firstUserEntry(pi: InProcessPi): string {
	const entry = pi.session.sessionManager
		.getEntries()
		.find((candidate) => candidate.type === "message" && candidate.message.role === "user");
	if (!entry) throw new Error("Nobody said anything.");
	return entry.id;
}

describe("the end of a session", () => {
	test("releases every listener when pi announces it", async () => {
		useOwnAgentDirectory();
		const pi = await start();
		await pi.dispose();
		expect(pi.bus.listeners()).toEqual({});
	});

	test("leaves nothing that answers or keeps the process alive when pi does not announce it", () => {
		const agentDirectory = useOwnAgentDirectory();
		const output = execFileSync(process.execPath, [path.join(import.meta.dirname, "dispose-without-shutdown.ts")], {
			encoding: "utf8",
			env: { ...process.env, PI_CODING_AGENT_DIR: agentDirectory },
			// A process that something keeps alive is ended, and that is an error.
			timeout: 25_000,
			stdio: ["ignore", "pipe", "ignore"],
		});
		expect(JSON.parse(output)).toEqual({
			registered: 2,
			looked: "unauthorized",
			listenersAfter: {},
			answerAfter: "receipt_unknown",
			timersAfter: 0,
		});
		expect(presenceFiles(agentDirectory)).toEqual([]);
	});
});

describe("two sessions in one process", () => {
	test("stay apart: the end of one leaves the other as it was", async () => {
		useOwnAgentDirectory();
		const cwd = temporaryDirectory("workspace");
		const [first, second] = [await start({ cwd }), await start({ cwd })];
		expect((await infoOf(first.bus)).local.sessionId).toBe(first.sessionId);
		const { local } = await infoOf(second.bus);
		expect(local.sessionId).toBe(second.sessionId);
		await first.dispose();
		expect([first.bus.listeners(), second.bus.listeners()]).toEqual([{}, rpcListeners()]);
		expect((await infoOf(second.bus)).local).toEqual(local);
	});

	test("each answer what is addressed to them, also on one bus that they share", async () => {
		useOwnAgentDirectory();
		const cwd = temporaryDirectory("workspace");
		const target = storeSession(cwd, [["question", "answer"]]);
		const bus = new CountingBus();
		const first = await start({ cwd, bus });
		const { local } = await infoOf(bus);
		await start({ cwd, bus });
		expect(bus.listeners()).toEqual(rpcListeners(2));
		expect(await lookAt(bus, target.id, { local })).toMatchObject({ ok: true, local });
		await first.dispose();
		expect(bus.listeners()).toEqual(rpcListeners());
		expect(await lookAt(bus, target.id, { local }, SHORT_PATIENCE_MS)).toMatchObject({ code: "invalid_request" });
	});
});

test.each(["/cross-session-inbound show", "/peers", "/list-pi", "/reference none"])(
	"a reload while %s is carried out ends it quietly",
	async (command) => {
		useOwnAgentDirectory();
		const pi = await start();
		const told = pi.told.length;
		const running = pi.session.prompt(command);
		await pi.session.reload();
		await running;
		expect(pi.extensionErrors).toEqual([]);
		expect(pi.told.slice(told).filter(({ severity }) => severity === "error")).toEqual([]);
	},
);
