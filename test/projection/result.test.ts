import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PEER_CONTEXT_MAX_BYTES, type PeerContext, peerContextSchema } from "../../lib/contract/peer-context.ts";
import { captureWantFor } from "../../lib/projection/limits.ts";
import {
	ProjectionError,
	projectPeerContext,
	serializePeerContext,
	TRUST_WARNING,
} from "../../lib/projection/result.ts";
import { heldFor, NOTICE, nastySurface, sessionOf, sizeOf, surfaceOf } from "./captures.ts";

const IDLE = { runtimeStatus: "idle" } as const;
const sentBytes = (value: PeerContext): number => sizeOf(serializePeerContext(value));

/** Source text that a shown one stands for: its two ends and the number in the note between them. */
function readShown(shown: string, omitted: number): { head: string; tail: string } {
	if (omitted === 0) return { head: shown, tail: "" };
	const note = `\n[… ${omitted} bytes omitted …]\n`;
	const at = shown.indexOf(note);
	expect(at).toBeGreaterThanOrEqual(0);
	return { head: shown.slice(0, at), tail: shown.slice(at + note.length) };
}

describe("the peer-context value", () => {
	it("says who, how, when, what to think of it, and then what is there", () => {
		const value = projectPeerContext(sessionOf({ damagedLines: 2 }), { view: "overview", runtimeStatus: "running" });
		expect(value).toStrictEqual({
			schemaVersion: 1,
			trustWarning: TRUST_WARNING,
			target: { sessionId: "0199-peer", title: "A title" },
			runtimeStatus: "running",
			capture: { throughSeq: 41, time: 1_700_000_000_000, damagedLines: 2 },
			conversation: {
				messages: [
					{ seq: 1, time: 1001, role: "user", checkpoint: false, attested: true, text: "hello", omittedBytes: 0 },
				],
				retention: {
					eligibleMessages: 1,
					returnedMessages: 1,
					omittedMessages: 0,
					withheldMessages: 0,
					eligibleBytes: 5,
					returnedBytes: 5,
					omittedBytes: 0,
				},
			},
			activity: { turn: { state: "unknown" }, step: { state: "unknown" }, tools: [] },
		});
		expect(peerContextSchema.parse(value)).toEqual(value);
		expect(Object.keys(value)).toEqual([
			"schemaVersion",
			"trustWarning",
			"target",
			"runtimeStatus",
			"capture",
			"conversation",
			"activity",
		]);
	});

	it("warns before the first foreign word", () => {
		const json = serializePeerContext(projectPeerContext(sessionOf(), { view: "overview", ...IDLE }));
		expect(json.indexOf("Untrusted data")).toBeGreaterThan(0);
		expect(json.indexOf("Untrusted data")).toBeLessThan(json.indexOf("A title"));
	});

	it.each([
		{ view: "overview", parts: ["conversation", "activity"], messages: 3 },
		{ view: "conversation", parts: ["conversation"], messages: 8 },
		{ view: "activity", parts: ["activity"], messages: undefined },
	] as const)("has in the view $view only its parts", ({ view, parts, messages }) => {
		const surface = surfaceOf(..."abcdefghij");
		const value = projectPeerContext(sessionOf({ surface }), { view, ...IDLE });
		expect(Object.keys(value).filter((key) => key === "conversation" || key === "activity")).toEqual(parts);
		expect(value.conversation?.messages.length).toBe(messages);
	});

	it("takes the newest messages in chronological order, as many as were asked for", () => {
		const surface = surfaceOf(..."abcdefghij");
		const request = { view: "conversation", maxMessages: 2, ...IDLE } as const;
		const { conversation } = projectPeerContext(sessionOf({ surface }), request);
		expect(conversation?.messages.map(({ text }) => text)).toEqual(["i", "j"]);
		expect(conversation?.retention).toMatchObject({ eligibleMessages: 10, returnedMessages: 2, omittedMessages: 8 });
	});

	it("cuts overview messages to 1,024 source bytes", () => {
		const surface = surfaceOf("x".repeat(1025));
		const { conversation } = projectPeerContext(sessionOf({ surface }), { view: "overview", ...IDLE });
		expect(conversation?.messages[0]?.text).toBe(`${"x".repeat(512)}\n[… 1 bytes omitted …]\n${"x".repeat(512)}`);
	});

	it("honours lowered limits and ignores raised ones", () => {
		const surface = surfaceOf(...Array.from({ length: 12 }, () => "x".repeat(5000)));
		const counts = (limits: Parameters<typeof projectPeerContext>[1]["limits"]) =>
			projectPeerContext(sessionOf({ surface }), { view: "conversation", ...IDLE, limits }).conversation?.retention;
		expect(counts({ messages: 2, messageBytes: 300 })).toMatchObject({ returnedMessages: 2, returnedBytes: 600 });
		expect(counts({ messages: 99, messageBytes: 1e6, totalBytes: 1e6 })).toEqual(counts(undefined));
		expect(counts(undefined)).toMatchObject({ returnedMessages: 4, returnedBytes: 16384, omittedBytes: 60000 - 16384 });
	});

	it.each([
		{ name: "one printable line", title: "a\n\u001b[1mb\u202e", shown: "a b" },
		{ name: "at most 200 code points", title: "😀".repeat(300), shown: "😀".repeat(200) },
		{ name: "null when nothing printable is left", title: " \u0007\n", shown: null },
		{ name: "null when there is none", title: null, shown: null },
	])("has a title that is $name", ({ title, shown }) => {
		const value = projectPeerContext(sessionOf({ title }), { view: "activity", ...IDLE });
		expect(value.target.title).toBe(shown);
	});

	it("keeps runtime status, turn state, end reason and call status apart", () => {
		const call = { name: "bash", callId: "c", time: 1, outcome: "pending", turnOpen: true } as const;
		const activity = {
			turn: { state: "open", number: 1 },
			step: { state: "open", number: 1 },
			calls: [call],
		} as const;
		const shown = (runtimeStatus: "running" | "idle" | "offline") => {
			const value = projectPeerContext(sessionOf({ activity }), { view: "activity", runtimeStatus });
			return [value.runtimeStatus, value.activity?.turn.state, value.activity?.tools[0]?.status];
		};
		expect(shown("running")).toEqual(["running", "open", "running"]);
		expect(shown("idle")).toEqual(["idle", "open", "error"]);
		expect(shown("offline")).toEqual(["offline", "open", "error"]);
		const failed = {
			turn: { state: "ended", number: 2, endReason: "error" },
			step: { state: "ended", number: 1 },
			calls: [],
		} as const;
		const value = projectPeerContext(sessionOf({ activity: failed }), { view: "activity", runtimeStatus: "running" });
		expect([value.runtimeStatus, value.activity?.turn]).toEqual(["running", failed.turn]);
	});

	it("names what is wrong when a part was not captured, and nothing of the session", () => {
		const { surface: _surface, ...blind } = sessionOf();
		const { activity: _activity, ...deaf } = sessionOf();
		const failure = new ProjectionError("capture_incomplete");
		expect(() => projectPeerContext(blind, { view: "conversation", ...IDLE })).toThrow(failure);
		expect(() => projectPeerContext(deaf, { view: "overview", ...IDLE })).toThrow(failure);
		expect(projectPeerContext(blind, { view: "activity", ...IDLE }).activity).toBeDefined();
	});

	it("refuses an id that alone is too long, rather than exceed its size or blank a text", () => {
		const session = sessionOf({ header: { id: "<".repeat(9000) }, surface: surfaceOf("hello") });
		for (const view of ["overview", "conversation", "activity"] as const) {
			expect(() => projectPeerContext(session, { view, ...IDLE })).toThrow(new ProjectionError("too_large"));
		}
	});
});

