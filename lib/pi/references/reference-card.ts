/**
 * Snapshots of other sessions on the screen: one line for each folded, what was said in it expanded.
 *
 * Everything in it was written by other sessions, so everything passes through the printable forms.
 */
import { printableLine, printableLines } from "../../projection/printable.ts";
import { tagSafeJson } from "../../projection/serialization.ts";
import { type SessionReferenceSourceEntry, sessionReferenceSourceSchema } from "../../references/index.ts";
import { type CutLine, countOf, EMPTY_LINE, formatAge, type ScreenLine, type ScreenLines } from "../foreign-text.ts";
import { type MessageViewOptions, toMessageView } from "../message-view.ts";
import type { Styles } from "../styles.ts";
import { type ShownSnapshot, snapshotsOf } from "./reference-message.ts";

const LABEL_CODE_POINTS = 200;
const PLACE_CODE_POINTS = 200;
const TEXT_INDENT = 2;
/** UTF-16 units of one snapshot's texts that the screen shows; the log has the rest. */
const SHOWN_UNITS = 16_384;

interface StoredMessage {
	readonly content: unknown;
	readonly details?: unknown;
	/** Epoch milliseconds. */
	readonly timestamp?: unknown;
}

/** The message renderer; undefined, pi's own rendering, for what is no message of this package. */
export function renderReferences(
	message: StoredMessage,
	options: MessageViewOptions,
	styles: Styles,
): ScreenLines | undefined {
	const source = sessionReferenceSourceSchema.safeParse(message.details);
	if (!source.success || typeof message.content !== "string") return undefined;
	const age = typeof message.timestamp === "number" ? formatAge(Date.now() - message.timestamp) : "";
	const snapshots = snapshotsOf(message.content);
	const lines = source.data.references.flatMap((reference) => {
		const snapshot = snapshots.find(({ sessionId }) => sessionId === reference.sessionId);
		return referenceLines({ reference, snapshot, age }, options.expanded, styles);
	});
	return toMessageView(lines, options);
}

interface ShownReference {
	readonly reference: SessionReferenceSourceEntry;
	readonly snapshot: ShownSnapshot | undefined;
	readonly age: string;
}

/** The lines of one cited session. */
function referenceLines(shown: ShownReference, expanded: boolean, styles: Styles): ScreenLine[] {
	const folded = foldedLine(shown, styles);
	if (!expanded) return [folded];
	return [folded, placeLine(shown, styles), ...omittedLines(shown, styles), ...conversationLines(shown, styles)];
}

function foldedLine({ reference, snapshot, age }: ShownReference, styles: Styles): CutLine {
	const { retainedMessages, originalMessages } = reference;
	const size = snapshot === undefined ? "" : formatBytes(Buffer.byteLength(tagSafeJson(snapshot)));
	const facts = [`${retainedMessages}/${countOf(originalMessages, "message")}`, size, age];
	return {
		fit: "cut",
		parts: [
			{ text: "› ", style: (text) => styles.fg("accent", text) },
			{ text: "Cites " },
			{ text: `@${printableLine(reference.label, LABEL_CODE_POINTS)}`, style: (text) => styles.bold(text) },
		],
		tail: {
			text: ["", ...facts.filter((fact) => fact !== "")].join(" · "),
			style: (text) => styles.fg("muted", text),
		},
	};
}

function placeLine({ reference, snapshot }: ShownReference, styles: Styles): CutLine {
	const facts = [`session ${printableLine(reference.sessionId, PLACE_CODE_POINTS)}`];
	if (snapshot?.cwd) facts.push(printableLine(snapshot.cwd, PLACE_CODE_POINTS));
	return mutedLine(facts.join(" · "), styles);
}

function omittedLines({ reference }: ShownReference, styles: Styles): CutLine[] {
	const { omittedMessages, omittedBytes, truncated, compacted } = reference;
	const checkpoint = compacted ? [mutedLine("begins with the summary of its compaction", styles)] : [];
	if (!truncated) return checkpoint;
	return [
		...checkpoint,
		mutedLine(`left out: ${countOf(omittedMessages, "message")}, ${formatBytes(omittedBytes)}`, styles),
	];
}

/** The speaker stands further left than any text. */
function conversationLines({ snapshot }: ShownReference, styles: Styles): ScreenLine[] {
	const lines: ScreenLine[] = [];
	let left = SHOWN_UNITS;
	for (const { role, text } of snapshot?.conversation ?? []) {
		lines.push(EMPTY_LINE, speakerLine(role, styles));
		const shown = printableLines(text.slice(0, left));
		lines.push(...shown.map((line): ScreenLine => ({ fit: "wrap", text: line, indent: 2 * TEXT_INDENT })));
		left -= text.length;
		if (left > 0) continue;
		return [...lines, mutedLine("… the rest is in the session's log", styles)];
	}
	return lines;
}

function speakerLine(role: string, styles: Styles): CutLine {
	return { fit: "cut", indent: TEXT_INDENT, parts: [{ text: role, style: (text) => styles.fg("accent", text) }] };
}

function mutedLine(text: string, styles: Styles): CutLine {
	return { fit: "cut", indent: TEXT_INDENT, parts: [{ text, style: (part) => styles.fg("muted", part) }] };
}

function formatBytes(bytes: number): string {
	return bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KiB`;
}
