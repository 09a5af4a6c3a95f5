/**
 * A session in a process of its own, for tests of what processes leave behind. Says one JSON line when it is there and
 * one for each message; takes commands by line. Dies where it is told to, without a chance to clean up.
 */
import { createInterface } from "node:readline";
import { Lifecycle } from "../../lib/inbox/lifecycle.ts";
import { Presence } from "../../lib/inbox/presence.ts";
import { currentPathFacts, peerPaths } from "../../lib/peers/paths.ts";
import { type FileOperations, systemFiles } from "../../lib/peers/private-files.ts";
import { Receiver } from "../../lib/wire/server.ts";

/** Where a process can be told to die: around an operation of its start, or with a message in its hands. */
export type Phase =
	| "before open"
	| "after open"
	| "before rename"
	| "after rename"
	| "before bind"
	| "after bind"
	| "at delivery";

interface Orders {
	readonly agentDirectory: string;
	readonly socketRoot: string;
	readonly dieAt?: Phase;
	/** Whether to hold the process by listening to commands. */
	readonly listen: boolean;
}

const orders: Orders = JSON.parse(process.argv[2] ?? "");

function passing(phase: Phase): void {
	if (phase === orders.dieAt) process.kill(process.pid, "SIGKILL");
}

async function surrounded<Result>(name: "open" | "rename" | "bind", task: () => Promise<Result>): Promise<Result> {
	passing(`before ${name}`);
	const result = await task();
	passing(`after ${name}`);
	return result;
}

function say(value: Record<string, unknown>): void {
	process.stdout.write(`${JSON.stringify(value)}\n`);
}

const files: FileOperations = {
	...systemFiles,
	open: (path, flags, mode) => surrounded("open", () => systemFiles.open(path, flags, mode)),
	rename: (from, to) => surrounded("rename", () => systemFiles.rename(from, to)),
};

const facts = { ...currentPathFacts(), socketRoot: orders.socketRoot };
const lifecycle = new Lifecycle();
const presence = await lifecycle.start((scope) =>
	Presence.open(
		{
			agentDirectory: orders.agentDirectory,
			paths: peerPaths(orders.agentDirectory, facts),
			sessionId: `process-${process.pid}`,
			describe: () => ({ name: "process", cwd: "/workspace", status: "idle" }),
			inbound: "accept",
			delivery: {
				refusal: () => null,
				deliver: ({ text, sender }) => {
					say({ event: "message", text, from: sender.instanceId });
					passing("at delivery");
					return "submitted";
				},
			},
			files,
			openReceiver: (options) => surrounded("bind", () => Receiver.open(options)),
		},
		scope,
	),
);
say({ event: "ready", instanceId: presence.instanceId });

if (orders.listen) {
	const commands = createInterface({ input: process.stdin });
	commands.on("line", (line) => {
		const { target, text } = JSON.parse(line);
		void presence.outbox.send({ target, text }).then((result) => say({ event: "sent", code: result.receipt.code }));
	});
	// A clean exit: whoever holds the other end of the commands lets go.
	commands.on("close", () => void lifecycle.stop());
}
