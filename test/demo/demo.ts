/**
 * The main job on real pi sessions: one works, another in the same directory looks at it, first by RPC, then through its
 * model's tool, and then sends it a message. `--json` prints the reply, the tool's value and the receipt as one object
 * and nothing else.
 */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { isDeepStrictEqual } from "node:util";
import { fileState } from "../support/file-state.ts";
import { PiProcess } from "../support/pi/pi-process.ts";
import { type DemoResult, describeDemo } from "./describe-demo.ts";

const PASSWORD_LINE = "password = hunter2";
const ANSWER = "The tests are yours. I leave src/retry.test.ts alone.";

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
			{ text: ANSWER },
		],
	});
	try {
		await worker.start();
		await worker.prompt("The retry test is flaky on slow machines. Find out why and fix it.");
		const { sessionId, sessionFile = "" } = await worker.client.getState();
		const before = fileState(sessionFile);
		const looker = startLooker(sessionId, workspace);
		try {
			await looker.start();
			const looked = await lookAt(looker, sessionId, workspace);
			const logUnchanged = isDeepStrictEqual(fileState(sessionFile), before);
			const answered = worker.reported((event) => event.includes(ANSWER));
			const message = await sendMessage(looker);
			await answered;
			return { ...looked, logUnchanged, message, answer: ANSWER };
		} finally {
			await looker.stop();
		}
	} finally {
		await worker.stop();
	}
}

function startLooker(sessionId: string, workspace: string): PiProcess {
	const message = "I adapt src/retry.test.ts to your change in src/retry.ts. Tell me if you have begun with it.";
	return new PiProcess({
		cwd: workspace,
		script: [
			{ text: "I look at the other session first.", calls: [{ name: "get_peer_context", arguments: { sessionId } }] },
			{ text: "The other session has changed src/retry.ts and left the tests: I adapt src/retry.test.ts." },
			{ calls: [{ name: "send_pi_message", arguments: { target: sessionId, message } }] },
			{ text: "I have told it." },
		],
		extensions: [path.join(import.meta.dirname, "look-adapter.ts")],
		flags: ["--cross-session-rpc", "--cross-session-tool"],
	});
}

async function lookAt(
	looker: PiProcess,
	sessionId: string,
	workspace: string,
): Promise<Pick<DemoResult, "rpc" | "tool">> {
	const reply = path.join(workspace, "..", `reply-${process.pid}.json`);
	await looker.command(`/look ${sessionId} ${reply}`);
	await looker.prompt("Is anyone working on the retry code? Then take what is left.");
	return { rpc: JSON.parse(readFileSync(reply, "utf8")), tool: resultOf(looker, "get_peer_context") };
}

async function sendMessage(looker: PiProcess): Promise<DemoResult["message"]> {
	await looker.prompt("Tell the other session what you take.");
	return resultOf(looker, "send_pi_message");
}

/** What a tool answered, as its JSON value. */
function resultOf<Value>(pi: PiProcess, tool: string): Value {
	const call = pi.finishedCalls.find(({ toolName }) => toolName === tool);
	if (!call || call.isError) throw new Error(`${tool} failed: ${call?.text}`);
	return JSON.parse(call.text);
}

const result = await runDemo();
const { rpc, tool, message } = result;
const json = { rpc, tool, message: { receipt: message.receipt } };
process.stdout.write(process.argv.includes("--json") ? `${JSON.stringify(json)}\n` : describeDemo(result));
