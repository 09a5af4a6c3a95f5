/**
 * The fold of a branch skips what decides about nothing; here is the same told plainly, entry by entry.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TurnTracker } from "../../lib/projection/turn.ts";
import { BranchFold } from "../../lib/sessions/log/branch-fold.ts";
import { NO_ID } from "../../lib/sessions/log/entry-ids.ts";
import { isCompleted, LineFacts, LineKind, outcomes, UNMEASURED } from "../../lib/sessions/log/line-facts.ts";
import { LogIndex } from "../../lib/sessions/log/log-index.ts";
import { Stretch } from "../../lib/sessions/log/stretch.ts";

interface Drawn {
	readonly kind: LineKind;
	readonly outcome: number;
	readonly calls: number;
	readonly textBytes: number;
	/** How far back its parent is: mostly the entry before. */
	readonly back: number;
	/** What a compaction keeps, how far back; 0 for nothing. */
	readonly keeps: number;
	/** Which entry an edit is about, how far back. */
	readonly edits: number;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
	kind: fc.constantFrom(
		...[LineKind.user, LineKind.assistant, LineKind.assistant, LineKind.toolResult, LineKind.toolResult],
		...[LineKind.customMessage, LineKind.other, LineKind.compaction, LineKind.contextEdit],
	),
	outcome: fc.nat(outcomes.length - 1),
	calls: fc.nat(2),
	textBytes: fc.nat(9),
	back: fc.oneof({ arbitrary: fc.constant(1), weight: 19 }, { arbitrary: fc.integer({ min: 0, max: 6 }), weight: 1 }),
	keeps: fc.nat(6),
	edits: fc.integer({ min: 1, max: 6 }),
});

function factsOf(entry: Drawn, row: number, index: LogIndex): LineFacts {
	const symbol = (back: number) => (back === 0 || back > row ? NO_ID : index.ids.internHex(row - back));
	const isAnswer = entry.kind === LineKind.assistant;
	return Object.assign(new LineFacts(), {
		kind: entry.kind,
		id: index.ids.internHex(row),
		parent: symbol(entry.back),
		textBytes: isAnswer || entry.kind === LineKind.user ? entry.textBytes : 0,
		outcome: isAnswer ? entry.outcome : 0,
		calls: isAnswer ? entry.calls : 0,
		...(entry.kind === LineKind.compaction && {
			compaction: { firstKept: symbol(entry.keeps), firstKeptIndex: null, summaryBytes: 3, by: "pi" },
		}),
		...(entry.kind === LineKind.contextEdit && {
			edit: { target: symbol(entry.edits), replacementBytes: entry.textBytes > 4 ? entry.textBytes : null },
		}),
	});
}

/** The index of these entries; messages before `measuredFrom` are left unmeasured. */
function indexOf(entries: readonly Drawn[], measuredFrom: number): { index: LogIndex; facts: LineFacts[] } {
	const index = new LogIndex();
	const facts = entries.map((entry, row) => factsOf(entry, row, index));
	for (const [row, whole] of facts.entries()) {
		index.lines++;
		const isMessage = whole.kind === LineKind.user || whole.kind === LineKind.assistant;
		const left = isMessage && row < measuredFrom ? { textBytes: UNMEASURED, outcome: 0, calls: 0 } : {};
		index.add(Object.assign(new LineFacts(), whole, left), row, 1);
	}
	return { index, facts };
}

/** Rows from the root to the leaf. */
function pathOf(index: LogIndex): number[] {
	const path: number[] = [];
	for (let row = index.leaf; row >= 0; row = index.parent(row)) path.unshift(row);
	return path;
}

/** Each message in its order, with nothing passed over. */
function turnsOf(path: readonly number[], facts: readonly LineFacts[]) {
	const turns = new TurnTracker();
	let start = -1;
	for (const row of path) {
		const { kind, outcome, calls } = facts[row] ?? new LineFacts();
		const before = turns.turnNumber;
		if (kind === LineKind.user) turns.userMessage();
		if (kind === LineKind.customMessage) turns.customMessage();
		if (kind === LineKind.toolResult) turns.toolResult();
		if (kind === LineKind.assistant) turns.assistantMessage(outcomes[outcome] ?? "unknown", calls);
		if (turns.turnNumber !== before) start = row;
	}
	return { ...turns.snapshot(), start };
}

