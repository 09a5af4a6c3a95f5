import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	MAX_REFERENCE_BYTES,
	SessionReferenceError,
	type SessionReferenceSourceEntry,
	SessionReferences,
} from "../../lib/references/index.ts";
import { takeSnapshot } from "../../lib/references/snapshot.ts";
import {
	assistant,
	checkpoint,
	InMemorySessions,
	type StoredMessage,
	storedSession,
	user,
	WORKSPACE,
} from "./in-memory-sessions.ts";

interface Snapshot {
	readonly sessionId: string;
	readonly label: string;
	readonly cwd: string | null;
	readonly capturedThroughSeq: number | null;
	readonly conversation: readonly { readonly role: string; readonly text: string }[];
}

interface Taken {
	readonly json: string;
	readonly snapshot: Snapshot;
	readonly entry: SessionReferenceSourceEntry;
}

const caller = { sessionId: "caller", cwd: WORKSPACE };

/** Cites one session that holds these messages. */
async function take(
	messages: StoredMessage[],
	maxReferenceBytes = MAX_REFERENCE_BYTES,
	label = "the peer",
): Promise<Taken> {
	const sessions = new InMemorySessions(storedSession("peer", { messages, withheldMessages: 2 }));
	const references = new SessionReferences(sessions, { maxReferenceBytes });
	const prepared = await references.prepare(caller, "prompt", [{ sessionId: "peer", label }]);
	const line = prepared.additionalContext?.text.split("\n").find((candidate) => candidate.startsWith("[{")) ?? "";
	const [snapshot] = JSON.parse(line) as Snapshot[];
	const [entry] = prepared.additionalContext?.source.references ?? [];
	if (snapshot === undefined || entry === undefined) throw new Error("no snapshot was taken");
	return { json: line.slice(1, -1), snapshot, entry };
}

async function takeOrCode(messages: StoredMessage[], maxReferenceBytes: number): Promise<Taken | string> {
	try {
		return await take(messages, maxReferenceBytes);
	} catch (failure) {
		if (failure instanceof SessionReferenceError) return failure.code;
		throw failure;
	}
}

const bytesOf = (text: string) => Buffer.byteLength(text);
const tagSafe = (value: unknown) => JSON.stringify(value).replace(/</g, "\\u003c");
const roleOf = (message: StoredMessage) => (message.type === "assistant/message" ? "assistant" : "user");
const shown = (messages: readonly StoredMessage[]) =>
	messages.map((message) => ({ role: roleOf(message), text: message.text.toWellFormed() }));

/** Head and tail of a cut text and the omitted bytes that its note names; null for a text without a note. */
function readCut(text: string): { head: string; tail: string; omitted: number } | null {
	const note = /\n\[… (\d+) bytes omitted …\]\n/.exec(text);
	if (note === null) return null;
	const head = text.slice(0, note.index);
	return { head, tail: text.slice(note.index + note[0].length), omitted: Number(note[1]) };
}

/** Source bytes of a text that a snapshot still has, after checking that it has them in the right places. */
function checkedKeptBytes(source: string, text: string): number {
	const cut = readCut(text);
	if (cut === null) {
		expect(text).toBe(source.toWellFormed());
		return bytesOf(source);
	}
	expect(source.toWellFormed().startsWith(cut.head)).toBe(true);
	expect(source.toWellFormed().endsWith(cut.tail)).toBe(true);
	const kept = bytesOf(cut.head) + bytesOf(cut.tail);
	expect(cut.omitted).toBe(bytesOf(source) - kept);
	expect(Math.min(cut.head.length, cut.tail.length)).toBeGreaterThan(0);
	return kept;
}

