/**
 * The current branch folded to its surface: exact totals, and where its parts are.
 *
 * It follows pi's own fold: the newest compaction on the branch stands for everything before its first kept entry, and
 * the latest context edit of an entry decides about its content. Where pi's walk would not end, this one does, and
 * counts the damage. A fold can be carried on with entries that follow its tip; anything else asks for a new one.
 */
import { TurnTracker } from "../../projection/turn.ts";
import { BranchPath, NOWHERE } from "./branch-path.ts";
import { isCompleted, LineKind, markBits, outcomes } from "./line-facts.ts";
import { type LogIndex, NO_ROW } from "./log-index.ts";
import type { Stretch } from "./stretch.ts";

export class BranchFold {
	readonly #index: LogIndex;
	/** The index's revision that this fold stands on. */
	readonly #revision: number;
	/** Where the branch begins: the root, or what names a parent that is missing or stands on the branch already. */
	#root: number = NO_ROW;
	/** The last row taken. */
	tip: number = NO_ROW;
	/** Row of the compaction that stands for what came before; NO_ROW when there is none, or an edit omits it. */
	checkpoint: number = NO_ROW;
	/** Row where the newest compaction stands on the branch, shown or not. */
	compaction: number = NO_ROW;
	/** First row on the branch that is kept although it is older than the compaction. */
	firstKept: number = NO_ROW;
	/** Row of the latest edit by the symbol of its target. */
	readonly edits = new Map<number, number>();
	/** Row that began the current turn. */
	turnStart: number = NO_ROW;
	readonly turns = new TurnTracker();
	eligibleMessages = 0;
	eligibleBytes = 0;
	withheldMessages = 0;
	/** Places where the branch could not be followed. */
	brokenLinks = 0;

	private constructor(index: LogIndex) {
		this.#index = index;
		this.#revision = index.revision;
	}

