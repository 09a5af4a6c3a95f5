/** The examples of docs/host-rpc.md, extracted, compiled and run as they stand. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { formatBridge } from "../../lib/contract/bridge.ts";
import { createBus } from "../../lib/contract/bus.ts";
import type { Bus, PublicPeer } from "../../lib/contract/index.ts";
import { RECEIVED_TOPIC, type ReceivedMessage } from "../../lib/contract/received.ts";
import { rpcTopics, SEND_TOPIC } from "../../lib/contract/topics.ts";
import { context } from "../contract/probe-bus.ts";
import { freshPaths } from "../inbox/open-session.ts";
import { checkTypes, installContract, project } from "./installed-contract.ts";
import { type FullHost, openFullHost } from "./open-hosts.ts";

const document = readFileSync(path.join(project, "docs/host-rpc.md"), "utf8");
const block = /^```ts file=(\S+)\n(.*?)^```$/gms;
const examples = [...document.matchAll(block)].map(([, file = "", text = ""]) => ({ file, text }));

let directory: string;
beforeAll(() => {
	directory = installContract();
	for (const { file, text } of examples) writeFileSync(path.join(directory, file), text);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const load = <Exports>(file: string): Promise<Exports> => import(pathToFileURL(path.join(directory, file)).href);

let here: FullHost;
let there: FullHost;
let remoteInstanceId: string;
beforeEach(async () => {
	const paths = await freshPaths();
	here = await openFullHost(paths);
	there = await openFullHost(paths);
	remoteInstanceId = there.instanceId;
});

it("every block of code in the text is one of them", () => {
	expect(document.match(/^```./gm)).toHaveLength(examples.length);
	expect(examples.map(({ file }) => file)).toContain("without-pi.ts");
});

it("every topic has one, and each is named in the table", () => {
	for (const topic of Object.keys(rpcTopics)) {
		expect(document).toContain(`| \`${topic}\` |`);
		const constant = `${topic.slice("cross-session:rpc:".length).replace("-", "_").toUpperCase()}_TOPIC`;
		expect(examples.some(({ text }) => text.includes(constant))).toBe(true);
	}
});

it("their types hold", () => {
	// As a bundler resolves: mitt's own declarations fit nothing else.
	const files = examples.map(({ file }) => file);
	checkTypes(directory, files, { module: "preserve" });
});

type Send = (bus: Bus, remoteInstanceId: string, messageId: string, text: string) => Promise<string>;

describe("asking", () => {
	it("envelope.ts names the incarnation that is up", async () => {
		const { envelope } = await load<{ envelope: (bus: Bus) => Promise<object> }>("envelope.ts");
		const { sessionId, instanceId } = here.session.presence;
		expect(await envelope(here.bus)).toMatchObject({ version: 1, local: { sessionId, instanceId } });
	});

	it("outcomes.ts tells the three ends apart", async () => {
		type DescribeEnd = (bus: Bus, signal?: AbortSignal) => Promise<string>;
		const { describeEnd } = await load<{ describeEnd: DescribeEnd }>("outcomes.ts");
		expect(await describeEnd(here.bus)).toBe("answered: 1 peers");
		expect(await describeEnd(here.bus, AbortSignal.abort())).toMatch(/^no reply: receipt_unknown\. /);
	});

	it("info.ts knows what is left", async () => {
		const { canSend } = await load<{ canSend: (bus: Bus, count: number) => Promise<boolean> }>("info.ts");
		expect([await canSend(here.bus, 256), await canSend(here.bus, 257)]).toEqual([true, false]);
	});

	it("peers.ts lists who can be written to", async () => {
		const { colleagues } = await load<{ colleagues: (bus: Bus) => Promise<PublicPeer[]> }>("peers.ts");
		expect(await colleagues(here.bus)).toMatchObject([{ instanceId: remoteInstanceId }]);
		await there.session.presence.setMode("refuse");
		expect(await colleagues(here.bus)).toEqual([]);
	});

	it("peer-context.ts reads what a model said last", async () => {
		type LastAnswer = (bus: Bus, peer: Pick<PublicPeer, "id">) => Promise<string | undefined>;
		const { lastAnswer } = await load<{ lastAnswer: LastAnswer }>("peer-context.ts");
		const said = context.conversation?.messages.findLast(({ role }) => role === "assistant");
		expect(await lastAnswer(here.bus, { id: "peer" })).toBe(said?.text);
	});
});

describe("sending", () => {
	it("send.ts tells what is known", async () => {
		const { send } = await load<{ send: Send }>("send.ts");
		expect(await send(here.bus, remoteInstanceId, "m1", "Hello.")).toBe("taken");
		expect(there.pi.delivered).toMatchObject([{ messageId: "m1", text: "Hello." }]);
		expect(await send(here.bus, remoteInstanceId, "m2", " ")).toBe("refused");
		expect(await send(here.bus, "a name", "m3", "Hello.")).toBe("refused");
		expect(await send(losingReplies(here.bus), remoteInstanceId, "m4", "Hello again.")).toBe("unknown");
	});

	it("status.ts finds out what the receipt did not tell, and sends once", async () => {
		const { sendAndFindOut } = await load<{ sendAndFindOut: Send }>("status.ts");
		expect(await sendAndFindOut(here.bus, remoteInstanceId, "m1", "Hello.")).toBe("taken");
		const decision = Promise.withResolvers<"submitted">();
		there.pi.decide = () => decision.promise;
		const lossy = losingReplies(here.bus);
		expect(await sendAndFindOut(lossy, remoteInstanceId, "m2", "Hello again.")).toBe("unknown");
		decision.resolve("submitted");
		const { states } = there.session.presence.inbox;
		await expect.poll(() => states.get(here.instanceId, "m2")).toBe("submitted");
		expect(await sendAndFindOut(lossy, remoteInstanceId, "m2", "Hello again.")).toBe("taken");
		expect(there.pi.delivered.map(({ messageId }) => messageId)).toEqual(["m1", "m2"]);
	});
});

describe("what arrives", () => {
	it("received.ts claims what it has room for, and leaves the rest to pi", async () => {
		type Collect = (bus: Bus, word: string, capacity: number, collected: string[]) => () => void;
		const { collect } = await load<{ collect: Collect }>("received.ts");
		const collected: string[] = [];
		onTestFinished(collect(there.bus, "todo", 1, collected));
		const { outbox } = here.session.presence;
		for (const text of ["todo one", "other", "todo two"]) await outbox.send({ target: remoteInstanceId, text });
		expect(collected).toEqual(["todo one"]);
		expect(there.pi.delivered.map(({ text }) => text)).toEqual(["other", "todo two"]);
	});

	it("bridge.ts answers with the next hop of the envelope", async () => {
		type AnswerQuestions = (bus: Bus, answerTo: (question: unknown) => string) => () => void;
		const { answerQuestions } = await load<{ answerQuestions: AnswerQuestions }>("bridge.ts");
		onTestFinished(answerQuestions(there.bus, (question) => `I don't know ${question}.`));
		const answer = Promise.withResolvers<ReceivedMessage>();
		here.bus.on(RECEIVED_TOPIC, (data) => answer.resolve(data as ReceivedMessage));
		const expiresAt = Date.now() + 10_000;
		const envelope = { version: 1 as const, origin: "o", correlationId: "c", expiresAt, hops: 0, budget: 4 };
		const text = formatBridge({ ...envelope, payload: { question: "why" } });
		const { receipt } = await here.session.presence.outbox.send({ target: remoteInstanceId, text });
		expect(receipt.code).toBe("accepted");
		const { bridge } = await answer.promise;
		expect(bridge).toEqual({ ...envelope, hops: 1, budget: 3, payload: { answer: "I don't know why." } });
		expect(here.pi.delivered).toEqual([]);
	});
});

it("without-pi.ts has responder and caller on one mitt emitter", async () => {
	const { info } = await load<{ info: unknown }>("without-pi.ts");
	expect(info).toMatchObject({ ok: true, requestId: "first", local: { sessionId: "my-session" } });
});

/** The same bus for a caller to whom a send's reply does not come, since the bus fails in the middle of it. */
function losingReplies(bus: Bus): Bus {
	const silent = createBus();
	return {
		emit(topic, data) {
			bus.emit(topic, data);
			if (topic === SEND_TOPIC) throw new Error("stale");
		},
		on: (topic, handler) => (topic.startsWith(SEND_TOPIC) ? silent.on(topic, handler) : bus.on(topic, handler)),
	};
}
