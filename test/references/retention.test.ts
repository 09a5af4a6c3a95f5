import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SessionReferenceError } from "../../lib/references/index.ts";
import { assistant, checkpoint, type StoredMessage, user, WORKSPACE } from "./in-memory-sessions.ts";
import { bytesOf, checkedKeptBytes, roleOf, shown, type Taken, tagSafe, take } from "./snapshots.ts";

async function takeOrCode(messages: StoredMessage[], maxReferenceBytes: number): Promise<Taken | string> {
	try {
		return await take(messages, maxReferenceBytes);
	} catch (failure) {
		if (failure instanceof SessionReferenceError) return failure.code;
		throw failure;
	}
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

describe("what a snapshot keeps", () => {
	test("is what dropping one message after the other would keep, with exact counts, within its size", async () => {
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
});
