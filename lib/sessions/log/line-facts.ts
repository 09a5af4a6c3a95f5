/**
 * What the index keeps of one line: its kind, its place in the tree, and the few numbers that folding needs.
 *
 * Nothing here can hold a text, an argument or a result.
 */

/** What a line is to the fold. */
export const LineKind = {
	/** An entry that has a place in the tree and nothing else: settings, labels, bash runs, system messages, unknown. */
	other: 0,
	user: 1,
	assistant: 2,
	toolResult: 3,
	customMessage: 4,
	compaction: 5,
	contextEdit: 6,
} as const;
export type LineKind = (typeof LineKind)[keyof typeof LineKind];

/** How an assistant message ended, by its `stopReason`. */
export const outcomes = ["unknown", "stop", "length", "toolUse", "error", "aborted", "pending", "deferred"] as const;
export type Outcome = (typeof outcomes)[number];

/** Index of an outcome's name; unknown ones are 0. */
export function outcomeNumber(name: unknown): number {
	return Math.max(0, outcomes.indexOf(name as Outcome));
}

/** The outcomes of a completed message, the only ones that are shown. */
export function isCompleted(outcome: number): boolean {
	return outcome >= 1 && outcome <= 3;
}

/** The outcomes of a message that the model could not finish. */
export function isFailed(outcome: number): boolean {
	return outcome === outcomes.indexOf("error") || outcome === outcomes.indexOf("aborted");
}

/** A context edit: what it replaces its target's content with. Null omits the target. */
export interface EditFacts {
	readonly target: number;
	readonly replacementBytes: number | null;
}

/** A compaction: where the kept range begins, and its summary's size. */
export interface CompactionFacts {
	/** Symbol of the first kept entry; NO_ID when it names none. */
	readonly firstKept: number;
	/** Version 1 only: the first kept entry by its place among the file's objects. */
	readonly firstKeptIndex: number | null;
	readonly summaryBytes: number;
	readonly by: "pi" | "extension";
}

/** An attestation mark: which entry it speaks of and which bit of {@link markBits} it sets. */
export interface MarkFacts {
	readonly entry: number;
	readonly bit: number;
}

/** Who wrote a user entry, as marks say; several marks add up. */
export const markBits = { user: 1, extension: 2, unclear: 4 } as const;

/** A message's `textBytes` when nobody looked at its texts yet: it was not expected to be on the surface. */
export const UNMEASURED = -1;

/** Facts of the line in hand. One object is reused for all lines. */
export class LineFacts {
	kind: LineKind = LineKind.other;
	id = -1;
	parent = -1;
	/** User and assistant messages: UTF-8 bytes of the joined texts; 0 means that no text is there. */
	textBytes = 0;
	/** Assistant messages: index into {@link outcomes}. */
	outcome = 0;
	/** Assistant messages: tool calls. */
	calls = 0;
	edit: EditFacts | null = null;
	compaction: CompactionFacts | null = null;
	mark: MarkFacts | null = null;
	/** session_info only: the name it sets, null for an emptied one. */
	name: string | null | undefined = undefined;

	reset(): void {
		this.kind = LineKind.other;
		this.id = -1;
		this.parent = -1;
		this.textBytes = 0;
		this.outcome = 0;
		this.calls = 0;
		this.edit = null;
		this.compaction = null;
		this.mark = null;
		this.name = undefined;
	}
}
