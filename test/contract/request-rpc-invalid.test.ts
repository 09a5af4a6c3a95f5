/** Requests that are refused on the spot: typed, by rejection, and before the bus is touched. */
import { expect, it } from "vitest";
import { RpcError } from "../../lib/contract/errors.ts";
import { requestRpc } from "../../lib/contract/request-rpc.ts";
import { PEER_CONTEXT_TOPIC, type RpcRequest, type RpcTopic } from "../../lib/contract/topics.ts";
import { answerWith, contextReply, contextRequest, ProbeBus } from "./probe-bus.ts";

type ContextRequest = RpcRequest<typeof PEER_CONTEXT_TOPIC>;
const valid = contextRequest("r");

/** What only code without types can pass. */
const untyped = (changes: Record<string, unknown>) => ({ ...valid, ...changes }) as unknown as ContextRequest;

const hostile = (name: string) =>
	Object.defineProperty({ ...valid }, name, {
		enumerable: true,
		get() {
			throw new Error("secret text of a getter");
		},
	}) as ContextRequest;

const requests: [string, ContextRequest][] = [
	["no object", null as unknown as ContextRequest],
	["another version", untyped({ version: 2 })],
	["no request id", untyped({ requestId: undefined })],
	["an empty request id", untyped({ requestId: "" })],
	["a request id of 129 characters", untyped({ requestId: "x".repeat(129) })],
	["a request id with a colon", untyped({ requestId: "a:b" })],
	["a request id with a newline at its end", untyped({ requestId: "a\n" })],
	["no local", untyped({ local: undefined })],
	["a local without an instance", untyped({ local: { sessionId: "s" } })],
	["a request id that throws", hostile("requestId")],
	["a local that throws", hostile("local")],
	["an argument that throws", hostile("view")],
	["a local whose field throws", { ...valid, local: hostile("sessionId") as unknown as ContextRequest["local"] }],
];

async function rejectionOf(call: (bus: ProbeBus) => Promise<unknown>): Promise<RpcError> {
	const bus = new ProbeBus();
	const error = await call(bus).then(
		() => undefined,
		(reason: unknown) => reason,
	);
	expect(bus.emitted).toEqual([]);
	expect(bus.listeners()).toBe(0);
	if (!(error instanceof RpcError)) throw new Error("expected an RpcError");
	return error;
}

it.each(requests)("%s is an invalid request", async (_name, request) => {
	const error = await rejectionOf((bus) => requestRpc(bus, PEER_CONTEXT_TOPIC, request));
	expect(error).toMatchObject({ code: "invalid_request", state: "refused", retryable: false });
	expect(error.next).not.toBe("");
	expect(error.message).not.toContain("secret");
});

it.each([0, 0.99, -1, 5000.1, 5001, Number.NaN, Number.POSITIVE_INFINITY, "100" as unknown as number])(
	"a timeout of %s is an invalid request",
	async (timeoutMs) => {
		const error = await rejectionOf((bus) => requestRpc(bus, PEER_CONTEXT_TOPIC, valid, timeoutMs));
		expect(error).toMatchObject({ code: "invalid_request", state: "refused", retryable: false });
	},
);

it.each([1, 1.5, 5000])("a timeout of %s is a valid one", async (timeoutMs) => {
	const bus = new ProbeBus();
	answerWith(bus, contextReply);
	await expect(requestRpc(bus, PEER_CONTEXT_TOPIC, valid, timeoutMs)).resolves.toMatchObject({ ok: true });
});

it.each(["cross-session:rpc:nothing", "__proto__", "constructor"])(
	"the topic %s is an invalid request",
	async (topic) => {
		const error = await rejectionOf((bus) => requestRpc(bus, topic as RpcTopic, valid));
		expect(error.code).toBe("invalid_request");
	},
);

it("a signal that is none is an invalid request", async () => {
	const signal = { aborted: false } as unknown as AbortSignal;
	const error = await rejectionOf((bus) => requestRpc(bus, PEER_CONTEXT_TOPIC, valid, 100, signal));
	expect(error.code).toBe("invalid_request");
});

it.each(["a", "A-z_0", "x".repeat(128), "__proto__"])("%s is a request id", async (requestId) => {
	const bus = new ProbeBus();
	answerWith(bus, contextReply);
	await expect(requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest(requestId))).resolves.toMatchObject({ requestId });
});
