/** Requests about messages that are wrong or hostile: a clear code, nothing sent, nothing spent but the request id. */
import { beforeEach, describe, expect, it } from "vitest";
import { PEERS_TOPIC, replyTopic, SEND_TOPIC } from "../../lib/contract/topics.ts";
import { foreign } from "../contract/probe-bus.ts";
import { aboutPeer, hostAndPeer, messageTopics, sendRequest } from "./open-host.ts";
import { settle, unreadable } from "./peer-context-setting.ts";

let scene: Awaited<ReturnType<typeof hostAndPeer>>;
beforeEach(async () => {
	scene = await hostAndPeer();
});

const trap = (): never => {
	throw new Error("secret");
};

type Request = Record<string, unknown>;

/** Emits a request and gives what came back; everything that is to be refused is refused at once. */
async function replies(topic: string, request: unknown): Promise<unknown[]> {
	expect(() => scene.bus.emit(topic, request)).not.toThrow();
	await settle();
	return scene.bus.dataOn(replyTopic(topic, "r"));
}

function expectNothingSent(): void {
	expect(scene.peer.delivery.delivered).toEqual([]);
	expect(scene.host.presence.budget.remaining).toBe(256);
	expect(JSON.stringify(scene.bus.emitted.map(({ topic }) => topic))).not.toContain("received");
}

const rightRequest = (): Request => sendRequest(scene.local, scene.remoteInstanceId);

describe.each([...messageTopics, PEERS_TOPIC])("on %s", (topic) => {
	const envelopes: [string, (request: Request) => unknown][] = [
		["another version", (request) => ({ ...request, version: 2 })],
		["another session", (request) => ({ ...request, local: { ...scene.local, sessionId: "other" } })],
		["another incarnation", (request) => ({ ...request, local: foreign })],
		["no incarnation", ({ local: _, ...request }) => request],
		["an incarnation that can't be read", (request) => ({ ...request, local: unreadable() })],
		["a version that throws", (request) => Object.defineProperty(request, "version", { get: trap })],
		["nothing but an id", () => ({ requestId: "r" })],
		["everything inherited from a hostile prototype", (request) => hostileHeir(request)],
	];
	it.each(envelopes)("%s is refused", async (_name, change) => {
		expect(await replies(topic, change(rightRequest()))).toMatchObject([
			{ ok: false, code: "invalid_request", state: "refused", retryable: false, local: scene.local },
		]);
		expectNothingSent();
	});
});

describe.each(messageTopics)("on %s", (topic) => {
	const fields: [string, string, unknown][] = [
		["remoteInstanceId", "a name", "session-1"],
		["remoteInstanceId", "hex digits and a letter", `${"a".repeat(31)}g`],
		["remoteInstanceId", "a prefix", "a".repeat(31)],
		["remoteInstanceId", "one digit too many", "a".repeat(33)],
		["remoteInstanceId", "upper-case digits", "A".repeat(32)],
		["remoteInstanceId", "an id with a newline", `${"a".repeat(32)}\n`],
		["remoteInstanceId", "a list", ["a".repeat(32)]],
		["remoteInstanceId", "an object that becomes an id", { toString: () => "a".repeat(32) }],
		["remoteInstanceId", "a million digits", "a".repeat(1_000_000)],
		["remoteInstanceId", "nothing", undefined],
		["messageId", "an id with a blank", "a b"],
		["messageId", "an empty id", ""],
		["messageId", "an id of 129 characters", "a".repeat(129)],
		["messageId", "a number", 7],
		["messageId", "nothing", undefined],
	];
	it.each(fields)("%s: %s is refused, by the field's name", async (field, _name, value) => {
		const [reply] = await replies(topic, { ...rightRequest(), [field]: value });
		expect(reply).toMatchObject({ ok: false, code: "invalid_request", state: "refused", retryable: false });
		expect(reply).toHaveProperty("error", expect.stringContaining(`The request's ${field} must be`));
		expectNothingSent();
	});

	it.each(["remoteInstanceId", "messageId"])(
		"a getter for %s that throws is refused, without its error",
		async (field) => {
			const answer = await replies(topic, Object.defineProperty(rightRequest(), field, { get: trap }));
			expect(answer).toMatchObject([{ ok: false, code: "invalid_request" }]);
			expect(JSON.stringify(answer)).not.toContain("secret");
			expectNothingSent();
		},
	);

	it("a getter that gives something else at each look is looked at once", async () => {
		let looks = 0;
		const request = Object.defineProperty(rightRequest(), "remoteInstanceId", {
			get: () => (looks++ === 0 ? "not an id" : scene.remoteInstanceId),
		});
		expect(await replies(topic, request)).toMatchObject([{ ok: false, code: "invalid_request" }]);
		expect(looks).toBe(1);
		expectNothingSent();
	});
});

const cycle: unknown[] = [];
cycle.push(cycle);
const texts: [string, unknown][] = [
	["text", undefined],
	["text", null],
	["text", ["a"]],
	["text", new String("a")],
	["text", cycle],
	["summary", 7],
	["summary", null],
	["summary", cycle],
];
it.each(texts)("a %s that is no text is refused: %#", async (field, value) => {
	const answer = await replies(SEND_TOPIC, { ...rightRequest(), [field]: value });
	expect(answer).toMatchObject([{ ok: false, code: "invalid_request" }]);
	expectNothingSent();
});

it.each(["all", true, ["recent"], cycle, null])("peers with an unknown include is refused: %#", async (include) => {
	const { requestId, local } = aboutPeer(scene.local, scene.remoteInstanceId);
	const answer = await replies(PEERS_TOPIC, { version: 1, requestId, local, include });
	expect(answer).toMatchObject([{ ok: false, code: "invalid_request" }]);
});

it("keys that reach prototypes are fields like any others: nobody looks at them", async () => {
	const hostile = JSON.parse('{ "__proto__": { "ok": true }, "constructor": { "prototype": { "ok": true } } }');
	const request = { ...hostile, ...rightRequest(), text: 7 };
	expect(await replies(SEND_TOPIC, request)).toMatchObject([{ ok: false }]);
	expect({}).not.toHaveProperty("ok");
	expectNothingSent();
});

function hostileHeir(request: Request): unknown {
	const prototype = new Proxy({}, { get: trap, has: trap });
	const heir = Object.create(prototype);
	return Object.defineProperty(heir, "requestId", { value: request.requestId });
}
