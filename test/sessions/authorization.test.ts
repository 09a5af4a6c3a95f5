/**
 * Who may look at whom, and that nobody learns from a refusal why.
 */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { PeerContextError } from "../../lib/contract/errors.ts";
import type { Caller } from "../../lib/sessions/authorization.ts";
import { Catalogue } from "../../lib/sessions/catalogue.ts";
import { type PeerContextQuestion, PeerContextReader } from "../../lib/sessions/peer-context-reader.ts";
import type { SessionQuery } from "../../lib/sessions/query.ts";
import { nobodyLive } from "../support/logs/nobody-live.ts";
import { beforeEachRead } from "./file-reads.ts";
import { temporaryDirectory } from "./log-directory.ts";
import { SessionLog } from "./session-log.ts";
import { CWD, everybodyIs, HOST, type ReaderSetting, textsOf, Workspace } from "./workspace.ts";

afterEach(() => {
	vi.restoreAllMocks();
});

function logOf(id: string, cwd: string = CWD, header: object = {}): SessionLog {
	const log = new SessionLog({ id, cwd, header: { ...header } });
	log.user(`from ${id}`);
	return log;
}

/** What a caller is told: every field of the error, its stack aside. */
async function refusalOf(reading: Promise<unknown>): Promise<Record<string, unknown>> {
	const error = await reading.then(
		() => null,
		(reason: unknown) => reason,
	);
	if (!(error instanceof PeerContextError)) throw new Error("The read was not refused as it should be.");
	const { message, cause } = error;
	return { ...error, message, cause };
}

const told = (code: "unauthorized" | "unavailable" | "cancelled") =>
	refusalOf(Promise.reject(new PeerContextError(code)));

interface Refusal {
	readonly prepare?: (workspace: Workspace) => void;
	readonly caller?: Partial<Caller>;
	readonly question?: PeerContextQuestion;
}

const wrong = (question: PeerContextQuestion): Refusal => ({ question: { sessionId: "peer", ...question } });

const REFUSALS: Readonly<Record<string, Refusal>> = {
	"the caller itself": { prepare: (workspace) => workspace.add("me", logOf("me")), question: { sessionId: "me" } },
	"anything, to a subagent": { caller: { isHost: false } },
	"a subagent's session": { prepare: ({ records }) => records.setSubagent("peer") },
	"a private session": { prepare: ({ records }) => records.setPrivate("peer", true) },
	"a fork of a private session about which nothing was said": {
		prepare: (workspace) => {
			const parent = workspace.add("parent", logOf("parent"));
			workspace.add("peer", logOf("peer", CWD, { parentSession: parent }));
			workspace.records.setPrivate("parent", true);
		},
	},
	"a fork of a fork of a private session": {
		prepare: (workspace) => {
			const grandparent = workspace.add("grandparent", logOf("grandparent"));
			const parent = workspace.add("parent", logOf("parent", CWD, { parentSession: grandparent }));
			workspace.add("peer", logOf("peer", CWD, { parentSession: parent }));
			workspace.records.setPrivate("grandparent", true);
		},
	},
	"a session whose record can't be read": {
		prepare: ({ records, agentDirectory }) => {
			records.setPrivate("other", true);
			rmSync(path.join(agentDirectory, "cross-session", "sessions"), { recursive: true });
			writeFileSync(path.join(agentDirectory, "cross-session", "sessions"), "");
		},
	},
	"a session without a workspace, to a caller with one": {
		prepare: (workspace) => workspace.add("peer", logOf("peer", "")),
	},
	"a session without a workspace, to a caller without one": {
		prepare: (workspace) => workspace.add("peer", logOf("peer", "")),
		caller: { cwd: "" },
	},
	"a session of another workspace": { prepare: (workspace) => workspace.add("peer", logOf("peer", "/home/other")) },
	"a session of a workspace that contains this one": {
		prepare: (workspace) => workspace.add("peer", logOf("peer", "/home")),
	},
	"a session whose workspace is spelled with a slash at its end": {
		prepare: (workspace) => workspace.add("peer", logOf("peer", `${CWD}/`)),
	},
	"a session of a workspace that shares the session directory": {
		prepare: (workspace) => workspace.add("peer", logOf("peer", "/home-project")),
	},
	"a session that was started through a link to the workspace": {
		prepare: (workspace) => {
			const link = path.join(temporaryDirectory(), "link");
			symlinkSync(CWD, link);
			workspace.add("peer", logOf("peer", link));
		},
	},
	"a session that does not exist": { question: { sessionId: "nobody" } },
	"the name of a file instead of an id": { question: { sessionId: "peer.jsonl" } },
	"a path instead of an id": { question: { sessionId: "../--work-project--/peer.jsonl" } },
	"a question without a session": { question: {} },
	"an empty id": { question: { sessionId: "" } },
	"an id that is no text": { question: { sessionId: ["peer"] } },
	"an endless id": { question: { sessionId: "p".repeat(100_000) } },
	"an unknown view": wrong({ view: "everything" }),
	"a view that is no text": wrong({ view: null }),
	"no messages": wrong({ view: "conversation", maxMessages: 0 }),
	"too many messages": wrong({ view: "conversation", maxMessages: 9 }),
	"half a message": wrong({ view: "conversation", maxMessages: 1.5 }),
	"a number of messages that is none": wrong({ maxMessages: "3" }),
	"a number of messages that is not even a number": wrong({ maxMessages: Number.NaN }),
};

