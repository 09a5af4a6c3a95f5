/** Microseconds of one message to an idle peer in another process, and of one bare exchange, in alternating batches. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { Lifecycle } from "../../../lib/inbox/lifecycle.ts";
import { exchangeBare } from "../baselines/bare-exchange.ts";
import { millisecondsOf } from "../measures/duration.ts";
import { median } from "../measures/median.ts";
import { openBenchPeer } from "./bench-peer.ts";
import { runJob } from "./job.ts";
import type { ReceivingJob } from "./receiving-peer.ts";

/** What one sender may send to one receiver at a time. */
const MESSAGES_IN_BATCH = 28;
const BATCHES = 40;
/** The first batches are the compiler's. */
const WARM_UP_BATCHES = 20;

const TEXT = "The parser is done; its tests are in test/parser. Please take the printer, and tell me when you begin.";

function startReceiver(job: ReceivingJob): ChildProcessByStdio<Writable, Readable, null> {
	const script = fileURLToPath(new URL("./receiving-peer.ts", import.meta.url));
	return spawn(process.execPath, [script, JSON.stringify(job)], { stdio: ["pipe", "pipe", "inherit"] });
}

async function microsecondsEach(action: () => Promise<unknown>): Promise<number[]> {
	const times: number[] = [];
	for (let count = 0; count < MESSAGES_IN_BATCH; count += 1) times.push((await millisecondsOf(action)) * 1000);
	return times;
}

function exchange(bareSocket: string): Promise<void> {
	const hello = { v: 1, type: "hello", requestId: randomUUID(), token: "0".repeat(64), from: "0".repeat(160) };
	const message = { v: 1, type: "message", requestId: randomUUID(), messageId: randomUUID(), text: TEXT };
	return exchangeBare(bareSocket, hello, message);
}

async function measure(directory: string): Promise<{ send: number; bare: number }> {
	const bareSocket = path.join(directory, "bare.sock");
	const receiver = startReceiver({ directory, bareSocket });
	const ended = once(receiver, "exit");
	const instanceIds = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]();
	const lifecycle = new Lifecycle();
	const [send, bare]: [number[], number[]] = [[], []];
	for (let batch = 0; batch < BATCHES; batch += 1) {
		// Both incarnations are new: what they may send and take is bounded, and nothing refills it.
		receiver.stdin.write("\n");
		const { value: target } = await instanceIds.next();
		const { outbox } = await openBenchPeer(lifecycle, directory, "sender");
		const sent = await microsecondsEach(async () => {
			const { receipt } = await outbox.send({ target, text: `${TEXT} ${randomUUID()}` });
			if (receipt.code !== "submitted") throw new Error(`A message was not submitted: ${receipt.code}`);
		});
		const exchanged = await microsecondsEach(() => exchange(bareSocket));
		if (batch < WARM_UP_BATCHES) continue;
		send.push(...sent);
		bare.push(...exchanged);
	}
	await lifecycle.stop();
	receiver.stdin.end();
	await ended;
	return { send: median(send), bare: median(bare) };
}

await runJob(async () => {
	const directory = mkdtempSync(path.join(tmpdir(), "send-"));
	try {
		return await measure(directory);
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
});
