/**
 * Mentions of sessions in a prompt, and session URIs.
 */
import assert from "node:assert/strict";
import {
	decodeSessionReferenceUri,
	encodeSessionReferenceUri,
	formatSessionReferenceMention,
	type ParsedReferenceText,
	parseSessionReferenceMentions,
	parseSessionReferenceText,
	SessionReferenceError,
} from "../../../lib/references/index.ts";
import { type FuzzTarget, holdsNothing, samplesOf } from "../fuzz/target.ts";

const uri = encodeSessionReferenceUri("01a22e72");

export const mentionTarget: FuzzTarget = {
	name: "mentions",
	samples: samplesOf(
		`See @[the parser](${uri}) and @[b\\]\\\\c](${encodeSessionReferenceUri("")}), then ${uri}.`,
		formatSessionReferenceMention({ sessionId: "\ud800", label: "a]b\\c" }),
		`@[@[nested](${uri})](${uri}) @[open](${uri} `,
		`dsh-session: dsh-session:bad @[x](dsh-session:IiI) [y](${uri})`,
		"a mail to me@[127.0.0.1] and a list [1](2)",
	),
	tokens: ["@[", "](", ")", "]", "\\", "\\]", "@", "dsh-session:", `](${uri})`, uri, "IiI", "-_", "=", " ", "\n"],
	bounds: [64, 1000, 30_000],
	maxBytes: 64 * 1024,
	open: () => holdsNothing(checkMentions),
};

/** The bytes as UTF-8, and as UTF-16 units, which can be anything that a JavaScript string can be. */
function checkMentions(bytes: Buffer): void {
	for (const text of [bytes.toString("utf8"), bytes.toString("utf16le")]) {
		checkReading(text, parseSessionReferenceText);
		checkReading(text, parseSessionReferenceMentions);
		checkRoundTrip(text);
		checkUri(text);
	}
}

function checkReading(text: string, parse: (text: string) => ParsedReferenceText): void {
	const parsed = orInvalid(() => parse(text));
	if (parsed === null) return;
	if (!text.includes("dsh-session:")) assert.deepEqual(parsed, { text, references: [] });
	let rest = parsed.text;
	for (const { sessionId, label } of parsed.references) {
		const at = rest.indexOf(`@${label}`);
		assert.ok(at >= 0, "a reference is not where the text shows it");
		rest = rest.slice(at + 1 + label.length);
		assert.ok(text.includes(encodeSessionReferenceUri(sessionId)), "a session that the text does not name");
	}
	assert.ok(parsed.references.length * "dsh-session:Ii".length <= text.length);
}

/** Any id and any label: the text's own halves. */
function checkRoundTrip(text: string): void {
	const sessionId = text.slice(0, text.length >> 1).slice(0, 2000);
	const label = text.slice(text.length >> 1).slice(0, 2000);
	const mention = formatSessionReferenceMention({ sessionId, label });
	const read = { text: `a @${label} b`, references: [{ sessionId, label }] };
	assert.deepEqual(parseSessionReferenceMentions(`a ${mention} b`), read);
	assert.deepEqual(parseSessionReferenceText(`a ${mention} b`), read);
}

function checkUri(text: string): void {
	assert.equal(decodeSessionReferenceUri(encodeSessionReferenceUri(text)), text);
	for (const candidate of [text, ...(text.match(/dsh-session:[A-Za-z0-9_-]*/g) ?? []).slice(0, 20)]) {
		const id = orInvalid(() => decodeSessionReferenceUri(candidate));
		if (id !== null) assert.equal(encodeSessionReferenceUri(id), candidate);
	}
}

/** What it returns; null when it says that a reference is invalid. */
function orInvalid<Result>(read: () => Result): Result | null {
	try {
		return read();
	} catch (error) {
		assert.ok(error instanceof SessionReferenceError, `Thrown: ${String(error)}`);
		assert.equal(error.code, "SESSION_REFERENCE_INVALID_REFERENCE");
		assert.doesNotMatch(error.message, /[\p{Cc}\ud800-\udfff]/u);
		return null;
	}
}