describe("the size of the value", () => {
	const dearest = ["<", "\u0001", '"', "\\", "\u2028", "€", "😀", "<😀", '\\"\n'];

	it.each(dearest)("stays within 48 KiB for texts of %j only", (unit) => {
		const surface = surfaceOf(...Array.from({ length: 8 }, () => unit.repeat(5000)));
		const session = sessionOf({ surface, title: "<".repeat(200), header: { id: "\u0000".repeat(512) } });
		const value = projectPeerContext(session, { view: "conversation", ...IDLE });
		expect(sentBytes(value)).toBeLessThanOrEqual(PEER_CONTEXT_MAX_BYTES);
		expect(value.conversation?.messages.length).toBeGreaterThanOrEqual(4);
		for (const { text } of value.conversation?.messages ?? []) expect(text).toMatch(NOTICE);
	});

	it("is used up to a few hundred bytes when escaping forces a cut", () => {
		const surface = surfaceOf(...Array.from({ length: 8 }, () => "<".repeat(2048)));
		const value = projectPeerContext(sessionOf({ surface }), { view: "conversation", ...IDLE });
		expect(value.conversation?.messages).toHaveLength(8);
		expect(sentBytes(value)).toBeGreaterThan(PEER_CONTEXT_MAX_BYTES - 300);
	});

	it("is not the reason for a cut when the value just fits", () => {
		const surface = surfaceOf(...Array.from({ length: 8 }, () => "\\".repeat(2048)));
		const value = projectPeerContext(sessionOf({ surface }), { view: "conversation", ...IDLE });
		expect(value.conversation?.retention.omittedBytes).toBe(0);
	});

	it("is won from the longest texts; short ones stay whole", () => {
		const surface = surfaceOf("<".repeat(4096), "short", "<".repeat(4096), "x".repeat(4000), "<".repeat(4000));
		const value = projectPeerContext(sessionOf({ surface }), { view: "conversation", ...IDLE });
		const omitted = value.conversation?.messages.map((message) => message.omittedBytes > 0);
		expect(omitted).toEqual([true, false, true, false, true]);
	});

	it("is that of the string that the tool sends, whose parsed form is the value itself", () => {
		const value = projectPeerContext(sessionOf({ surface: surfaceOf("</conversation>\u2028") }), {
			view: "overview",
			...IDLE,
		});
		const sent = serializePeerContext(value);
		expect(sent).not.toMatch(/[<\n\u2028]/);
		expect(JSON.parse(sent)).toEqual(value);
	});
});

