/**
 * The other process of a sending measurement: an idle peer, and beside it the bare answers. For each line on its standard
 * input it becomes a new incarnation with a full budget and says its instance id; it ends with that input.
 */
import { createInterface } from "node:readline";
import { Lifecycle } from "../../../lib/inbox/lifecycle.ts";
import { answerBare } from "../baselines/bare-exchange.ts";
import { openBenchPeer } from "./bench-peer.ts";

export interface ReceivingJob {
	/** The agent directory; sockets lie in it too. */
	readonly directory: string;
	readonly bareSocket: string;
}

const { directory, bareSocket } = JSON.parse(process.argv[2] ?? "") as ReceivingJob;
const lifecycle = new Lifecycle();
const server = await answerBare(bareSocket);
for await (const _line of createInterface({ input: process.stdin })) {
	const { instanceId } = await openBenchPeer(lifecycle, directory, "receiver");
	process.stdout.write(`${instanceId}\n`);
}
server.close();
await lifecycle.stop();
