import { describe, expect, it } from "vitest";
import { countRetention, retainNewest, toPeerContextMessage } from "../../lib/projection/retention.ts";
import { omittedBytes, renderText } from "../../lib/projection/text.ts";
import { sizeOf, surfaceOf, surfaceWith, userSays, wholeText } from "./captures.ts";

const LIMITS = { messages: 8, messageBytes: 4096, totalBytes: 16384 };

describe("retention", () => {
	it.each([
		{ name: "everything when it fits", sizes: [10, 20, 30], limits: {}, kept: [10, 20, 30] },
		{ name: "nothing of an empty surface", sizes: [], limits: {}, kept: [] },
		{ name: "only the newest messages", sizes: [1, 2, 3, 4], limits: { messages: 2 }, kept: [3, 4] },
		{ name: "no message when none is allowed", sizes: [1, 2], limits: { messages: 0 }, kept: [] },
		{ name: "a long message up to its own limit", sizes: [10, 5000], limits: {}, kept: [10, 4096] },
		{ name: "a message of exactly its limit whole", sizes: [4096], limits: {}, kept: [4096] },
		{ name: "exactly the total", sizes: [9, 4096, 4096, 4096, 4096], limits: {}, kept: [4096, 4096, 4096, 4096] },
		{
			name: "the first that doesn't fit up to what is left",
			sizes: [9, 900, 600],
			limits: { totalBytes: 1000 },
			kept: [400, 600],
		},
		{ name: "a cut when exactly 256 are left", sizes: [900, 744], limits: { totalBytes: 1000 }, kept: [256, 744] },
		{
			name: "no cut when 255 are left, and nothing older",
			sizes: [5, 900, 745],
			limits: { totalBytes: 1000 },
			kept: [745],
		},
		{
			name: "a whole message that fits into less than 256",
			sizes: [200, 745],
			limits: { totalBytes: 1000 },
			kept: [200, 745],
		},
		{
			name: "messages under a low limit of their own",
			sizes: [500, 500],
			limits: { messageBytes: 100 },
			kept: [100, 100],
		},
		{ name: "nothing rather than a bare note", sizes: [500], limits: { messageBytes: 1 }, kept: [] },
	])("keeps $name", ({ sizes, limits, kept }) => {
		const surface = surfaceOf(...sizes.map((size) => "x".repeat(size)));
		const retained = retainNewest(surface, { ...LIMITS, ...limits });
		expect(retained.map(({ text }) => text.bytes - omittedBytes(text))).toEqual(kept);
		const returnedBytes = kept.reduce((sum, size) => sum + size, 0);
		const eligibleBytes = sizes.reduce((sum, size) => sum + size, 0);
		expect(countRetention(surface, retained)).toEqual({
			eligibleMessages: sizes.length,
			returnedMessages: kept.length,
			omittedMessages: sizes.length - kept.length,
			withheldMessages: 0,
			eligibleBytes,
			returnedBytes,
			omittedBytes: eligibleBytes - returnedBytes,
		});
	});

	it("counts multi-byte texts in bytes, with what a border costs among the omitted", () => {
		const surface = surfaceOf("€".repeat(100), `x${"😀".repeat(30)}`);
		const retained = retainNewest(surface, { ...LIMITS, messageBytes: 100 });
		// Halves of 50: 16 × 3 bytes an end; and 1 + 12 × 4 before the cut, 12 × 4 behind it.
		expect(retained.map(({ text }) => omittedBytes(text))).toEqual([300 - 96, 121 - 97]);
		expect(countRetention(surface, retained)).toMatchObject({
			returnedBytes: 193,
			omittedBytes: 228,
			eligibleBytes: 421,
		});
	});

	it("keeps nothing older than a message that was cut to the rest, however little it is", () => {
		const surface = surfaceOf("ok", "€".repeat(300), "x".repeat(600));
		const retained = retainNewest(surface, { ...LIMITS, totalBytes: 1000 });
		// 400 are left for the second: 66 × 3 bytes an end, and a remainder of 4 that the oldest would fit into.
		expect(retained.map(({ text }) => omittedBytes(text))).toEqual([900 - 396, 0]);
	});

	it("counts what a reader no longer holds, and withheld messages beside the eligible ones", () => {
		const held = [userSays("abc", 7)];
		const surface = { messages: held, eligibleMessages: 500, eligibleBytes: 90_000, withheldMessages: 4 };
		expect(countRetention(surface, retainNewest(surface, LIMITS))).toEqual({
			eligibleMessages: 500,
			returnedMessages: 1,
			omittedMessages: 499,
			withheldMessages: 4,
			eligibleBytes: 90_000,
			returnedBytes: 3,
			omittedBytes: 89_997,
		});
	});

	it("cuts a text of which only the ends are held, and counts the whole gap", () => {
		const text = { bytes: 10_000, head: "h".repeat(2048), tail: "t".repeat(2048) };
		const surface = surfaceWith([{ ...userSays("", 3), text }]);
		const [message] = retainNewest(surface, { ...LIMITS, messageBytes: 1000 });
		expect(message && renderText(message.text)).toBe(
			`${"h".repeat(500)}\n[… 9000 bytes omitted …]\n${"t".repeat(500)}`,
		);
	});

	it("replaces lone surrogates before anything leaves", () => {
		const surface = surfaceWith([
			{ ...userSays("", 1), text: { bytes: 7, head: "a\ud800\udfffb".slice(0, 2), tail: "\udc00" } },
		]);
		expect(retainNewest(surface, LIMITS).map(({ text }) => renderText(text))).toEqual(["a\ufffd\ufffd"]);
	});

	it("names role, checkpoint, attestation and author, each only where it applies", () => {
		const base = { seq: 5, time: null, text: wholeText("é") };
		const shown = (event: Parameters<typeof toPeerContextMessage>[0]["event"]) =>
			toPeerContextMessage({ event, text: event.text });
		const common = { seq: 5, time: null, text: "é", omittedBytes: 0 };
		expect(shown({ ...base, type: "user/message", attested: false })).toEqual({
			...common,
			role: "user",
			checkpoint: false,
			attested: false,
		});
		expect(shown({ ...base, type: "checkpoint", by: "extension" })).toEqual({
			...common,
			role: "user",
			checkpoint: true,
			by: "extension",
		});
		expect(shown({ ...base, type: "assistant/message" })).toEqual({ ...common, role: "assistant", checkpoint: false });
	});

	it("leaves the notice out of every count", () => {
		const surface = surfaceOf("x".repeat(5000));
		const [message] = retainNewest(surface, LIMITS).map(toPeerContextMessage);
		expect(message?.omittedBytes).toBe(904);
		expect(sizeOf(message?.text ?? "")).toBeGreaterThan(4096);
		expect(countRetention(surface, retainNewest(surface, LIMITS)).returnedBytes).toBe(4096);
	});
});