describe("any surface", () => {
	const limits = fc.record(
		{
			messages: fc.integer({ min: 1, max: 8 }),
			messageBytes: fc.integer({ min: 8, max: 4096 }),
			totalBytes: fc.integer({ min: 8, max: 16384 }),
			overviewMessageBytes: fc.integer({ min: 8, max: 1024 }),
		},
		{ requiredKeys: [] },
	);
	const view = fc.constantFrom("overview", "conversation");

	it("fits the size, counts exactly, blanks nothing and shows real ends in chronological order", () => {
		fc.assert(
			fc.property(nastySurface, view, limits, (surface, chosen, lowered) => {
				const value = projectPeerContext(sessionOf({ surface }), { view: chosen, ...IDLE, limits: lowered });
				expect(sentBytes(value)).toBeLessThanOrEqual(PEER_CONTEXT_MAX_BYTES);
				const { messages = [], retention } = value.conversation ?? {};
				const newest = surface.messages.slice(surface.messages.length - messages.length);
				expect(messages.map(({ seq }) => seq)).toEqual(newest.map(({ seq }) => seq));
				let returnedBytes = 0;
				for (const [index, { text, omittedBytes }] of messages.entries()) {
					const source = newest[index]?.text.head ?? "";
					const { head, tail } = readShown(text, omittedBytes);
					expect(source.startsWith(head) && source.endsWith(tail)).toBe(true);
					expect(sizeOf(source)).toBe(sizeOf(head) + sizeOf(tail) + omittedBytes);
					expect(head + tail).not.toBe("");
					expect(text.isWellFormed()).toBe(true);
					returnedBytes += sizeOf(head) + sizeOf(tail);
				}
				expect(retention).toEqual({
					eligibleMessages: surface.eligibleMessages,
					returnedMessages: messages.length,
					omittedMessages: surface.eligibleMessages - messages.length,
					withheldMessages: surface.withheldMessages,
					eligibleBytes: surface.eligibleBytes,
					returnedBytes,
					omittedBytes: surface.eligibleBytes - returnedBytes,
				});
				expect(returnedBytes).toBeLessThanOrEqual(lowered.totalBytes ?? 16384);
			}),
		);
	});

	it("gives the same value from what the reader was asked to hold as from the whole", () => {
		fc.assert(
			fc.property(
				nastySurface,
				view,
				limits,
				fc.integer({ min: 1, max: 8 }),
				(surface, chosen, lowered, maxMessages) => {
					const want = captureWantFor(chosen, lowered, maxMessages).surface;
					if (want === undefined) throw new Error("these views have a conversation");
					const request = { view: chosen, ...IDLE, limits: lowered, maxMessages };
					const bounded = projectPeerContext(sessionOf({ surface: heldFor(surface, want) }), request);
					expect(bounded).toEqual(projectPeerContext(sessionOf({ surface }), request));
				},
			),
		);
	});
});