/** Where the surface begins on the path, and what it shows. */
function surfaceOf(path: readonly number[], facts: readonly LineFacts[], index: LogIndex) {
	const compactionAt = path.findLastIndex((row) => facts[row]?.kind === LineKind.compaction);
	const firstKept = facts[path[compactionAt] ?? -1]?.compaction?.firstKept ?? NO_ID;
	const keptAt = path.indexOf(index.ids.rowOf(firstKept));
	const from = compactionAt < 0 ? 0 : keptAt >= 0 && keptAt < compactionAt ? keptAt : compactionAt;
	const surface = path.slice(from).map((row) => facts[row] ?? new LineFacts());
	const edits = new Map(surface.flatMap(({ edit }) => (edit ? [[edit.target, edit.replacementBytes ?? 0]] : [])));
	const bytes = surface.map(({ kind, id, textBytes, outcome, compaction }) => {
		if (compaction) return id === facts[path[compactionAt] ?? -1]?.id ? ((edits.get(id) ?? -1) !== 0 ? 3 : 0) : 0;
		const isShown = kind === LineKind.user || (kind === LineKind.assistant && isCompleted(outcome));
		return isShown ? (edits.get(id) ?? textBytes) : 0;
	});
	return { messages: bytes.filter((size) => size > 0).length, bytes: bytes.reduce((sum, size) => sum + size, 0) };
}

describe("the fold of a branch", () => {
	it("has the turns and totals of a plain account of it, whatever was measured", async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(drawn, { maxLength: 40 }), fc.nat(40), async (entries, measuredFrom) => {
				const { index, facts } = indexOf(entries, measuredFrom);
				const fold = await BranchFold.of(index, new Stretch(), async (rows) => {
					for (const row of rows) index.measure(row, facts[row] ?? new LineFacts());
				});
				const path = pathOf(index);
				const { start, ...turns } = turnsOf(path, facts);
				expect(fold.turns.snapshot()).toEqual(turns);
				expect(fold.turnStart).toBe(start);
				const { messages, bytes } = surfaceOf(path, facts, index);
				expect({ messages: fold.eligibleMessages, bytes: fold.eligibleBytes }).toEqual({ messages, bytes });
				expect([...fold.branch()].reverse()).toEqual(path);
			}),
			{ numRuns: 3000 },
		);
	});

	it("measures nothing that does not matter", async () => {
		const answer = { kind: LineKind.assistant, outcome: 1, calls: 0, textBytes: 5, back: 1, keeps: 0, edits: 1 };
		const prompt = { ...answer, kind: LineKind.user };
		const custom = { ...answer, kind: LineKind.customMessage };
		const compaction = { ...answer, kind: LineKind.compaction, keeps: 1 };
		const { index } = indexOf([prompt, answer, custom, answer, prompt, answer, compaction, prompt], 6);
		let measured: number[] = [];
		await BranchFold.of(index, new Stretch(), async (rows) => {
			measured = rows;
		});
		// The answer that the custom message follows, and what the compaction keeps, which is the last answer too.
		expect(measured.toSorted()).toEqual([1, 5]);
	});

	it.each([
		["custom messages", LineKind.customMessage],
		["edits", LineKind.contextEdit],
		["prompts", LineKind.user],
	])("of a hundred thousand %s takes no longer than any other", async (_name, kind) => {
		const entry = { kind, outcome: 1, calls: 1, textBytes: 5, back: 1, keeps: 0, edits: 1 };
		const start = { ...entry, kind: LineKind.assistant };
		const { index } = indexOf([start, ...Array.from({ length: 100_000 }, () => entry)], 100_000);
		let measured = 0;
		const began = performance.now();
		await BranchFold.of(index, new Stretch(), async (rows) => {
			measured = rows.length;
		});
		// A search of all of it from each of them would take a minute.
		expect(performance.now() - began).toBeLessThan(5_000);
		expect(measured).toBe(kind === LineKind.user ? 100_000 : 1);
	});
});
