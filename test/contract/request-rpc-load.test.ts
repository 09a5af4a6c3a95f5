/** A process that asks a hundred thousand times is, after it, the process that it was before. */
import { EventEmitter } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import v8 from "node:v8";
import { runInNewContext } from "node:vm";
import mittModule from "mitt";
import { expect, it } from "vitest";
import { type Bus, fromEventEmitter, fromMitt } from "../../lib/contract/bus.ts";
import { requestRpc } from "../../lib/contract/request-rpc.ts";
import { INFO_TOPIC, replyTopic } from "../../lib/contract/topics.ts";

const mitt = mittModule as unknown as typeof mittModule.default;

v8.setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** What a process holds that a leak would add to. */
async function held() {
	// Two rounds, because finalizers of the first one free more.
	for (let round = 0; round < 2; round += 1) {
		collectGarbage();
		await turn();
	}
	const timers = process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
	return { timers, bytes: process.memoryUsage().heapUsed };
}

/** Answers at once, a moment later, never, or not at all, by the request's id. */
function respond(bus: Bus): void {
	bus.on(INFO_TOPIC, (data) => {
		const { requestId } = data as { requestId: string };
		const answer = () =>
			bus.emit(replyTopic(INFO_TOPIC, requestId), {
				...{ version: 1, requestId, ok: true, local: null, capability: "c", stopped: false },
				...{ remainingBudget: 1, remainingRpcRequests: 1, states: [] },
			});
		if (requestId.startsWith("now")) answer();
		else if (requestId.startsWith("later")) queueMicrotask(answer);
	});
}

const kinds = ["now", "now", "now", "now", "later", "later", "later", "aborted", "unanswered", "now"] as const;

/** One call of each kind; resolves when all have ended. */
async function askAll(bus: Bus, round: number): Promise<string[]> {
	const controller = new AbortController();
	const calls = kinds.map((kind, index) => {
		const request = { version: 1 as const, requestId: `${kind}-${round}-${index}` };
		const signal = kind === "aborted" ? controller.signal : undefined;
		return requestRpc(bus, INFO_TOPIC, request, kind === "unanswered" ? 1 : 5000, signal);
	});
	controller.abort();
	const ends = await Promise.allSettled(calls);
	return ends.map((end) => (end.status === "fulfilled" ? "answered" : end.reason.code));
}

/** A number of rounds at the same time, so that waiting for timeouts costs little. */
async function askRounds(bus: Bus, first: number, rounds: number): Promise<Record<string, number>> {
	const counts: Record<string, number> = {};
	const all = await Promise.all(Array.from({ length: rounds }, (_, index) => askAll(bus, first + index)));
	for (const end of all.flat()) counts[end] = (counts[end] ?? 0) + 1;
	return counts;
}

function mittBus() {
	const emitter = mitt<Record<string, unknown>>();
	return { bus: fromMitt(emitter), topics: () => [...emitter.all.keys()] };
}

function emitterBus() {
	const emitter = new EventEmitter();
	return { bus: fromEventEmitter(emitter), topics: () => emitter.eventNames() };
}

it.each([
	["a mitt bus", mittBus],
	["a bus over Node's emitter", emitterBus],
])(
	"100,000 requests on %s leave no topic, no timer and no memory behind",
	{ timeout: 120_000 },
	async (_name, make) => {
		const { bus, topics } = make();
		respond(bus);
		await askRounds(bus, 0, 500);
		const before = await held();
		const total: Record<string, number> = {};
		for (let batch = 0; batch < 20; batch += 1) {
			for (const [end, count] of Object.entries(await askRounds(bus, batch * 500, 500))) {
				total[end] = (total[end] ?? 0) + count;
			}
		}
		const after = await held();
		expect(total).toEqual({ answered: 80_000, receipt_unknown: 20_000 });
		expect(topics()).toEqual([INFO_TOPIC]);
		// Every fifth call would leave one; the test runner has a few of its own that come and go.
		expect(after.timers - before.timers).toBeLessThan(10);
		// Less than eleven bytes a call: room for what the engine itself keeps, none for a listener each.
		expect(after.bytes - before.bytes).toBeLessThan(1024 * 1024);
	},
);
