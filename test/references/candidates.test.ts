import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { SessionReferences } from "../../lib/references/index.ts";
import { MAX_REMEMBERED_TITLES, TitleBudget, TitleMemory } from "../../lib/references/titles.ts";
import { InMemorySessions, type StoredSession, storedSession, WORKSPACE } from "./in-memory-sessions.ts";

const caller = { sessionId: "caller", cwd: WORKSPACE };
const never = () => new Promise<void>(() => {});

async function idsOf(references: SessionReferences, query?: string, limit?: number): Promise<string[]> {
	return (await references.listCandidates(caller, query, limit)).map((candidate) => candidate.sessionId);
}

/** Sessions `s0` (newest) to `s<count - 1>` of the workspace, titled "Title 0" and so on. */
function manySessions(count: number): InMemorySessions {
	const stored: StoredSession[] = [];
	for (let index = 0; index < count; index += 1) {
		stored.push(storedSession(`s${index}`, { changedAt: count - index, title: `Title ${index}` }));
	}
	return new InMemorySessions(...stored);
}

describe("candidates", () => {
	test("are the sessions of others that are neither private nor subagents'", async () => {
		const sessions = new InMemorySessions(
			storedSession("caller"),
			storedSession("root", { title: "A root", changedAt: 5, live: true }),
			storedSession("fork", { origin: "fork", changedAt: 4, cwd: "" }),
			storedSession("hidden", { private: true }),
			storedSession("child", { origin: "subagent" }),
		);
		expect(await new SessionReferences(sessions).listCandidates(caller)).toEqual([
			{ sessionId: "root", label: "A root", cwd: WORKSPACE, changedAt: 5, live: true },
			{ sessionId: "fork", label: "fork", cwd: null, changedAt: 4, live: false },
		]);
		expect(sessions.titleReads).toEqual(["root", "fork"]);
		expect(sessions.reads).toEqual([]);
	});

	test("come from the own workspace first, then from none, then from others, the newest first in each", async () => {
		const stored = ["/other", "", WORKSPACE, `${WORKSPACE}/`].flatMap((cwd, place) =>
			[3, 9, 6].map((age) => storedSession(`${place}-${age}`, { cwd, changedAt: age * 10 + place })),
		);
		expect(await idsOf(new SessionReferences(new InMemorySessions(...stored)))).toEqual([
			...["2-9", "2-6", "2-3"],
			...["1-9", "1-6", "1-3"],
			...["3-9", "0-9", "3-6", "0-6", "3-3", "0-3"],
		]);
	});

	test("match on id, working directory and title, whatever the case", async () => {
		const sessions = new InMemorySessions(
			storedSession("Needle-1", { changedAt: 4 }),
			storedSession("two", { cwd: "/some/nEEdle/place", changedAt: 3 }),
			storedSession("three", { title: "A NEEDLE in hay", changedAt: 2 }),
			storedSession("four", { title: "hay", changedAt: 1 }),
		);
		const references = new SessionReferences(sessions);
		expect(await idsOf(references, " needle ")).toEqual(["Needle-1", "three", "two"]);
		expect(await idsOf(references, "no such thing")).toEqual([]);
		expect(await idsOf(references, " ")).toHaveLength(4);
	});

	test("are labelled with the title as one printable line, and with the id when nothing of it can be printed", async () => {
		const sessions = new InMemorySessions(
			storedSession("long", { title: "x".repeat(1_000), changedAt: 3 }),
			storedSession("odd", { title: "\u001b[31mred\u001b[0m\n\u202etwo", changedAt: 2 }),
			storedSession("blank", { title: " \n\u200b", changedAt: 1 }),
		);
		const labels = (await new SessionReferences(sessions).listCandidates(caller)).map(({ label }) => label);
		expect(labels).toEqual(["x".repeat(200), "red two", "blank"]);
	});

	test("are at most the configured number, and at most the number that was asked for", async () => {
		const references = new SessionReferences(manySessions(60), { candidateLimit: 3 });
		expect(await idsOf(references)).toEqual(["s0", "s1", "s2"]);
		expect(await idsOf(references, "", 5)).toHaveLength(5);
		expect(await idsOf(new SessionReferences(manySessions(60)))).toHaveLength(50);
		for (const limit of [0, -1, 1.5, Number.NaN]) {
			await expect(references.listCandidates(caller, "", limit)).rejects.toMatchObject({
				code: "SESSION_REFERENCE_INVALID_CONFIG",
			});
		}
	});

	test("cost no more titles than the answer needs", async () => {
		const sessions = manySessions(5_000);
		expect(await idsOf(new SessionReferences(sessions), "", 5)).toEqual(["s0", "s1", "s2", "s3", "s4"]);
		expect(sessions.titleReads.length).toBeLessThan(20);
	});

	test("are the first matches also when titles arrive in another order", async () => {
		const sessions = manySessions(40);
		sessions.fault = async (question, id) => {
			// Even ones answer some turns of the event loop later.
			if (question === "title" && Number(id?.slice(1)) % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
		};
		expect(await idsOf(new SessionReferences(sessions), "title", 6)).toEqual(["s0", "s1", "s2", "s3", "s4", "s5"]);
	});
});

describe("titles", () => {
	test("are read again only when the log has changed", async () => {
		const sessions = manySessions(3);
		const references = new SessionReferences(sessions);
		await references.listCandidates(caller);
		await references.listCandidates(caller, "title");
		expect(sessions.titleReads).toEqual(["s0", "s1", "s2"]);
		const renamed = { title: "Renamed", changedAt: 500 };
		Object.assign(sessions.stored[1] ?? {}, renamed);
		expect((await references.listCandidates(caller))[0]).toMatchObject({ sessionId: "s1", label: "Renamed" });
		expect(sessions.titleReads).toEqual(["s0", "s1", "s2", "s1"]);
	});

	test("are forgotten, the earliest first, when too many are remembered", async () => {
		const { stored } = manySessions(MAX_REMEMBERED_TITLES + 1);
		const titles = new TitleMemory(new InMemorySessions());
		const budget = new TitleBudget(60_000, undefined);
		for (const session of stored) await titles.read(session, budget);
		budget.close();
		// Null: known to have none. Undefined: not known.
		expect(stored.slice(0, 2).map((session) => titles.recall(session))).toEqual([undefined, null]);
	});

	test("that cannot be read leave the id as label and are tried again", async () => {
		const sessions = manySessions(2);
		sessions.fault = (question, id) => {
			if (question === "title" && id === "s0") throw new Error("EIO");
		};
		const references = new SessionReferences(sessions);
		expect((await references.listCandidates(caller)).map(({ label }) => label)).toEqual(["s0", "Title 1"]);
		sessions.fault = () => {};
		expect((await references.listCandidates(caller)).map(({ label }) => label)).toEqual(["Title 0", "Title 1"]);
	});

	test("end the reading after 150 ms also when they block the event loop", async () => {
		const sessions = manySessions(5_000);
		let clock = 0;
		const now = vi.spyOn(performance, "now").mockImplementation(() => clock);
		sessions.fault = (question) => {
			// The clock moves on and no timer gets its turn.
			if (question === "title") clock += 50;
		};
		await new SessionReferences(sessions).listCandidates(caller, "no such title");
		now.mockRestore();
		expect(sessions.titleReads).toEqual(["s0", "s1", "s2"]);
	});

	describe("that take long", () => {
		beforeEach(() => {
			vi.useFakeTimers();
		});
		afterEach(() => {
			vi.useRealTimers();
		});

		test("are waited for 150 ms, and what is not known by then matches by id and working directory", async () => {
			const sessions = manySessions(300);
			const stopped: boolean[] = [];
			sessions.fault = async (question, id, signal) => {
				if (question !== "title" || id === "s0") return;
				signal?.addEventListener("abort", () => stopped.push(true), { once: true });
				await never();
			};
			const references = new SessionReferences(sessions);
			const byTitle = references.listCandidates(caller, "title");
			const settled = vi.fn();
			void byTitle.then(settled);
			await vi.advanceTimersByTimeAsync(149);
			expect(settled).not.toHaveBeenCalled();
			await vi.advanceTimersByTimeAsync(1);
			expect((await byTitle).map(({ sessionId }) => sessionId)).toEqual(["s0"]);
			expect(stopped).toHaveLength(8);
			expect(vi.getTimerCount()).toBe(0);
			const byId = references.listCandidates(caller, "s299");
			await vi.advanceTimersByTimeAsync(150);
			expect(await byId).toMatchObject([{ sessionId: "s299", label: "s299" }]);
		});

		test("are known to the listings after that", async () => {
			const sessions = manySessions(40);
			let answered = 0;
			sessions.fault = async (question) => {
				if (question !== "title") return;
				answered += 1;
				if (answered > 16) await never();
			};
			const references = new SessionReferences(sessions);
			for (const known of [16, 32, 40]) {
				answered = 0;
				const listing = references.listCandidates(caller, "title");
				await vi.advanceTimersByTimeAsync(150);
				expect(await listing).toHaveLength(known);
			}
		});
	});
});

describe("a listing", () => {
	test("that is cancelled ends at once, whatever it waits for", async () => {
		for (const hanging of ["list", "title"]) {
			const cancel = new AbortController();
			const sessions = manySessions(20);
			sessions.fault = (question) => {
				if (question !== hanging) return;
				queueMicrotask(() => cancel.abort());
				return never();
			};
			await expect(new SessionReferences(sessions).listCandidates(caller, "", 50, cancel.signal)).rejects.toMatchObject(
				{ code: "SESSION_REFERENCE_CANCELLED" },
			);
		}
		await expect(
			new SessionReferences(manySessions(1)).listCandidates(caller, "", 50, AbortSignal.abort()),
		).rejects.toMatchObject({ code: "SESSION_REFERENCE_CANCELLED" });
	});

	test("without a catalogue fails without a path", async () => {
		const sessions = manySessions(1);
		sessions.fault = () => {
			throw new Error("/secret: EACCES");
		};
		const attempt = new SessionReferences(sessions).listCandidates(caller);
		await expect(attempt).rejects.toMatchObject({ code: "SESSION_REFERENCE_READ_FAILED" });
		await expect(attempt).rejects.not.toThrow("secret");
	});

	test("of 5,000 sessions comes to know all titles, and then asks for none", async () => {
		const sessions = manySessions(5_000);
		const references = new SessionReferences(sessions);
		while ((await idsOf(references, "title 4999", 1)).length === 0);
		const reads = sessions.titleReads.length;
		expect(await idsOf(references, "title 4", 50)).toHaveLength(50);
		expect(sessions.titleReads).toHaveLength(reads);
	});
});
