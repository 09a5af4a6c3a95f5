/**
 * fast-check arbitraries for small session logs of every shape that a reader may meet: trees with several roots and
 * branches, compactions, context edits, all three versions, odd writers, damaged lines.
 *
 * A log is first drawn as independent steps and then put together, so that a failing case shrinks to a short log.
 */
import fc from "fast-check";
import { headFirstEntry, type JsonObject, payloadFirstEntry, sessionHeader } from "./pi-entries.ts";
import { BROKEN_UTF8 } from "./random-content.ts";
import {
	type EntryDraft,
	entryDraft,
	type ParentReference,
	parentReference,
	type Reference,
	type Temper,
} from "./random-entries.ts";
import { noiseLines } from "./random-noise.ts";
import { PLAIN_STYLE, type RenderStyle, renderJson } from "./render-json.ts";

/** One physical line. */
export interface RandomLine {
	/** Without the newline; a carriage return before it belongs to the text. */
	readonly text: string;
	/** The entry that was rendered; null for the header, noise and lines that were cut off. */
	readonly entry: JsonObject | null;
}

export interface RandomLog {
	readonly version: 1 | 2 | 3;
	/** The header is line 0. */
	readonly lines: readonly RandomLine[];
	/** The file: all lines with their newlines, and what a writer at work may have left after the last one. */
	readonly bytes: Buffer;
}

type IdStyle = "hex" | "uuid" | "word" | "hard" | "upperHex" | "repeated";

interface Step {
	readonly draft: EntryDraft;
	readonly parent: ParentReference;
	readonly idStyle: IdStyle;
	readonly keyOrder: "asPi" | "headFirst" | "payloadFirst" | "reversed" | "rotated";
	readonly extraKeys: JsonObject;
	readonly style: RenderStyle;
	readonly padding: "" | "  " | "\t";
	readonly carriageReturn: boolean;
	/** The line ends somewhere in its middle. */
	readonly cutOff: boolean;
	readonly noiseBefore: readonly string[];
}

const weighted = <T>(usual: T, weight: number, ...others: readonly T[]): fc.Arbitrary<T> =>
	fc.oneof(
		{ arbitrary: fc.constant(usual), weight },
		...others.map((other) => ({ arbitrary: fc.constant(other), weight: 1 })),
	);

const renderStyle: fc.Arbitrary<RenderStyle> = fc.record({
	spaced: weighted(false, 9, true),
	escapes: weighted<RenderStyle["escapes"]>("none", 16, "wide", "every", "everyUpperCase", "slashes"),
	escapedKeys: weighted(false, 39, true),
});

function step(linkedById: boolean, temper: Temper): fc.Arbitrary<Step> {
	return fc.record({
		draft: entryDraft(temper),
		parent: parentReference(temper),
		idStyle: weighted<IdStyle>(
			"hex",
			30,
			"uuid",
			"word",
			"hard",
			"upperHex",
			...(temper === "wild" ? ["repeated" as const] : []),
		),
		keyOrder: weighted<Step["keyOrder"]>("asPi", 16, "headFirst", "payloadFirst", "reversed", "rotated"),
		extraKeys: weighted<JsonObject>({}, 18, { writer: "another" }, { text: "FORBIDDEN", message2: { role: "user" } }),
		style: weighted<RenderStyle | null>(PLAIN_STYLE, 3, null).chain((style) =>
			style === null ? renderStyle : fc.constant(style),
		),
		padding: weighted<Step["padding"]>("", 38, "  ", "\t"),
		carriageReturn: weighted(false, 19, true),
		cutOff: weighted(false, 49, temper === "wild"),
		noiseBefore: noiseLines(linkedById),
	});
}

export interface RandomLogOptions {
	/** Most entries of one log; default 32. */
	readonly maxEntries?: number;
	/** Default: all three. */
	readonly versions?: readonly [1 | 2 | 3, ...(1 | 2 | 3)[]];
	/** Bytes inside strings that are not UTF-8, which the SDK reads as U+FFFD; default true. */
	readonly brokenUtf8?: boolean;
}

/** Any small session log. The oracle tells which of them the SDK itself would never finish (`cyclic`). */
export function randomLog(options: RandomLogOptions = {}): fc.Arbitrary<RandomLog> {
	const versions = options.versions ?? [3, 3, 3, 2, 1];
	const tempers: fc.Arbitrary<Temper> = fc.constantFrom("calm", "wild");
	return fc.tuple(fc.constantFrom(...versions), tempers).chain(([version, temper]) =>
		fc
			.record({
				steps: fc.array(step(version > 1, temper), { maxLength: options.maxEntries ?? 32, size: "max" }),
				noiseAtEnd: noiseLines(version > 1),
				unfinished: weighted("", 6, '{"type":"message","id":"unfin', '{"type":"custom","id":"a","parentId":null}'),
			})
			.map(({ steps, noiseAtEnd, unfinished }) => {
				const lines = assembleLines(version, steps, noiseAtEnd);
				const text = `${lines.map((line) => `${line.text}\n`).join("")}${unfinished}`;
				return { version, lines, bytes: options.brokenUtf8 === false ? Buffer.from(text) : toBrokenBytes(text) };
			}),
	);
}

function assembleLines(version: 1 | 2 | 3, steps: readonly Step[], noiseAtEnd: readonly string[]): RandomLine[] {
	const header = sessionHeader({ version, id: "random-session", timestamp: "2026-03-01T09:00:00.000Z", cwd: "/w" });
	const lines: RandomLine[] = [{ text: JSON.stringify(header), entry: null }];
	const ids = steps.map((_, index) => idOf(steps, index));
	const objectLines: number[] = [];
	for (const [index, current] of steps.entries()) {
		for (const text of current.noiseBefore) lines.push({ text, entry: null });
		objectLines.push(countObjects(lines));
		const entry = placeEntry(version, current, index, ids, objectLines);
		lines.push(renderLine(current, entry));
	}
	for (const text of noiseAtEnd) lines.push({ text, entry: null });
	return lines;
}

