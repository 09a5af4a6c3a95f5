import { describe, expect, test } from "vitest";
import { type OutsideReference, type SessionReference, SessionReferences } from "../../lib/references/index.ts";
import { InMemorySessions, storedSession, WORKSPACE } from "./in-memory-sessions.ts";

const caller = { sessionId: "caller", cwd: WORKSPACE };
const cite = (...ids: string[]): SessionReference[] => ids.map((id) => ({ sessionId: id, label: `label of ${id}` }));
const notConfirmed = { name: "SessionReferenceError", code: "SESSION_REFERENCE_NOT_CONFIRMED", label: "label of x" };

const elsewhere = () =>
	new InMemorySessions(storedSession("a"), storedSession("x", { cwd: "/elsewhere" }), storedSession("y", { cwd: "" }));

describe("a session of another workspace", () => {
	test("is cited once the person has confirmed it: one question for all of them, before anything is read", async () => {
		const sessions = elsewhere();
		const asked: (readonly OutsideReference[])[] = [];
		const confirmOutside = (outside: readonly OutsideReference[]) => {
			expect(sessions.reads).toEqual([]);
			asked.push(outside);
			return true;
		};
		await new SessionReferences(sessions).prepare({ ...caller, confirmOutside }, "", cite("x", "a", "y", "x"));
		expect(asked).toEqual([
			[
				{ sessionId: "x", label: "label of x", cwd: "/elsewhere" },
				{ sessionId: "y", label: "label of y", cwd: null },
			],
		]);
		expect(sessions.reads).toEqual(["x", "a", "y"]);
	});

	test.each([
		["the person declines", () => false],
		["the question fails", () => Promise.reject(new Error("no terminal"))],
		["there is nobody to ask", undefined],
	])("is refused unread when %s", async (_why, confirmOutside) => {
		const sessions = elsewhere();
		const asking = confirmOutside === undefined ? caller : { ...caller, confirmOutside };
		const attempt = new SessionReferences(sessions).prepare(asking, "", cite("a", "x"));
		await expect(attempt).rejects.toMatchObject(notConfirmed);
		await expect(attempt).rejects.toThrow(/other workspace|another workspace/);
		expect(sessions.reads).toEqual([]);
	});

	test("is told by the exact spelling of its working directory", async () => {
		const sessions = new InMemorySessions(storedSession("x", { cwd: `${WORKSPACE}/` }));
		await expect(new SessionReferences(sessions).prepare(caller, "", cite("x"))).rejects.toMatchObject(notConfirmed);
	});
});
