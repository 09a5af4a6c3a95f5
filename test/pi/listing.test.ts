/** Who is there: the model's list, the person's, and what other programs put into the registry. */
import { chmodSync, renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { describe, expect, test, vi } from "vitest";
import { peerPaths, registrationPath } from "../../lib/peers/paths.ts";
import { ensurePrivateDirectory } from "../../lib/peers/private-files.ts";
import type { Registration } from "../../lib/peers/registration.ts";
import { SessionRecords } from "../../lib/sessions/session-records.ts";
import { registrationFor, writeRegistration } from "../peers/temporary-peers.ts";
import { PATIENT } from "../support/patience.ts";
import { contextOf, lookAt } from "../support/pi/ask.ts";
import type { InProcessPi } from "../support/pi/in-process-pi.ts";
import { storeSession } from "../support/pi/stored-session.ts";
import { registrations, temporaryDirectory, useOwnAgentDirectory } from "../support/pi/workspaces.ts";
import { line, readyAnswer, scriptedReceiver } from "../wire/raw-peers.ts";
import { answers, calling, command, Gate, start, startNamed } from "./message-setting.ts";

async function list(pi: InProcessPi): Promise<Record<string, unknown>> {
	await pi.session.prompt("Who is there?");
	return answers(pi).at(-1)?.value ?? {};
}

const listing = (...includes: Record<string, unknown>[]) =>
	includes.flatMap((include) => calling("list_pi", [include]));

describe("the model's list", () => {
	test("names every live session once, itself not, with what it needs to look at it or write to it", async () => {
		useOwnAgentDirectory();
		const cwd = temporaryDirectory("workspace");
		const here = await startNamed("here", { cwd });
		const there = await startNamed("there");
		const asking = await startNamed("asking", { cwd, script: listing({}) });
		const { peers, ...rest } = await list(asking);
		expect(rest).toEqual({ omittedPeers: 0 });
		const fields = { ref: expect.stringMatching(/^[0-9a-f]{8}$/), instanceId: expect.stringMatching(/^[0-9a-f]{32}$/) };
		const common = { ...fields, status: "idle", inbound: "accept", git: null };
		expect(peers).toEqual([
			{ ...common, name: "there", id: there.sessionId, cwd: there.session.sessionManager.getCwd(), readable: false },
			{ ...common, name: "here", id: here.sessionId, cwd, readable: true },
		]);
		expect(JSON.stringify(peers)).not.toMatch(/token|socketPath/);
	});

	test("with recent names the newest cold sessions of the workspace that may be read, and no other", async () => {
		const agentDirectory = useOwnAgentDirectory();
		const cwd = temporaryDirectory("workspace");
		const named = storeSession(cwd, [["q", "a"]], { name: "Old\u001b[31m plans" });
		const nameless = storeSession(cwd, [["q", "a"]]);
		utimesSync(named.file, new Date(), new Date(Date.now() - 60_000));
		const hidden = storeSession(cwd, [["q", "a"]]);
		const child = storeSession(cwd, [["q", "a"]]);
		storeSession(temporaryDirectory("elsewhere"), [["q", "a"]]);
		const records = new SessionRecords(agentDirectory);
		records.setPrivate(hidden.id, true);
		records.setSubagent(child.id);
		const live = await startNamed("live", { cwd, script: [{ text: "I live." }] });
		await live.session.prompt("Live.");
		const asking = await startNamed("asking", { cwd, script: listing({ include: "recent" }) });
		const { recent } = await list(asking);
		const changedAt = expect.any(Number);
		expect(recent).toEqual([
			{ sessionId: nameless.id, title: null, changedAt },
			{ sessionId: named.id, title: "Old plans", changedAt },
		]);
	});

	test("names twenty recent sessions at most", async () => {
		useOwnAgentDirectory();
		const cwd = temporaryDirectory("workspace");
		const stored = Array.from({ length: 22 }, (_, index) => storeSession(cwd, [[`q${index}`, "a"]]).id);
		const asking = await startNamed("asking", { cwd, script: listing({ include: "recent" }) });
		const { recent } = (await list(asking)) as { recent: { sessionId: string }[] };
		expect(recent).toHaveLength(20);
		expect(stored).toEqual(expect.arrayContaining(recent.map(({ sessionId }) => sessionId)));
	});

	test("refuses another word for include, and says which there is", async () => {
		useOwnAgentDirectory();
		const asking = await start({ script: listing({ include: "everything" }) });
		await asking.session.prompt("Who is there?");
		expect(asking.toolResults()).toEqual([
			{ isError: true, text: expect.stringMatching(/^invalid_request: .*recent/) },
		]);
	});
});

describe("the person's list", () => {
	test.each(["/peers", "/list-pi"])(
		"%s shows live and earlier sessions, private ones too, each as such",
		async (name) => {
			const agentDirectory = useOwnAgentDirectory();
			const cwd = temporaryDirectory("workspace");
			storeSession(cwd, [["q", "a"]], { name: "Earlier work" });
			const neighbour = await startNamed("neighbour", { cwd });
			new SessionRecords(agentDirectory).setPrivate(neighbour.sessionId, true);
			await startNamed("far", { flagValues: { "cross-session-inbound": "refuse" } });
			const asking = await start({ cwd });
			const [text = ""] = await command(asking, name);
			const lines = text.split("\n");
			expect(lines).toContainEqual(
				expect.stringMatching(/^ {2}@neighbour \[\w{8}\] · idle · private · this directory/),
			);
			expect(lines).toContainEqual(expect.stringMatching(/^ {2}@far \[\w{8}\] · idle · takes no messages/));
			expect(lines).toContainEqual(expect.stringMatching(/^ {2}Earlier work · \d+s ago · session /));
		},
	);

	test("says so when nobody is there", async () => {
		useOwnAgentDirectory();
		expect(await command(await start(), "/peers")).toEqual(["No other session is live."]);
	});
});

describe("what a session does is in the registry as it happens", () => {
	test("its name, and whether it works: a look at it says running, idle or offline", async () => {
		const agentDirectory = useOwnAgentDirectory();
		const cwd = temporaryDirectory("workspace");
		const gate = new Gate();
		const script = [{ calls: [{ name: "wait", arguments: {} }] }, { text: "Waited." }];
		const worker = await start({ cwd, extensions: [gate.tool], script });
		const registered = (facts: object) =>
			vi.waitFor(() => expect(registrations(agentDirectory)).toContainEqual(expect.objectContaining(facts)), PATIENT);
		const asking = await start({ cwd, flags: ["cross-session-rpc"], script: listing({}, {}, {}) });
		expect(await list(asking)).toMatchObject({
			peers: [{ name: expect.stringMatching(/^pi-\w{8}$/), status: "idle" }],
		});
		worker.session.setSessionName("retry work");
		const running = worker.session.prompt("Wait.");
		await gate.reached;
		await registered({ name: "retry work", status: "busy" });
		expect(await list(asking)).toMatchObject({ peers: [{ name: "retry work", status: "busy" }] });
		expect(await contextOf(asking.bus, worker.sessionId)).toMatchObject({
			runtimeStatus: "running",
			activity: { turn: { state: "open" }, tools: [{ name: "wait", status: "running" }] },
		});
		gate.open();
		await running;
		await registered({ name: "retry work", status: "idle" });
		expect(await contextOf(asking.bus, worker.sessionId)).toMatchObject({ runtimeStatus: "idle" });
		const { sessionId } = worker;
		await worker.dispose();
		expect(await contextOf(asking.bus, sessionId)).toMatchObject({ runtimeStatus: "offline" });
		expect(await list(asking)).toMatchObject({ peers: [] });
	});

	test("the log of a live peer is found wherever it is, while one that nobody names is not", async () => {
		useOwnAgentDirectory();
		const cwd = temporaryDirectory("workspace");
		const elsewhere = temporaryDirectory("logs");
		const sessionManager = SessionManager.create(cwd, elsewhere);
		const worker = await start({ cwd, sessionManager, script: [{ text: "I work." }] });
		await worker.session.prompt("Work.");
		const asking = await start({ cwd, flags: ["cross-session-rpc"] });
		expect(await contextOf(asking.bus, worker.sessionId)).toMatchObject({ target: { sessionId: worker.sessionId } });
		const { sessionId } = worker;
		await worker.dispose();
		expect(await lookAt(asking.bus, sessionId)).toMatchObject({ ok: false, code: "unauthorized" });
	});
});

/** A registration of another program in the agent directory, with an endpoint that answers for it. */
async function foreignPeer(agentDirectory: string, changes: Partial<Registration> & Record<string, unknown>) {
	const paths = peerPaths(agentDirectory);
	await ensurePrivateDirectory(paths.peersDirectory, paths.userId);
	await ensurePrivateDirectory(paths.socketDirectory ?? "", paths.userId);
	const registration = await writeRegistration(paths, registrationFor(paths, changes));
	await scriptedReceiver(registration, ({ requestId }, socket) => {
		socket.write(line(readyAnswer(registration, requestId)));
	});
	return { paths, registration, file: registrationPath(paths, registration.instanceId) };
}

describe("another implementation's registration", () => {
	test("is seen with fields that nobody here knows, and none of them goes further", async () => {
		const agentDirectory = useOwnAgentDirectory();
		const unknown = { editor: "vim", nested: { secret: "CANARY" } };
		await foreignPeer(agentDirectory, { name: "foreign", ...unknown });
		const asking = await start({ script: listing({}) });
		const found = await list(asking);
		expect(found).toMatchObject({ peers: [{ name: "foreign" }] });
		expect(JSON.stringify(found)).not.toMatch(/CANARY|vim/);
	});

	const hostile: [name: string, spoil: (peer: Awaited<ReturnType<typeof foreignPeer>>) => void][] = [
		["a link", ({ file }) => relink(file)],
		["readable by others", ({ file }) => chmodSync(file, 0o644)],
		["too large", ({ file, registration }) => rewrite(file, { ...registration, padding: "x".repeat(70_000) })],
		[
			"of another socket",
			({ file, registration }) => rewrite(file, { ...registration, socketPath: "/tmp/other.sock" }),
		],
		["of another instance", ({ file, registration }) => rewrite(file, { ...registration, instanceId: "0".repeat(32) })],
		["named in escapes", ({ file, registration }) => rewrite(file, { ...registration, name: "\u001b[2Jevil" })],
		["with a broken secret", ({ file, registration }) => rewrite(file, { ...registration, token: "short" })],
		["of a later version", ({ file, registration }) => rewrite(file, { ...registration, version: 3 })],
	];

	test.each(hostile)("%s is not seen, and shows nothing", async (_name, spoil) => {
		const agentDirectory = useOwnAgentDirectory();
		spoil(await foreignPeer(agentDirectory, { name: "evil" }));
		const asking = await start({ script: listing({}) });
		expect(await list(asking)).toEqual({ peers: [], omittedPeers: 0 });
		expect(await command(asking, "/peers")).toEqual(["No other session is live."]);
	});
});

function rewrite(file: string, registration: object): void {
	writeFileSync(file, JSON.stringify(registration), { mode: 0o600 });
}

function relink(file: string): void {
	const target = path.join(temporaryDirectory("target"), path.basename(file));
	renameSync(file, target);
	symlinkSync(target, file);
}