/** The text's bytes, with the stand-ins for broken UTF-8 replaced. */
function toBrokenBytes(text: string): Buffer {
	let latin1 = Buffer.from(text, "utf8").toString("latin1");
	for (const { standIn, bytes } of BROKEN_UTF8) {
		latin1 = latin1.replaceAll(Buffer.from(standIn).toString("latin1"), Buffer.from(bytes).toString("latin1"));
	}
	return Buffer.from(latin1, "latin1");
}

/** Lines that hold a JSON object: what an index of a version 1 file counts. */
function countObjects(lines: readonly RandomLine[]): number {
	return lines.filter(({ text, entry }) => entry !== null || text.startsWith('{"type":"session"')).length;
}

const ID_STYLES: Readonly<Record<Exclude<IdStyle, "repeated">, (index: number) => string>> = {
	hex: (index) => hexId(index),
	upperHex: (index) => hexId(index).toUpperCase(),
	uuid: (index) => `019ca3f0-0000-7000-8000-${String(index).padStart(12, "0")}`,
	word: (index) => `entry.${index}`,
	hard: (index) => `"é\\🙂/${index}`,
};

function hexId(index: number): string {
	return (Math.imul(index + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0");
}

function idOf(steps: readonly Step[], index: number): string {
	const style = steps[index]?.idStyle ?? "hex";
	if (style !== "repeated") return ID_STYLES[style](index);
	return index < 3 ? ID_STYLES.hex(index) : idOf(steps, index - 3);
}

function placeEntry(
	version: 1 | 2 | 3,
	{ draft, parent, keyOrder, extraKeys }: Step,
	index: number,
	ids: readonly string[],
	objectLines: readonly number[],
): JsonObject {
	const time = new Date(Date.UTC(2026, 2, 1, 10, 0, index)).toISOString();
	const linked = { id: ids[index], ...parentKey(parent, index, ids), timestamp: time };
	const place = version === 1 ? { timestamp: time } : linked;
	const payload = { ...draft.payload };
	if (draft.target) payload.targetId = resolve(draft.target, index, ids);
	if (draft.firstKept && draft.firstKept.kind !== "keyMissing") {
		if (version === 1) payload.firstKeptEntryIndex = resolveIndex(draft.firstKept, index, objectLines);
		else payload.firstKeptEntryId = resolve(draft.firstKept, index, ids);
	}
	return KEY_ORDERS[keyOrder](draft, place, payload, extraKeys);
}

type Place = { readonly timestamp: string };

const KEY_ORDERS: Readonly<
	Record<Step["keyOrder"], (draft: EntryDraft, place: Place, payload: JsonObject, extra: JsonObject) => JsonObject>
> = {
	asPi: ({ type, payloadFirst }, place, payload, extra) => ({
		...(payloadFirst ? payloadFirstEntry(type, place, payload) : headFirstEntry(type, place, payload)),
		...extra,
	}),
	headFirst: ({ type }, place, payload, extra) => headFirstEntry(type, place, { ...extra, ...payload }),
	payloadFirst: ({ type }, place, payload, extra) => payloadFirstEntry(type, place, { ...payload, ...extra }),
	reversed: ({ type }, place, payload, extra) =>
		withKeysReversed(headFirstEntry(type, place, { ...payload, ...extra, ...messageReversed(payload) })),
	rotated: ({ type }, place, payload, extra) => ({ ...extra, ...place, ...payload, ...messageReversed(payload), type }),
};

function messageReversed(payload: JsonObject): JsonObject {
	const { message } = payload;
	return message === undefined ? {} : { message: withKeysReversed(message as JsonObject) };
}

function withKeysReversed(value: JsonObject): JsonObject {
	return Object.fromEntries(Object.entries(value).reverse());
}

function parentKey(parent: Step["parent"], index: number, ids: readonly string[]): JsonObject {
	if (parent.kind === "keyMissing") return {};
	if (parent.kind === "root" || (parent.kind === "back" && index === 0)) return { parentId: null };
	return { parentId: resolve(parent as Reference, index, ids) };
}

function resolve(reference: Reference, index: number, ids: readonly string[]): string {
	return ids[resolvedIndex(reference, index, ids.length)] ?? "deadbeef";
}

function resolveIndex(reference: Reference, index: number, objectLines: readonly number[]): number {
	if (reference.kind === "absent") return 10_000;
	// Before the first entry stands the header.
	return objectLines[resolvedIndex(reference, index, objectLines.length)] ?? 0;
}

/** -1 for an entry that isn't there. */
function resolvedIndex(reference: Reference, index: number, count: number): number {
	switch (reference.kind) {
		case "self":
			return index;
		case "back":
			return Math.max(0, index - reference.distance);
		case "forward":
			return Math.min(count - 1, index + reference.distance);
		case "absent":
			return -1;
	}
}

function renderLine({ style, padding, carriageReturn, cutOff }: Step, entry: JsonObject): RandomLine {
	const text = `${padding}${renderJson(entry, style)}${padding}`;
	// Cut so that the damage shows at the line's end.
	if (cutOff) return { text: text.slice(0, Math.ceil(text.length * 0.6)).replace(/[}\s]+$/, ""), entry: null };
	return { text: carriageReturn ? `${text}\r` : text, entry };
}
