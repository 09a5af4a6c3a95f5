/** The main job on two real pi processes: one works, another in the same directory looks at it. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PEER_CONTEXT_TOPIC, type PeerContext, type PeerContextReply } from "../../lib/contract/index.ts";
import { directoryState, fileState } from "../support/file-state.ts";
import { PiProcess } from "../support/pi/pi-process.ts";
import type { ScriptedReply } from "../support/pi/scripted-model.ts";
import { makeDirectory } from "../support/pi/workspaces.ts";

const workspace = makeDirectory("workspace");

const work: ScriptedReply[] = [
	{
		thinking: "CANARY-reasoning",
		text: "First I keep two things.",
		calls: [
			{ name: "keep", arguments: { what: "CANARY-argument" } },
			{ name: "keep", arguments: { what: "FAIL CANARY-argument" } },
		],
	},
	{
		thinking: "CANARY-more-reasoning",
		text: "Now a command.",
		calls: [{ name: "bash", arguments: { command: "echo CANARY-shell-result # CANARY-shell-argument" } }],
	},
	{ text: "Both things are kept." },
];

const worker = new PiProcess({
	cwd: workspace,
	script: work,
	extensions: [path.join(import.meta.dirname, "../support/pi/canary-extension.ts")],
	flags: ["--append-system-prompt", "CANARY-system-prompt"],
});
/** Where a marker was put in the worker's session; the system prompt alone is never stored. */
const stored = [
	"CANARY-reasoning",
	"CANARY-more-reasoning",
	"CANARY-argument",
	"CANARY-tool-result",
	"CANARY-tool-error",
	"CANARY-tool-details",
	Buffer.from("CANARY-image").toString("base64"),
	"CANARY-shell-result",
	"CANARY-shell-argument",
	"CANARY-custom-message",
	"CANARY-custom-type",
	"CANARY-custom-details",
	"CANARY-custom-entry",
	"CANARY-label",
	"CANARY-bash-run",
];
const markers = [...stored, "CANARY-system-prompt", "CANARY"];

/** Two pi processes, one after the other, on a machine that may be busy. */
const START_PATIENCE_MS = 90_000;

let looker: PiProcess;
let sessionId = "";
let log = "";

beforeAll(async () => {
	writeFileSync(path.join(workspace, "note.txt"), "a note\n");
	await worker.start();
	await worker.prompt("Keep two things and run a command.");
	await worker.client.bash("echo CANARY-bash-run");
	await worker.command("/litter");
	({ sessionId, sessionFile: log = "" } = await worker.client.getState());
	looker = new PiProcess({
		cwd: workspace,
		script: [{ calls: [{ name: "get_peer_context", arguments: { sessionId } }] }, { text: "I have looked." }],
		flags: ["--cross-session-rpc", "--cross-session-tool"],
	});
	await looker.start();
}, START_PATIENCE_MS);

afterAll(() => Promise.all([worker.stop(), looker?.stop()]));

async function look(id: string, view = "overview"): Promise<PeerContext> {
	const reply = (await looker.ask(PEER_CONTEXT_TOPIC, { sessionId: id, view })) as PeerContextReply;
	if (!reply.ok) throw new Error(`No context: ${JSON.stringify(reply)}`);
	return reply.context;
}

/** All but the time of the look. */
function withoutTime({ capture, ...context }: PeerContext) {
	return { ...context, capture: { ...capture, time: 0 } };
}