describe("a look at", () => {
	test.each(Object.entries(REFUSALS))("%s is refused like every other, without a body read", async (_name, refusal) => {
		const workspace = new Workspace();
		workspace.add("peer", logOf("peer"));
		refusal.prepare?.(workspace);
		const caller = { ...HOST, ...refusal.caller };
		const listing = vi.spyOn(Catalogue.prototype, "list");
		const offsets: number[] = [];
		beforeEachRead(({ offset }) => offsets.push(offset));
		const reading = workspace.reader({ caller }).read(refusal.question ?? { sessionId: "peer" });
		expect(await refusalOf(reading)).toEqual(await told("unauthorized"));
		expect(new Set(offsets)).toEqual(new Set([0]));
		expect(listing).toHaveBeenCalledOnce();
	});

	test.each(["root", "fork"])("a %s session of the same workspace is granted", async (origin) => {
		const workspace = new Workspace();
		workspace.add("peer", logOf("peer", CWD, origin === "fork" ? { parentSession: "/elsewhere.jsonl" } : {}));
		expect(textsOf(await workspace.read({ sessionId: "peer" }))).toEqual(["from peer"]);
		const [summary] = await workspace.query().listSessions();
		expect(summary).toMatchObject({ id: "peer", cwd: CWD, origin, private: false, live: false });
	});

	test("a fork that was shown again is read, whatever its parent is", async () => {
		const workspace = new Workspace();
		const parent = workspace.add("parent", logOf("parent"));
		workspace.add("peer", logOf("peer", CWD, { parentSession: parent }));
		workspace.records.setPrivate("parent", true);
		workspace.records.setPrivate("peer", false);
		expect(textsOf(await workspace.read({ sessionId: "peer" }))).toEqual(["from peer"]);
	});

	test("forks that name each other as parents end nothing", async () => {
		const workspace = new Workspace();
		workspace.add("peer", logOf("peer", CWD, { parentSession: workspace.path("other") }));
		workspace.add("other", logOf("other", CWD, { parentSession: workspace.path("peer") }));
		expect(textsOf(await workspace.read({ sessionId: "peer" }))).toEqual(["from peer"]);
	});

	test("a session that was shown again is granted", async () => {
		const workspace = new Workspace();
		workspace.add("peer", logOf("peer"));
		workspace.records.setPrivate("peer", true);
		workspace.records.setPrivate("peer", false);
		expect(textsOf(await workspace.read({ sessionId: "peer" }))).toEqual(["from peer"]);
	});

	test("a live session gives what a look at a cold one gives, but for its status", async () => {
		const workspace = new Workspace();
		workspace.add("peer", logOf("peer"));
		const cold = await workspace.read({ sessionId: "peer" });
		const live = everybodyIs("running");
		const warm = await workspace.read({ sessionId: "peer" }, { live });
		expect(cold.runtimeStatus).toBe("offline");
		const { time } = cold.capture;
		expect(warm).toEqual({ ...cold, runtimeStatus: "running", capture: { ...cold.capture, time: warm.capture.time } });
		expect(warm.capture.time).toBeGreaterThanOrEqual(time);
	});
});

