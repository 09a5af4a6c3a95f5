/** Which sessions of a workspace are offered as recent, and what is said of them. */
import { describe, expect, test } from "vitest";
import type { SessionSummary } from "../../lib/sessions/query.ts";
import { listRecentSessions, MAX_RECENT_SESSIONS } from "../../lib/sessions/recent-sessions.ts";
import { CWD, HOST } from "./workspace.ts";

const summary = (id: string, changes: Partial<SessionSummary> = {}): SessionSummary => ({
	...{ id, cwd: CWD, origin: "root", private: false, createdAt: 1, changedAt: 2.6, live: false },
	...changes,
});

const catalogueOf = (sessions: SessionSummary[], titles: Record<string, string> = {}) => ({
	listSessions: async () => sessions,
	readTitle: async (id: string) => titles[id] ?? null,
});

const idsOf = (sessions: SessionSummary[]) =>
	listRecentSessions(catalogueOf(sessions), HOST).then((recent) => recent.map(({ sessionId }) => sessionId));

test("only cold sessions that the caller may read, in the catalogue's order", async () => {
	const sessions = [
		summary("first"),
		summary("live", { live: true }),
		summary("elsewhere", { cwd: "/home/other" }),
		summary("secret", { private: true }),
		summary("child", { origin: "subagent" }),
		summary(HOST.sessionId),
		summary("fork", { origin: "fork" }),
	];
	expect(await idsOf(sessions)).toEqual(["first", "fork"]);
});

test("the newest twenty", async () => {
	const sessions = Array.from({ length: 25 }, (_, index) => summary(`s${index}`));
	expect(await idsOf(sessions)).toEqual(sessions.slice(0, MAX_RECENT_SESSIONS).map(({ id }) => id));
});

test("each with a printable title, or none, and a whole number of milliseconds", async () => {
	const titles = { named: `\u001b[31mA\nname${"x".repeat(300)}`, blank: "\u200b \n" };
	const sessions = ["named", "blank", "nameless"].map((id) => summary(id));
	const [named, ...others] = await listRecentSessions(catalogueOf(sessions, titles), HOST);
	expect(named?.title).toMatch(/^A namex+$/);
	expect(named?.title).toHaveLength(200);
	expect([named?.changedAt, ...others.map(({ title }) => title)]).toEqual([3, null, null]);
});

describe("a title that can't be read", () => {
	test("is left out, and costs no other session its own", async () => {
		const sessions = ["broken", "named"].map((id) => summary(id));
		const query = {
			...catalogueOf(sessions),
			readTitle: async (id: string) => {
				if (id === "broken") throw new Error("gone");
				return "A name";
			},
		};
		const recent = await listRecentSessions(query, HOST);
		expect(recent.map(({ title }) => title)).toEqual([null, "A name"]);
	});

	test("because its log never ends holds up the list no longer than a moment", async () => {
		const ended = (signal?: AbortSignal) =>
			new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
		const query = {
			...catalogueOf([summary("endless")]),
			readTitle: (_id: string, signal?: AbortSignal) => ended(signal),
		};
		expect(await listRecentSessions(query, HOST)).toMatchObject([{ sessionId: "endless", title: null }]);
	});

	test("because the caller has given up ends the list with the caller's reason", async () => {
		const cancelled = new AbortController();
		const query = {
			...catalogueOf([summary("one")]),
			readTitle: async () => {
				cancelled.abort(new Error("enough"));
				return null;
			},
		};
		await expect(listRecentSessions(query, HOST, cancelled.signal)).rejects.toThrow("enough");
	});
});
