/**
 * The main job on real pi sessions: one works, another in the same directory looks at it, first by RPC, then through its
 * model's tool. `--json` prints the reply and the tool's value as one object and nothing else.
 */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { PiProcess } from "../support/pi/pi-process.ts";
import { type DemoResult, describeDemo } from "./describe-demo.ts";

const PASSWORD_LINE = "password = hunter2";

async function runDemo(): Promise<DemoResult> {
	const workspace = mkdtempSync(path.join(tmpdir(), "workspace-"));
	mkdirSync(path.join(workspace, "src"));
	writeFileSync(path.join(workspace, "src", "retry.ts"), "export const delay = 100;\n");
	writeFileSync(path.join(workspace, "settings.ini"), `${PASSWORD_LINE}\n`);

	const worker = new PiProcess({
		cwd: workspace,
		script: [
			{
				thinking: "The delay never grows, so three tries end within 300 ms. I look at the code first.",
				text: "I look at the retry code and its settings.",
				calls: [
					{ name: "read", arguments: { path: "src/retry.ts" } },
					{ name: "read", arguments: { path: "settings.ini" } },
				],
			},
			{
				text: "The delay is constant. I make it grow.",
				calls: [{ name: "write", arguments: { path: "src/retry.ts", content: "export const delay = 100 * 2;\n" } }],
			},
			{ text: "src/retry.ts now doubles the delay. The tests in src/retry.test.ts still have to be adapted." },
		],
	});
	try {
		await worker.start();
		await worker.prompt("The retry test is flaky on slow machines. Find out why and fix it.");
		const { sessionId, sessionFile = "" } = await worker.client.getState();
		const before = stateOf(sessionFile);
		const looked = await lookAt(sessionId, workspace);
		return { ...looked, logUnchanged: stateOf(sessionFile) === before };
	} finally {
		await worker.stop();
	}
}

/** Content and times of a file in one string. */
function stateOf(file: string): string {
	const { mtimeNs, ctimeNs } = statSync(file, { bigint: true });
	const content = createHash("sha256").update(readFileSync(file)).digest("hex");
	return [content, mtimeNs, ctimeNs].join(" ");
}

async function lookAt(sessionId: string, workspace: string): Promise<Omit<DemoResult, "logUnchanged">> {
	const looker = new PiProcess({
		cwd: workspace,
		script: [
			{ text: "I look at the other session first.", calls: [{ name: "get_peer_context", arguments: { sessionId } }] },
			{ text: "The other session has changed src/retry.ts and left the tests: I adapt src/retry.test.ts." },
		],
		extensions: [path.join(import.meta.dirname, "look-adapter.ts")],
		flags: ["--cross-session-rpc", "--cross-session-tool"],
	});
	try {
		await looker.start();
		const reply = path.join(workspace, "..", `reply-${process.pid}.json`);
		await looker.command(`/look ${sessionId} ${reply}`);
		await looker.prompt("Is anyone working on the retry code? Then take what is left.");
		const call = looker.finishedCalls.find(({ toolName }) => toolName === "get_peer_context");
		if (!call || call.isError) throw new Error(`The tool gave no context: ${call?.text}`);
		return {
			rpc: JSON.parse(readFileSync(reply, "utf8")),
			tool: JSON.parse(call.text),
		};
	} finally {
		await looker.stop();
	}
}

const result = await runDemo();
const { rpc, tool } = result;
process.stdout.write(process.argv.includes("--json") ? `${JSON.stringify({ rpc, tool })}\n` : describeDemo(result));
