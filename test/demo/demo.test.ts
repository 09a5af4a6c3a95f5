/** The demo, run as a person runs it. */
import { execFile } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { peerContextReplySchema, peerContextSchema, receiptSchema } from "../../lib/contract/index.ts";
import { expectPicture, pictureWith } from "../docs/fenced-blocks.ts";

const tsx = path.join(import.meta.dirname, "../../node_modules/tsx/dist/cli.mjs");
const demo = path.join(import.meta.dirname, "demo.ts");

/** Two pi processes, one after the other, on a machine that may be busy; in ms. */
const PATIENCE = { timeout: 120_000 };

async function runDemo(...given: string[]): Promise<string> {
	const { stdout } = await promisify(execFile)(process.execPath, [tsx, demo, ...given]);
	return stdout;
}

test(
	"with --json it prints one object, the RPC's reply, the tool's value and the receipt, and nothing else",
	PATIENCE,
	async () => {
		const stdout = await runDemo("--json");
		expect(stdout.endsWith("}\n")).toBe(true);
		const printed = JSON.parse(stdout);
		expect(Object.keys(printed)).toEqual(["rpc", "tool", "message"]);
		const rpc = peerContextReplySchema.parse(printed.rpc);
		const tool = peerContextSchema.parse(printed.tool);
		if (!rpc.ok) throw new Error(`Refused: ${rpc.code}`);
		expect({ ...tool, capture: null }).toEqual({ ...rpc.context, capture: null });
		expect(rpc.context.conversation?.messages).toHaveLength(3);
		expect(rpc.context.activity?.tools.map(({ name }) => name)).toEqual(["read", "read", "write"]);
		expect(Object.keys(printed.message)).toEqual(["receipt"]);
		expect(receiptSchema.parse(printed.message.receipt)).toMatchObject({ code: "submitted", retryable: false });
		expect(stdout).not.toContain("hunter2");
	},
);

test(
	"without it tells in words who asked, what came back and what was withheld, as the README shows",
	PATIENCE,
	async () => {
		const stdout = await runDemo();
		expectPicture(stdout.split("\n"), pictureWith("README.md", "Two pi sessions work in one directory."));
		for (const text of [
			"over the event bus",
			'"schemaVersion": 1',
			"user messages withheld",
			"as before",
			"get_peer_context",
			"send_pi_message",
			'"code": "submitted"',
			"The tests are yours.",
		]) {
			expect(stdout).toContain(text);
		}
		for (const text of ["undefined", "CHANGED", "hunter2"]) expect(stdout).not.toContain(text);
	},
);