/** Retention as one would write it down without a thought for time: drop, serialize all, look again. */
function dropUntilItFits(messages: StoredMessage[], maxBytes: number): { kept: StoredMessage[]; fits: boolean } {
	const newest = messages.at(-1);
	const kept = [...messages];
	const fits = () => {
		const snapshot = {
			sessionId: "peer",
			label: "the peer",
			cwd: WORKSPACE,
			capturedThroughSeq: messages.length,
			conversation: shown(kept),
		};
		return bytesOf(tagSafe(snapshot)) <= maxBytes;
	};
	while (!fits()) {
		const oldestOther = kept.findIndex((message) => message !== newest && message.type !== "checkpoint");
		if (oldestOther < 0) return { kept, fits: false };
		kept.splice(oldestOther, 1);
	}
	return { kept, fits: true };
}

const someText = (maxLength: number) =>
	fc.oneof(
		fc.string({ minLength: 1, maxLength }),
		...["<", '"', "\n", "\u0001", "é", "漢", "😀", "\ud800"].map((unit) =>
			fc.integer({ min: 1, max: maxLength }).map((count) => unit.repeat(count)),
		),
		fc.string({ minLength: 1, maxLength, unit: fc.constantFrom("<", '"', "\\", "\n", "a", "é", "漢", "😀") }),
	);

const someMessages = fc
	.tuple(
		fc.option(someText(400).map(checkpoint)),
		fc.array(
			fc.oneof(
				someText(300).map((text) => user(text)),
				someText(300).map((text) => assistant(text)),
			),
			{ maxLength: 24 },
		),
	)
	.map(([first, rest]) => (first === null ? rest : [first, ...rest]));

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

	test("keeps what dropping one message after the other would keep, with exact counts, within its size", async () => {
		await fc.assert(
			fc.asyncProperty(someMessages, fc.integer({ min: 250, max: 3_000 }), async (messages, maxBytes) => {
				const expected = dropUntilItFits(messages, maxBytes);
				const taken = await takeOrCode(messages, maxBytes);
				if (typeof taken === "string") {
					expect(taken).toBe("SESSION_REFERENCE_BUDGET_EXCEEDED");
					expect(expected.fits).toBe(false);
					expect(maxBytes).toBeLessThan(400);
					return;
				}
				const { json, snapshot, entry } = taken;
				expect(bytesOf(json)).toBeLessThanOrEqual(maxBytes);
				expect(json).not.toContain("<");
				const { conversation } = snapshot;
				expect(conversation.map(({ role }) => role)).toEqual(expected.kept.map(roleOf));
				if (expected.fits) expect(conversation).toEqual(shown(expected.kept));
				const kept = expected.kept.map((message, place) =>
					checkedKeptBytes(message.text, conversation[place]?.text ?? ""),
				);
				const all = messages.reduce((sum, { text }) => sum + bytesOf(text), 0);
				const omittedBytes = all - kept.reduce((sum, bytes) => sum + bytes, 0);
				expect(entry).toMatchObject({
					compacted: messages[0]?.type === "checkpoint",
					originalMessages: messages.length,
					retainedMessages: conversation.length,
					omittedMessages: messages.length - conversation.length,
					omittedBytes,
					truncated: omittedBytes > 0,
				});
			}),
			{ numRuns: 300 },
		);
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
		const { entry } = takeSnapshot(
			{ sessionId: "peer", label: "peer", inputIndex: 0 },
			{
				header: { id: "peer", cwd: WORKSPACE, origin: "root", private: false },
				title: null,
				capturedThroughSeq: 40_000,
				capturedAt: 0,
				damagedLines: 0,
				surface: { messages, eligibleMessages: 40_000, eligibleBytes: 40_000_000, withheldMessages: 0 },
			},
			MAX_REFERENCE_BYTES,
		);
		expect(entry.retainedMessages).toBeGreaterThan(60);
		expect(touched.size).toBe(entry.retainedMessages + 1);
	});

	test("is asked of the reader with bounds that cover all it could keep and no more", async () => {
		const sessions = new InMemorySessions(storedSession("peer"));
		await new SessionReferences(sessions).prepare(caller, "", [{ sessionId: "peer", label: "" }]);
		expect(sessions.wants).toEqual([
			{ surface: { messages: 2_622, textBytes: 65_536, totalBytes: 65_536, checkpoint: true } },
		]);
	});
});
