import { describe, expect, test } from "vitest";
import { MAX_REFERENCE_BYTES, SessionReferences } from "../../lib/references/index.ts";
import { assistant, checkpoint, InMemorySessions, storedSession, user, WORKSPACE } from "./in-memory-sessions.ts";
import { bytesOf, caller, readCut, shown, snapshotOf, tagSafe, take } from "./snapshots.ts";

describe("a snapshot", () => {
	test("keeps all of a conversation that fits, and says so", async () => {
		const messages = [checkpoint("so far"), user("a <b> c"), assistant("d\u2028e")];
		const { json, snapshot, entry } = await take(messages);
		expect(snapshot).toEqual({
			sessionId: "peer",
			label: "the peer",
			cwd: WORKSPACE,
			capturedThroughSeq: 3,
			conversation: shown(messages),
		});
		expect(json).not.toMatch(/[<\u2028]/);
		expect(entry).toEqual({
			sessionId: "peer",
			label: "the peer",
			capturedThroughSeq: 3,
			compacted: true,
			originalMessages: 3,
			retainedMessages: 3,
			omittedMessages: 0,
			omittedBytes: 0,
			truncated: false,
			inputIndex: 0,
		});
	});

	test("of a session without messages is empty and not an error", async () => {
		const { snapshot, entry } = await take([]);
		expect(snapshot).toMatchObject({ capturedThroughSeq: null, conversation: [] });
		expect(entry).toMatchObject({ originalMessages: 0, retainedMessages: 0, truncated: false, compacted: false });
	});

	test("drops the oldest messages first and keeps the checkpoint and the newest", async () => {
		const older = Array.from({ length: 200 }, (_, index) => user(`${index} ${"x".repeat(1_000)}`));
		const { snapshot, entry } = await take([checkpoint("so far"), ...older, assistant("last")]);
		const texts = snapshot.conversation.map(({ text }) => text.split(" ")[0]);
		const keptOlder = texts.length - 2;
		expect(keptOlder).toBeGreaterThan(60);
		expect(texts).toEqual([
			"so",
			...Array.from({ length: keptOlder }, (_, index) => `${200 - keptOlder + index}`),
			"last",
		]);
		expect(entry).toMatchObject({
			originalMessages: 202,
			retainedMessages: keptOlder + 2,
			omittedMessages: 200 - keptOlder,
			truncated: true,
		});
	});

	test("cuts the longest texts, and only once nothing else is left to drop", async () => {
		const { snapshot, entry } = await take([checkpoint("c".repeat(200_000)), user("other"), assistant("the end")]);
		expect(snapshot.conversation.map(({ text }) => text.slice(-7))).toEqual(["ccccccc", "the end"]);
		const cut = readCut(snapshot.conversation[0]?.text ?? "");
		expect(cut?.head.length).toBeGreaterThan(32_000);
		expect(cut?.tail.length).toBeGreaterThan(32_000);
		expect(entry).toMatchObject({
			retainedMessages: 2,
			omittedMessages: 1,
			omittedBytes: (cut?.omitted ?? 0) + "other".length,
			truncated: true,
		});
	});

	test("shares the room between a checkpoint and a newest message that are both too long", async () => {
		const { snapshot } = await take([checkpoint("c".repeat(100_000)), assistant("a".repeat(1_000_000))]);
		const [first = 0, second = 0] = snapshot.conversation.map(({ text }) => text.length);
		expect(Math.abs(first - second)).toBeLessThan(10);
		expect(first + second).toBeGreaterThan(65_000);
	});

	test.each([
		["angle brackets", "<"],
		["quotes", '"'],
		["newlines", "\n"],
		["controls", "\u0001"],
		["CJK", "漢"],
		["emoji", "😀"],
		["lone surrogates", "\udc00"],
	])("keeps as much of one long text of %s as of plain text of the same serialized size", async (_what, unit) => {
		const { json, snapshot } = await take([assistant(unit.repeat(300_000))]);
		expect(bytesOf(json)).toBeLessThanOrEqual(MAX_REFERENCE_BYTES);
		// A code point at either end may not fit any more, and the note may turn out a digit shorter than foreseen.
		expect(bytesOf(json)).toBeGreaterThan(MAX_REFERENCE_BYTES - 16);
		const cut = readCut(snapshot.conversation[0]?.text ?? "");
		expect(Math.abs((cut?.head.length ?? 0) - (cut?.tail.length ?? 0))).toBeLessThanOrEqual(8);
	});

	test.each([
		["angle brackets", "<"],
		["quotes", '"'],
		["newlines", "\n"],
		["CJK", "漢"],
		["emoji", "😀"],
	])("keeps as many messages of %s as of plain text of the same serialized size", async (_what, unit) => {
		const cost = bytesOf(tagSafe(unit)) - 2;
		const count = async (text: string) =>
			(await take(Array.from({ length: 300 }, () => user(text)))).entry.retainedMessages;
		expect(await count(unit.repeat(200))).toBe(await count("x".repeat(200 * cost)));
	});

	test("is refused when its fixed fields alone do not fit, and names the label", async () => {
		const long = "label ".repeat(20_000);
		await expect(take([user("hello")], MAX_REFERENCE_BYTES, long)).rejects.toMatchObject({
			code: "SESSION_REFERENCE_BUDGET_EXCEEDED",
			label: long,
		});
		await expect(take([], 100)).rejects.toMatchObject({ code: "SESSION_REFERENCE_BUDGET_EXCEEDED" });
	});

	test("looks at no more texts than it keeps, however many a reader holds", () => {
		const touched = new Set<number>();
		const messages = Array.from({ length: 40_000 }, (_, index) => ({
			type: "user/message" as const,
			seq: index + 1,
			time: null,
			attested: true,
			get text() {
				touched.add(index);
				return { bytes: 1_000, head: "x".repeat(1_000), tail: "" };
			},
		}));
		const { entry } = snapshotOf(messages, 40_000_000);
		expect(entry.retainedMessages).toBeGreaterThan(60);
		expect(touched.size).toBe(entry.retainedMessages + 1);
	});

	test("stays within its size when a reader holds texts that are not well-formed", () => {
		const text = { bytes: 300_000, head: "\ud800".repeat(100_000), tail: "" };
		const { json } = snapshotOf([{ type: "user/message", seq: 1, time: null, attested: true, text }], 300_000);
		expect(bytesOf(json)).toBeLessThanOrEqual(MAX_REFERENCE_BYTES);
		expect(json).toContain("\ufffd");
		expect(json).not.toContain("\\ud800");
	});

	test("is asked of the reader with bounds that cover all it could keep and no more", async () => {
		const sessions = new InMemorySessions(storedSession("peer"));
		await new SessionReferences(sessions).prepare(caller, "", [{ sessionId: "peer", label: "" }]);
		expect(sessions.wants).toEqual([
			{ surface: { messages: 2_622, textBytes: 65_536, totalBytes: 65_536, checkpoint: true } },
		]);
	});
});
