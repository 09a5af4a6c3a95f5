/**
 * Nothing of what must not be seen comes out, whatever is asked, also when the answer is an error.
 */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { PeerContext } from "../../lib/contract/peer-context.ts";
import { serializePeerContext } from "../../lib/projection/result.ts";
import { CANARY, Canaries, canaryLog, SHOWN, SHOWN_TITLE, SHOWN_TOOLS } from "./canary-log.ts";
import { WANT_ALL } from "./log-directory.ts";
import { SessionLog } from "./session-log.ts";
import { everybodyIs, type ReaderSetting, textsOf, Workspace } from "./workspace.ts";

/** Short lines, lines whose strings are left out when they are loaded, and lines that are never held at all. */
const PADDINGS = [0, 5000, 270_000];

function workspaceOf(padding: number): { workspace: Workspace; canaries: Canaries } {
	const workspace = new Workspace();
	const canaries = new Canaries(padding);
	const file = workspace.add("peer", canaryLog(canaries));
	for (const marker of canaries.given) expect(canaries.given.filter((other) => other === marker)).toHaveLength(1);
	expect(file).not.toContain(CANARY);
	return { workspace, canaries };
}

const views = ["overview", "conversation", "activity"] as const;
const status = (runtimeStatus: PeerContext["runtimeStatus"]): ReaderSetting => ({
	live: everybodyIs(runtimeStatus),
});

describe.each(PADDINGS)("a log with canaries and strings of %i more bytes", (padding) => {
	test("shows none of them in any view", async () => {
		const { workspace, canaries } = workspaceOf(padding);
		expect(canaries.given.length).toBeGreaterThan(200);
		for (const view of views) {
			for (const runtimeStatus of ["running", "idle", "offline"] as const) {
				const context = await workspace.read({ sessionId: "peer", view }, status(runtimeStatus));
				expect(serializePeerContext(context)).not.toContain(CANARY);
			}
		}
	});

	test("shows everything else", async () => {
		const { workspace } = workspaceOf(padding);
		const context = await workspace.read({ sessionId: "peer", view: "conversation" });
		expect(textsOf(context)).toEqual(SHOWN);
		expect(context.target.title).toBe(SHOWN_TITLE);
		expect(context.capture.damagedLines).toBe(0);
		expect(context.conversation?.retention.withheldMessages).toBe(2);
		const { activity } = await workspace.read({ sessionId: "peer", view: "activity" });
		expect(activity?.tools.map(({ name, status }) => [name, status])).toEqual([
			[SHOWN_TOOLS[0], "completed"],
			[SHOWN_TOOLS[1], "error"],
		]);
	});

	test("hands the core none of them but the ids of calls", async () => {
		const { workspace } = workspaceOf(padding);
		const { activity, ...capture } = await workspace.query().read("peer", WANT_ALL);
		const calls = activity?.calls.map(({ callId, ...call }) => call);
		expect(JSON.stringify({ ...capture, activity: { ...activity, calls } })).not.toContain(CANARY);
	});

	test("tells none of them in an error, nor in a listing", async () => {
		const { workspace } = workspaceOf(padding);
		workspace.records.setPrivate("peer", true);
		const refused = await workspace.read({ sessionId: "peer" }).catch((error: unknown) => error);
		expect(visible(refused)).not.toContain(CANARY);
		expect(visible(refused)).not.toContain(workspace.agentDirectory);
		expect(JSON.stringify(await workspace.query().listSessions())).not.toContain(CANARY);
		const stopped = AbortSignal.abort(new Error(CANARY));
		const cancelled = await workspace
			.reader()
			.read({ sessionId: "peer" }, stopped)
			.catch((error: unknown) => error);
		expect(cancelled).toMatchObject({ code: "cancelled" });
		expect(visible(cancelled)).not.toContain(CANARY);
	});
});

describe("other sessions in the same directory", () => {
	test("add nothing to the context of one", async () => {
		const workspace = new Workspace();
		const log = new SessionLog();
		log.user("mine");
		workspace.add("peer", log);
		const others = { private: "/home/project", subagent: "/home/project", foreign: "/home/other" };
		for (const [id, cwd] of Object.entries(others)) {
			const other = new SessionLog({ id, cwd });
			other.user(CANARY);
			other.name(CANARY);
			writeFileSync(path.join(workspace.sessionDirectory, `${id}.jsonl`), other.toBuffer());
		}
		workspace.records.setPrivate("private", true);
		workspace.records.setSubagent("subagent");
		const told = [await workspace.read({ sessionId: "peer" })] as unknown[];
		for (const id of Object.keys(others)) {
			told.push(await workspace.read({ sessionId: id }).catch((error: unknown) => error));
		}
		expect(told.map(visible).join()).toContain("mine");
		expect(told.map(visible).join()).not.toContain(CANARY);
	});
});

/** Everything about a value that could be shown or logged. */
function visible(value: unknown): string {
	if (!(value instanceof Error)) return JSON.stringify(value);
	return [JSON.stringify({ ...value }), value.message, value.stack, String(value.cause)].join("\n");
}
