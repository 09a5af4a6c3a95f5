/**
 * Mentions: how a session is cited inside the text of a prompt.
 *
 * A mention is Markdown, `@[label](uri)`, in which a backslash stands before each `\` and `]` of the label. Reading is
 * one pass whose work grows with the length of the text, whatever the text holds: prompts may be pasted files.
 */
import { SessionReferenceError } from "./errors.ts";
import { decodeSessionReferenceUri, encodeSessionReferenceUri, SESSION_REFERENCE_SCHEME } from "./uri.ts";

/** One citation: which session, and what the person called it. */
export interface SessionReference {
	readonly sessionId: string;
	readonly label: string;
}

/** A prompt as the model should read it, and what it cites, in order of appearance, duplicates included. */
export interface ParsedReferenceText {
	readonly text: string;
	readonly references: SessionReference[];
}

/** `@[label](uri)`. Without a label the id is the label. */
export function formatSessionReferenceMention(reference: {
	readonly sessionId: string;
	readonly label?: string | undefined;
}): string {
	const label = reference.label ?? reference.sessionId;
	return `@[${label.replace(/[\\\]]/g, "\\$&")}](${encodeSessionReferenceUri(reference.sessionId)})`;
}

/**
 * Replaces mentions and bare URIs by `@label` (a bare URI's label is its id).
 *
 * @throws SessionReferenceError `SESSION_REFERENCE_INVALID_REFERENCE` for a mention whose URI is malformed, and for a
 * bare candidate (the scheme and at least one base64url character) that is not canonical.
 */
export function parseSessionReferenceText(text: string): ParsedReferenceText {
	return replaceReferences(text, true);
}

/**
 * Like {@link parseSessionReferenceText}, but only Markdown mentions count and a bare URI stays text: what is read in
 * a person's own input, where a pasted URI is no wish to cite.
 *
 * @throws SessionReferenceError `SESSION_REFERENCE_INVALID_REFERENCE` for a mention whose URI is malformed.
 */
export function parseSessionReferenceMentions(text: string): ParsedReferenceText {
	return replaceReferences(text, false);
}

/** A reference and the range of the text that spells it. */
interface FoundReference extends SessionReference {
	readonly start: number;
	readonly end: number;
}

const mentionStart = "@[";
const mentionStarts = /@\[/g;
const mentionStartsAndBareUris = new RegExp(`@\\[|${SESSION_REFERENCE_SCHEME}[A-Za-z0-9_-]+`, "g");

function replaceReferences(text: string, bareUris: boolean): ParsedReferenceText {
	const references: SessionReference[] = [];
	const pieces: string[] = [];
	let written = 0;
	for (const { sessionId, label, start, end } of findReferences(text, bareUris)) {
		references.push({ sessionId, label });
		pieces.push(text.slice(written, start), "@", label);
		written = end;
	}
	pieces.push(text.slice(written));
	return { text: pieces.join(""), references };
}

function* findReferences(text: string, bareUris: boolean): Generator<FoundReference> {
	const scanner = new MentionScanner(text);
	const candidates = new RegExp(bareUris ? mentionStartsAndBareUris : mentionStarts);
	for (let match = candidates.exec(text); match !== null; match = candidates.exec(text)) {
		const found = match[0] === mentionStart ? scanner.mentionAt(match.index) : bareReference(match[0], match.index);
		if (found === null) continue;
		yield found;
		candidates.lastIndex = found.end;
	}
}

function bareReference(uri: string, start: number): FoundReference {
	const sessionId = decodeSessionReferenceUri(uri);
	return { sessionId, label: sessionId, start, end: start + uri.length };
}

/**
 * Looks at places in increasing order. Where the last label or URI ended is remembered, so that a text of nothing but
 * openings is not searched to its end from each of them. That is sound because an opening never lies inside an escape.
 */
class MentionScanner {
	readonly #text: string;
	readonly #labelEnds = /\\[\\\]]|\]/g;
	readonly #uriEnds = /[)\s]/g;
	#labelEnd = -1;
	#uriEnd = -1;

	constructor(text: string) {
		this.#text = text;
	}

	/** The mention that the `@[` at `start` opens, or null when it opens none. */
	mentionAt(start: number): FoundReference | null {
		const labelStart = start + mentionStart.length;
		const labelEnd = this.#endOfLabel(labelStart);
		const uriStart = labelEnd + "](".length;
		if (!this.#text.startsWith(`](${SESSION_REFERENCE_SCHEME}`, labelEnd)) return null;
		const uriEnd = this.#endOfUri(uriStart);
		if (this.#text[uriEnd] !== ")") return null;
		const label = this.#text.slice(labelStart, labelEnd).replace(/\\([\\\]])/g, "$1");
		const sessionId = decodeMentionUri(this.#text.slice(uriStart, uriEnd), label);
		return { sessionId, label, start, end: uriEnd + 1 };
	}

	/** Where the first `]` without a backslash before it stands, at or after `from`; the text's length when nowhere. */
	#endOfLabel(from: number): number {
		if (from <= this.#labelEnd) return this.#labelEnd;
		this.#labelEnds.lastIndex = from;
		let match = this.#labelEnds.exec(this.#text);
		while (match !== null && match[0] !== "]") match = this.#labelEnds.exec(this.#text);
		this.#labelEnd = match?.index ?? this.#text.length;
		return this.#labelEnd;
	}

	/** Where the first `)` or white space stands, at or after `from`; the text's length when nowhere. */
	#endOfUri(from: number): number {
		if (from <= this.#uriEnd) return this.#uriEnd;
		this.#uriEnds.lastIndex = from;
		this.#uriEnd = this.#uriEnds.exec(this.#text)?.index ?? this.#text.length;
		return this.#uriEnd;
	}
}

function decodeMentionUri(uri: string, label: string): string {
	try {
		return decodeSessionReferenceUri(uri);
	} catch {
		throw new SessionReferenceError("SESSION_REFERENCE_INVALID_REFERENCE", label);
	}
}