	/**
	 * Folds the branch that ends at the index's leaf.
	 * @param measure measures rows of the index; called once at most, with those that have to be and are not
	 */
	static async of(index: LogIndex, stretch: Stretch, measure: (rows: number[]) => Promise<void>): Promise<BranchFold> {
		const fold = new BranchFold(index);
		const path = await BranchPath.of(index, stretch);
		fold.#root = path.row(path.length - 1);
		if (path.isBroken) fold.brokenLinks++;
		const surfaceEnd = await fold.#findSurface(path, stretch);
		if (index.hasUnmeasured) await measure(await fold.#unmeasured(path, surfaceEnd, stretch));
		await fold.#takeTurns(path, stretch);
		await fold.#takeSurface(path, surfaceEnd, stretch);
		fold.tip = index.leaf;
		return fold;
	}

	/** Takes the rows behind the tip, when each follows the one before; false when the branch must be folded anew. */
	advance(): boolean {
		const index = this.#index;
		// A missing parent may have come by now.
		if (index.revision !== this.#revision || this.tip === NO_ROW || this.brokenLinks > 0) return false;
		for (let row = this.tip + 1; row <= index.leaf; row++) {
			const kind = index.kind(row);
			const follows = index.parent(row) === this.tip && index.ids.rowOf(index.id(row)) === row;
			if (!follows || kind === LineKind.compaction || kind === LineKind.contextEdit) return false;
			this.#takeTurn(row, kind);
			this.#takeShown(row);
			this.tip = row;
		}
		return true;
	}

	/** The surface's rows, newest first; the checkpoint, which stands for the oldest part, comes last. */
	*newestFirst(): Generator<number> {
		const index = this.#index;
		let row = index.leaf;
		for (; row !== NO_ROW && row !== this.compaction; row = this.#parentOnPath(row)) yield row;
		if (this.firstKept !== NO_ROW) {
			for (row = this.#parentOnPath(row); row !== NO_ROW; row = this.#parentOnPath(row)) {
				yield row;
				if (row === this.firstKept) break;
			}
		}
		if (this.checkpoint !== NO_ROW) yield this.checkpoint;
	}

	/** The branch's rows, newest first. */
	*branch(): Generator<number> {
		for (let row = this.#index.leaf; row !== NO_ROW; row = this.#parentOnPath(row)) yield row;
	}

	/** Text bytes that a surface row contributes; 0 when it isn't shown. */
	shownBytes(row: number): number {
		const index = this.#index;
		const kind = index.kind(row);
		if (kind === LineKind.compaction) {
			return row === this.checkpoint ? (index.compactions.get(row)?.summaryBytes ?? 0) : 0;
		}
		const isShown = kind === LineKind.user || (kind === LineKind.assistant && isCompleted(index.outcome(row)));
		if (!isShown) return 0;
		const edit = this.editOf(row);
		return edit === NO_ROW ? index.textBytes(row) : (index.edits.get(edit)?.replacementBytes ?? 0);
	}

	/** Row of the edit that decides about a row's content, or NO_ROW. */
	editOf(row: number): number {
		return this.edits.size === 0 ? NO_ROW : (this.edits.get(this.#index.id(row)) ?? NO_ROW);
	}

	/** Whether marks say, or leave open, that another extension wrote a user row. */
	isWithheld(row: number): boolean {
		if (this.#index.kind(row) !== LineKind.user) return false;
		return (this.#index.ids.marksOf(this.#index.id(row)) & (markBits.extension | markBits.unclear)) !== 0;
	}

	/** Whether the person provably wrote what is shown of a user row. */
	isAttested(row: number): boolean {
		return this.#index.ids.marksOf(this.#index.id(row)) === markBits.user && this.editOf(row) === NO_ROW;
	}

	#parentOnPath(row: number): number {
		return row === this.#root ? NO_ROW : this.#index.parent(row);
	}

	/**
	 * Finds the newest compaction, what it keeps, and the edits that count.
	 * @returns the place on the path behind the last row that may be shown
	 */
	async #findSurface(path: BranchPath, stretch: Stretch): Promise<number> {
		const index = this.#index;
		const compactionAt = path.olderOf(LineKind.compaction);
		if (compactionAt === NOWHERE) {
			await this.#collectEdits(path, path.length, stretch);
			return path.length;
		}
		this.compaction = path.row(compactionAt);
		const firstKeptAt = this.#firstKeptAt(path, compactionAt);
		this.firstKept = path.row(firstKeptAt);
		const end = (firstKeptAt === NOWHERE ? compactionAt : firstKeptAt) + 1;
		await this.#collectEdits(path, end, stretch);
		const edit = this.editOf(this.compaction);
		const isOmitted = edit !== NO_ROW && index.edits.get(edit)?.replacementBytes === null;
		this.checkpoint = isOmitted ? NO_ROW : this.compaction;
		return end;
	}

	/** Where the first entry stands that a compaction keeps of what came before it. */
	#firstKeptAt(path: BranchPath, compactionAt: number): number {
		const index = this.#index;
		const facts = index.compactions.get(this.compaction);
		if (!facts) return NOWHERE;
		const byIndex = facts.firstKeptIndex === null ? NO_ROW : index.objectRow(facts.firstKeptIndex);
		const row = index.versionOne ? byIndex : index.ids.rowOf(facts.firstKept);
		if (row === this.compaction) return NOWHERE;
		const at = row === NO_ROW ? NOWHERE : path.rows.indexOf(row, compactionAt + 1);
		if (at === NOWHERE) this.brokenLinks++;
		return at;
	}

	/** Edits count where they stand on the surface themselves; of several for one target the latest wins. */
	async #collectEdits(path: BranchPath, end: number, stretch: Stretch): Promise<void> {
		for (let at = path.olderOf(LineKind.contextEdit); at !== NOWHERE && at < end; ) {
			const row = path.row(at);
			const edit = this.#index.edits.get(row);
			if (edit && !this.edits.has(edit.target)) this.edits.set(edit.target, row);
			at = path.olderOf(LineKind.contextEdit, at + 1);
			if (stretch.step()) await stretch.giveWay();
		}
	}

	/**
	 * Rows that were never measured although they matter: messages on the surface, the branch's last answer, and those that
	 * a custom message follows, since it begins a turn where one has ended.
	 */
	async #unmeasured(path: BranchPath, surfaceEnd: number, stretch: Stretch): Promise<number[]> {
		const index = this.#index;
		const rows = path.rows.subarray(0, surfaceEnd).filter((row) => index.isUnmeasured(row));
		const deciding = new Set(rows);
		let answer = path.olderOf(LineKind.assistant);
		let prompt = path.olderOf(LineKind.user);
		for (let at = 0; at !== NOWHERE && answer !== NOWHERE; at = path.olderOf(LineKind.customMessage, at + 1)) {
			if (answer < at) answer = path.olderOf(LineKind.assistant, at);
			if (prompt !== NOWHERE && prompt < at) prompt = path.olderOf(LineKind.user, at);
			const isAnswered = answer !== NOWHERE && (prompt === NOWHERE || answer < prompt);
			if (isAnswered && index.isUnmeasured(path.row(answer))) deciding.add(path.row(answer));
			if (stretch.step()) await stretch.giveWay();
		}
		return [...deciding];
	}

	/**
	 * Takes the branch's turns, oldest first. What stands between two of the person's messages decides about nothing behind
	 * the second; so it is passed over, unless a custom message among it may begin a turn, or no turn came before it.
	 */
	async #takeTurns(path: BranchPath, stretch: Stretch): Promise<void> {
		let customAt = path.newerOf(LineKind.customMessage, path.length - 1);
		for (let at = path.length - 1; at >= 0; ) {
			const next = path.newerOf(LineKind.user, path.kind(at) === LineKind.user ? at - 1 : at);
			if (customAt > at) customAt = path.newerOf(LineKind.customMessage, at);
			const isPassedOver = next !== NOWHERE && customAt < next && path.kind(at) === LineKind.user;
			if (isPassedOver) this.#takeTurn(path.row(at), LineKind.user);
			else await this.#takeTurnsBetween(path, at, next, stretch);
			at = next;
			if (stretch.step()) await stretch.giveWay();
		}
	}

	/** Takes each message from `at` on, up to the one at `end`. */
	async #takeTurnsBetween(path: BranchPath, from: number, end: number, stretch: Stretch): Promise<void> {
		for (let at = from; at > end; at--) {
			this.#takeTurn(path.row(at), path.kind(at));
			if (stretch.step()) await stretch.giveWay();
		}
	}

	#takeTurn(row: number, kind: LineKind): void {
		if (kind === LineKind.toolResult) {
			this.turns.toolResult();
			return;
		}
		const before = this.turns.turnNumber;
		if (kind === LineKind.user) this.turns.userMessage();
		else if (kind === LineKind.customMessage) this.turns.customMessage();
		else if (kind === LineKind.assistant) {
			const index = this.#index;
			this.turns.assistantMessage(outcomes[index.outcome(row)] ?? "unknown", index.calls(row));
		}
		if (this.turns.turnNumber !== before) this.turnStart = row;
	}

	async #takeSurface(path: BranchPath, end: number, stretch: Stretch): Promise<void> {
		for (let at = 0; at < end; at++) {
			const kind = path.kind(at);
			if (kind !== LineKind.toolResult && kind !== LineKind.other) this.#takeShown(path.row(at));
			if (stretch.step()) await stretch.giveWay();
		}
	}

	#takeShown(row: number): void {
		const bytes = this.shownBytes(row);
		if (bytes === 0) return;
		if (this.isWithheld(row)) {
			this.withheldMessages++;
			return;
		}
		this.eligibleMessages++;
		this.eligibleBytes += bytes;
	}
}
