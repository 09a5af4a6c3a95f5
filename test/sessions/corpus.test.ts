/**
 * Whatever a file holds or is, reading it ends, takes little memory, and leaves no trace.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { PeerContextError } from "../../lib/contract/errors.ts";
import { LogReader } from "../../lib/sessions/log/log-reader.ts";
import { CaptureError } from "../../lib/sessions/query.ts";
import { CORPUS, type CorpusOutcome } from "./log-corpus.ts";
import { WANT_ALL } from "./log-directory.ts";
import { contentsOf, setAccessTimesBack, tracesOf } from "./traces.ts";
import { textsOf, Workspace } from "./workspace.ts";

vi.setConfig({ testTimeout: 60_000 });

async function outcomeAtTheDoor(workspace: Workspace): Promise<CorpusOutcome | string> {
	try {
		const context = await workspace.read({ sessionId: "peer" });
		return { texts: textsOf(context), damagedLines: context.capture.damagedLines ?? -1 };
	} catch (error) {
		if (error instanceof PeerContextError) return error.code;
		throw error;
	}
}

async function isReadAsLog(file: string): Promise<boolean> {
	try {
		await new LogReader().read(file, WANT_ALL);
		return true;
	} catch (error) {
		if (error instanceof CaptureError && error.code === "unavailable") return false;
		throw error;
	}
}

describe("a session directory that holds", () => {
	test.each(Object.entries(CORPUS))("%s is read to an end, and stays as it was", async (_name, entry) => {
		const workspace = new Workspace();
		entry.make(workspace.path("peer"));
		const contents = contentsOf(workspace.agentDirectory);
		setAccessTimesBack(workspace.agentDirectory);
		const traces = tracesOf(workspace.agentDirectory);
		expect(await outcomeAtTheDoor(workspace)).toEqual(entry.outcome);
		expect(await isReadAsLog(workspace.path("peer"))).toBe(entry.isLog ?? entry.outcome !== "unauthorized");
		expect(tracesOf(workspace.agentDirectory)).toEqual(traces);
		expect(contentsOf(workspace.agentDirectory)).toEqual(contents);
	});

	test("one bad file after another still shows the good one", async () => {
		const workspace = new Workspace();
		for (const [index, [name, { make }]] of Object.entries(CORPUS).entries()) {
			if (!name.includes("64 MiB")) make(workspace.path(String(index)));
		}
		const good = readFileSync(workspace.path("0"), "utf8");
		writeFileSync(workspace.path("good"), good.replace('"id":"peer"', '"id":"good"'));
		expect(textsOf(await workspace.read({ sessionId: "good" }))).toEqual(["hello", "at your service"]);
	});
});

describe("a line of 64 MiB", () => {
	const proc = { reset: "/proc/self/clear_refs", status: "/proc/self/status" };

	test.runIf(process.platform === "linux")("takes a few megabytes of memory, whatever it is", async () => {
		for (const [name, { make }] of Object.entries(CORPUS)) {
			if (!name.includes("64 MiB")) continue;
			const workspace = new Workspace();
			make(workspace.path("peer"));
			await outcomeAtTheDoor(workspace);
			writeFileSync(proc.reset, "5");
			const before = kilobytes("VmRSS");
			await outcomeAtTheDoor(workspace);
			expect({ name, isBounded: kilobytes("VmHWM") - before < 32 * 1024 }).toEqual({ name, isBounded: true });
		}
	});

	function kilobytes(key: string): number {
		return Number(new RegExp(`${key}:\\s+(\\d+) kB`).exec(readFileSync(proc.status, "utf8"))?.[1]);
	}
});