describe("a session file that a live peer named", () => {
	const elsewhere = (log: SessionLog) => {
		const file = path.join(temporaryDirectory(), "elsewhere.jsonl");
		writeFileSync(file, log.toBuffer());
		return { sources: { directories: [], files: [file] } } satisfies ReaderSetting;
	};

	test("is read when its own header says the workspace", async () => {
		const setting = elsewhere(logOf("peer"));
		expect(textsOf(await new Workspace().read({ sessionId: "peer" }, setting))).toEqual(["from peer"]);
	});

	test("is refused when its header says another one", async () => {
		const setting = elsewhere(logOf("peer", "/home/other"));
		expect(await refusalOf(new Workspace().read({ sessionId: "peer" }, setting))).toEqual(await told("unauthorized"));
	});
});

describe("between the listing and the read", () => {
	/** The workspace's sessions, with something done right after they were listed. */
	function afterListing(workspace: Workspace, change: () => void): SessionQuery {
		const query = workspace.query();
		return {
			listSessions: async (signal) => {
				const sessions = await query.listSessions(signal);
				change();
				return sessions;
			},
			readTitle: (id, signal) => query.readTitle(id, signal),
			read: (id, want, signal) => query.read(id, want, signal),
		};
	}

	const BECOMES: Readonly<
		Record<string, { change(workspace: Workspace): void; code: "unauthorized" | "unavailable" }>
	> = {
		"a session that became private is refused": {
			change: ({ records }) => records.setPrivate("peer", true),
			code: "unauthorized",
		},
		"a session that turned out to be a subagent's is refused": {
			change: ({ records }) => records.setSubagent("peer"),
			code: "unauthorized",
		},
		"a file that became another session's is refused": {
			change: (workspace) => workspace.add("peer", logOf("another")),
			code: "unauthorized",
		},
		"a file that became another workspace's is refused": {
			change: (workspace) => workspace.add("peer", logOf("peer", "/home/other")),
			code: "unauthorized",
		},
		"a file that was deleted is unavailable": {
			change: (workspace) => rmSync(workspace.path("peer")),
			code: "unavailable",
		},
		"a file that was replaced by a link is unavailable": {
			change: (workspace) => {
				renameSync(workspace.path("peer"), workspace.path("moved"));
				symlinkSync(workspace.path("moved"), workspace.path("peer"));
			},
			code: "unavailable",
		},
		"a file that is no log any more is unavailable": {
			change: (workspace) => workspace.add("peer", "no log\n"),
			code: "unavailable",
		},
		"a file that was replaced by a directory is unavailable": {
			change: (workspace) => {
				rmSync(workspace.path("peer"));
				mkdirSync(workspace.path("peer"));
			},
			code: "unavailable",
		},
	};

	test.each(Object.entries(BECOMES))("%s", async (_name, { change, code }) => {
		const workspace = new Workspace();
		workspace.add("peer", logOf("peer"));
		const reader = workspace.reader(
			{},
			afterListing(workspace, () => change(workspace)),
		);
		expect(await refusalOf(reader.read({ sessionId: "peer" }))).toEqual(await told(code));
	});

	test("a read that is cancelled ends as cancelled, and one whose time is over as unavailable", async () => {
		const reasons = { cancelled: undefined, unavailable: new DOMException("Too late.", "TimeoutError") } as const;
		for (const [code, reason] of Object.entries(reasons)) {
			const workspace = new Workspace();
			workspace.add("peer", logOf("peer"));
			const ending = new AbortController();
			const reader = workspace.reader(
				{},
				afterListing(workspace, () => ending.abort(reason)),
			);
			const reading = reader.read({ sessionId: "peer" }, ending.signal);
			expect(await refusalOf(reading)).toEqual(await told(code as "cancelled" | "unavailable"));
		}
	});
});

describe("the caller", () => {
	test("is looked at anew for each question", async () => {
		const workspace = new Workspace();
		workspace.add("peer", logOf("peer"));
		let caller: Caller = HOST;

		const reader = new PeerContextReader({ sessions: workspace.query(), live: nobodyLive, caller: () => caller });
		await reader.read({ sessionId: "peer" });
		caller = { ...HOST, isHost: false };
		expect(await refusalOf(reader.read({ sessionId: "peer" }))).toEqual(await told("unauthorized"));
	});
});
