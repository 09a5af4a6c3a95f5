/**
 * Captures for the projection's tests: builders with plain defaults, what a bounded reader would hold of a whole
 * surface, and generators of texts that are hard to cut, to count or to escape.
 */
import fc from "fast-check";
import type {
	CapturedSession,
	CapturedSurface,
	CapturedText,
	CaptureWant,
	SurfaceEvent,
} from "../../lib/projection/events.ts";

/** UTF-8 size by Node's encoder, not by the code under test. */
export const sizeOf = (text: string): number => new TextEncoder().encode(text).length;

export const wholeText = (text: string): CapturedText => ({ bytes: sizeOf(text), head: text, tail: "" });

/** A note at a cut, as a pattern with its number. */
export const NOTICE = /\n\[… (\d+) bytes omitted …\]\n/;

export const userSays = (text: string, seq = 1): SurfaceEvent => ({
	type: "user/message",
	seq,
	time: 1000 + seq,
	attested: true,
	text: wholeText(text),
});

/** A surface of user messages, oldest first, all of them held. */
export function surfaceOf(...texts: string[]): CapturedSurface {
	return surfaceWith(texts.map((text, index) => userSays(text, index + 1)));
}

export function surfaceWith(messages: readonly SurfaceEvent[], withheldMessages = 0): CapturedSurface {
	return {
		messages,
		eligibleMessages: messages.length,
		eligibleBytes: messages.reduce((sum, { text }) => sum + text.bytes, 0),
		withheldMessages,
	};
}

export function sessionOf(parts: Partial<CapturedSession> = {}): CapturedSession {
	return {
		header: { id: "0199-peer" },
		title: "A title",
		capturedThroughSeq: 41,
		capturedAt: 1_700_000_000_000,
		damagedLines: 0,
		surface: surfaceOf("hello"),
		activity: { turn: { state: "unknown" }, step: { state: "unknown" }, calls: [] },
		...parts,
	};
}

/** What a reader that honours a want holds of a surface: newest messages, ends of long texts, exact totals. */
export function heldFor(surface: CapturedSurface, want: NonNullable<CaptureWant["surface"]>): CapturedSurface {
	const messages: SurfaceEvent[] = [];
	let held = 0;
	for (const event of surface.messages.toReversed()) {
		if (messages.length === want.messages || held >= want.totalBytes) break;
		const text = heldText(event.text.head, want.textBytes);
		held += sizeOf(text.head) + sizeOf(text.tail);
		messages.unshift({ ...event, text });
	}
	return { ...surface, messages };
}

function heldText(source: string, textBytes: number): CapturedText {
	const whole = wholeText(source);
	if (whole.bytes <= textBytes) return whole;
	const half = Math.floor(textBytes / 2);
	const characters = [...source];
	return {
		bytes: whole.bytes,
		head: takeWithin(characters, half).join(""),
		tail: takeWithin(characters.toReversed(), half).toReversed().join(""),
	};
}

function takeWithin(characters: readonly string[], bytes: number): string[] {
	let used = 0;
	let count = 0;
	for (const character of characters) {
		used += sizeOf(character);
		if (used > bytes) break;
		count += 1;
	}
	return characters.slice(0, count);
}

/** Characters that cost more serialized than in the source, that take two to four bytes, or that are half a pair. */
const NASTY = [
	"<",
	">",
	'"',
	"\\",
	"\n",
	"\u0000",
	"\u001f",
	"\u007f",
	"é",
	"€",
	"\u2028",
	"\ufeff",
	"😀",
	"𝔘",
	"a",
	" ",
];
const nastyUnit = fc.constantFrom(...NASTY);

/** Texts up to about 12 KiB: nasty mixtures, and long runs of one nasty character. Well-formed, never empty. */
export const nastyText: fc.Arbitrary<string> = fc.oneof(
	fc.string({ unit: nastyUnit, minLength: 1, maxLength: 600 }),
	fc
		.tuple(fc.string({ unit: nastyUnit, maxLength: 5 }), nastyUnit, fc.integer({ min: 1, max: 6000 }))
		.map(([start, unit, times]) => start + unit.repeat(times)),
	fc.string({ unit: "binary", minLength: 1, maxLength: 400 }),
);

/** Surfaces of up to 14 such messages of every kind, all held whole. */
export const nastySurface: fc.Arbitrary<CapturedSurface> = fc
	.tuple(
		fc.array(fc.tuple(nastyText, fc.constantFrom("user/message", "checkpoint", "assistant/message")), {
			maxLength: 14,
		}),
		fc.nat(5),
	)
	.map(([items, withheld]) =>
		surfaceWith(
			items.map(([text, type], index) => eventOf(type, text, index + 1)),
			withheld,
		),
	);

function eventOf(type: SurfaceEvent["type"], text: string, seq: number): SurfaceEvent {
	const base = { seq, time: 1000 + seq, text: wholeText(text) };
	if (type === "checkpoint") return { ...base, type, by: "pi" };
	return type === "user/message" ? { ...base, type, attested: false } : { ...base, type };
}
