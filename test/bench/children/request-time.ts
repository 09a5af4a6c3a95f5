/** Microseconds of one `requestRpc` and of one bare request on pi's own bus, in alternating batches. */
import { randomUUID } from "node:crypto";
import { createEventBus } from "@earendil-works/pi-coding-agent";
import { CANCEL_SAFE_QUEUE, type InfoReply } from "../../../lib/contract/info.ts";
import { requestRpc } from "../../../lib/contract/request-rpc.ts";
import { INFO_TOPIC, replyTopic } from "../../../lib/contract/topics.ts";
import { requestBare, respondBare } from "../baselines/bare-request.ts";
import { millisecondsOf } from "../measures/duration.ts";
import { median } from "../measures/median.ts";
import { runJob } from "./job.ts";

const BATCHES = 12;
const REQUESTS_IN_BATCH = 1000;

const bus = createEventBus();

/** What a session with some history answers. */
function infoReply(requestId: string): InfoReply {
	return {
		version: 1,
		requestId,
		ok: true,
		local: { sessionId: "019ca3f0-0000-7000-8000-000000000001", instanceId: "0123456789abcdef0123456789abcdef" },
		capability: CANCEL_SAFE_QUEUE,
		stopped: false,
		remainingBudget: 200,
		remainingRpcRequests: 250,
		states: [],
	};
}

bus.on(INFO_TOPIC, (data) => {
	const { requestId } = data as { requestId: string };
	bus.emit(replyTopic(INFO_TOPIC, requestId), infoReply(requestId));
});
respondBare(bus, infoReply);

async function microseconds(request: () => Promise<unknown>): Promise<number> {
	const batch = async () => {
		for (let sent = 0; sent < REQUESTS_IN_BATCH; sent += 1) await request();
	};
	return ((await millisecondsOf(batch)) * 1000) / REQUESTS_IN_BATCH;
}

await runJob(async () => {
	const rpc: number[] = [];
	const bare: number[] = [];
	for (let batch = 0; batch < BATCHES; batch += 1) {
		rpc.push(await microseconds(() => requestRpc(bus, INFO_TOPIC, { version: 1, requestId: randomUUID() })));
		bare.push(await microseconds(() => requestBare(bus, randomUUID())));
	}
	// The first batches are the compiler's.
	return { rpc: median(rpc.slice(2)), bare: median(bare.slice(2)) };
});