describe("a session that looks at another by RPC and by tool", () => {
	let reply: PeerContext;

	test("leaves the other's log and its directory as they were, times included", async () => {
		const state = () => ({ file: fileState(log), directory: directoryState(path.dirname(log)) });
		const before = state();
		reply = await look(sessionId);
		expect(state()).toEqual(before);
	});

	test("gets the conversation, the activity and the account of what was left out", () => {
		expect(reply).toMatchObject({
			schemaVersion: 1,
			target: { sessionId, title: null },
			runtimeStatus: "idle",
			capture: { damagedLines: 0 },
			conversation: {
				messages: [
					{ role: "assistant", text: "First I keep two things.", omittedBytes: 0 },
					{ role: "assistant", text: "Now a command.", omittedBytes: 0 },
					{ role: "assistant", text: "Both things are kept.", omittedBytes: 0 },
				],
				retention: { eligibleMessages: 4, returnedMessages: 3, omittedMessages: 1, withheldMessages: 0 },
			},
			activity: {
				tools: [
					{ name: "keep", status: "completed" },
					{ name: "keep", status: "error" },
					{ name: "bash", status: "completed" },
				],
			},
		});
	});

	test("gets the same projection through its model's tool, and leaves the log alone again", async () => {
		const before = fileState(log);
		await looker.prompt("Look at the other session.");
		const [call] = looker.finishedCalls;
		expect(call).toMatchObject({ toolName: "get_peer_context", isError: false });
		expect(withoutTime(JSON.parse(call?.text ?? ""))).toEqual(withoutTime(reply));
		expect(fileState(log)).toEqual(before);
	});

	test("sees no call, result, reasoning, system prompt, custom text or shell run, and neither does its own log", async () => {
		const original = readFileSync(log, "utf8");
		expect(stored.filter((marker) => !original.includes(marker))).toEqual([]);
		const { sessionFile = "" } = await looker.client.getState();
		const seen = [
			JSON.stringify(reply),
			...looker.events,
			looker.client.getStderr(),
			readFileSync(sessionFile, "utf8"),
		];
		expect(seen.join("\n")).toContain("Both things are kept.");
		expect(markers.filter((marker) => seen.some((text) => text.includes(marker)))).toEqual([]);
	});
});

test("a session reads alike while it is open and after it has ended, but for its status", async () => {
	const other = new PiProcess({ cwd: workspace, script: [{ text: "Done." }] });
	try {
		await other.start();
		await other.client.setSessionName("A short one");
		await other.prompt("Say that you are done.");
		const id = await other.sessionId();
		const allViews = async () => {
			const views = [];
			for (const view of ["overview", "conversation", "activity"]) views.push(withoutTime(await look(id, view)));
			return views;
		};
		const open = await allViews();
		expect(open[1]).toMatchObject({
			target: { title: "A short one" },
			conversation: { messages: [{ text: "Say that you are done.", attested: true }, { text: "Done." }] },
		});
		await other.stop();
		expect(await allViews()).toEqual(open.map((view) => ({ ...view, runtimeStatus: "offline" })));
	} finally {
		await other.stop();
	}
});

/** Looks at a busy session, few enough for the budget of one topic. */
const MOST_LOOKS = 150;

test("a session that is being written is seen as it was at one instant, every time", async () => {
	const script = Array.from({ length: 60 }, (_, step) => ({
		text: `step ${step} ${"x".repeat(20_000)} end ${step}`,
		calls: [{ name: "read", arguments: { path: "note.txt" } }],
	}));
	const busy = new PiProcess({ cwd: workspace, script: [...script, { text: "All steps are done." }] });
	try {
		await busy.start();
		const id = await busy.sessionId();
		let running = true;
		const run = busy.prompt("Go through all steps.").finally(() => {
			running = false;
		});
		await busy.reported((event) => event.includes('"tool_execution_end"'));
		const captures: number[] = [];
		while (running && captures.length < MOST_LOOKS) {
			const context = await look(id);
			expect(context.capture.damagedLines).toBe(0);
			captures.push(context.capture.throughSeq ?? -1);
			expectNeighbouringSteps(context);
		}
		await run;
		expect(captures).toEqual(captures.toSorted((left, right) => left - right));
		// The log did grow between the looks.
		expect(new Set(captures).size).toBeGreaterThan(2);
	} finally {
		await busy.stop();
	}
});

/** What is shown are neighbouring steps, whole at both ends. */
function expectNeighbouringSteps({ conversation }: PeerContext): void {
	const texts = (conversation?.messages ?? []).filter(({ role }) => role === "assistant").map(({ text }) => text);
	const numbers = texts.flatMap((text) => {
		const [, first, last] = /^step (\d+) .* end (\d+)$/su.exec(text) ?? [];
		if (text === "All steps are done.") return [];
		expect(first, text.slice(0, 40)).toBeDefined();
		expect(last).toBe(first);
		return [Number(first)];
	});
	const [first = 0] = numbers;
	expect(numbers).toEqual(numbers.map((_, index) => first + index));
}
