/**
 * The current branch folded to its surface: exact totals, and where its parts are.
 *
 * It follows pi's own fold: the newest compaction on the branch stands for everything before its first kept entry, and
 * the latest context edit of an entry decides about its content. Where pi's walk would not end, this one does, and
 * counts the damage. A fold can be carried on with entries that follow its tip; anything else asks for a new one.
 */
import { TurnTracker } from "../../projection/turn.ts";
import { NO_ID } from "./entry-ids.ts";
import { isCompleted, LineKind, markBits, outcomes } from "./line-facts.ts";
import { type LogIndex, NO_ROW } from "./log-index.ts";
import type { Stretch } from "./stretch.ts";

export class BranchFold {
	readonly #index: LogIndex;
	/** The index's revision that this fold stands on. */
	readonly #revision: number;
	/** Where the walk came back to a line it had seen: the branch begins there. */
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
		const path = await fold.#walk(stretch);
		await fold.#findSurface(path, stretch);
		if (index.hasUnmeasured) await measure(fold.#unmeasured(path));
		await fold.#takeAll(path, stretch);
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
			this.#takeTurn(row);
			this.#takeSurface(row);
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

	/** Rows from the leaf to the root. Ends where a parent is missing or was already seen. */
	async #walk(stretch: Stretch): Promise<Int32Array> {
		const index = this.#index;
		const seen = new Uint8Array(index.rows);
		const path = new Int32Array(index.rows);
		let length = 0;
		for (let row = index.leaf; row !== NO_ROW; ) {
			seen[row] = 1;
			path[length++] = row;
			const parentId = index.parentId(row);
			const parent = index.parent(row);
			if (parent === NO_ROW || seen[parent] === 1) {
				if (parentId !== NO_ID) this.brokenLinks++;
				this.#root = row;
				break;
			}
			row = parent;
			if (stretch.step()) await stretch.giveWay();
		}
		return path.subarray(0, length);
	}

	async #findSurface(path: Int32Array, stretch: Stretch): Promise<void> {
		const index = this.#index;
		const at = index.compactions.size === 0 ? -1 : path.findIndex((row) => index.kind(row) === LineKind.compaction);
		if (at >= 0) {
			this.compaction = path[at] ?? NO_ROW;
			this.firstKept = this.#firstKeptOf(this.compaction, path.subarray(at + 1));
		}
		if (index.edits.size > 0) await this.#collectEdits(path, at, stretch);
		const edit = this.compaction === NO_ROW ? NO_ROW : this.editOf(this.compaction);
		const isOmitted = edit !== NO_ROW && index.edits.get(edit)?.replacementBytes === null;
		this.checkpoint = isOmitted ? NO_ROW : this.compaction;
	}

	/** @param older rows before the compaction, newest first */
	#firstKeptOf(compaction: number, older: Int32Array): number {
		const index = this.#index;
		const facts = index.compactions.get(compaction);
		if (!facts) return NO_ROW;
		const byIndex = facts.firstKeptIndex === null ? NO_ROW : index.objectRow(facts.firstKeptIndex);
		const row = index.versionOne ? byIndex : index.ids.rowOf(facts.firstKept);
		if (row === compaction) return NO_ROW;
		if (row !== NO_ROW && older.includes(row)) return row;
		this.brokenLinks++;
		return NO_ROW;
	}

	/** Edits count where they stand on the surface themselves; of several for one target the latest wins. */
	async #collectEdits(path: Int32Array, compactionAt: number, stretch: Stretch): Promise<void> {
		const index = this.#index;
		for (let at = 0; at < path.length; at++) {
			const row = path[at] ?? NO_ROW;
			const isOlder = compactionAt >= 0 && at > compactionAt;
			if (isOlder && this.firstKept === NO_ROW) return;
			const edit = index.edits.get(row);
			if (edit && !this.edits.has(edit.target)) this.edits.set(edit.target, row);
			if (isOlder && row === this.firstKept) return;
			if (stretch.step()) await stretch.giveWay();
		}
	}

	/**
	 * Rows that were never measured although they matter: messages on the surface, the branch's last answer, and those that
	 * a custom message follows, since it begins a turn where one has ended.
	 */
	#unmeasured(path: Int32Array): number[] {
		const index = this.#index;
		const rows: number[] = [];
		let onSurface = true;
		let decides = true;
		for (const row of path) {
			const kind = index.kind(row);
			const matters = onSurface || (decides && kind === LineKind.assistant);
			if (matters && index.isUnmeasured(row)) rows.push(row);
			if (kind === LineKind.customMessage) decides = true;
			else if (kind === LineKind.assistant || kind === LineKind.user) decides = false;
			if (row === (this.firstKept === NO_ROW ? this.compaction : this.firstKept)) onSurface = false;
		}
		return rows;
	}

	/** Takes the whole branch, oldest first. */
	async #takeAll(path: Int32Array, stretch: Stretch): Promise<void> {
		// Before the first kept entry nothing is on the surface; without a compaction everything is.
		let onSurface = this.compaction === NO_ROW;
		for (let at = path.length - 1; at >= 0; at--) {
			const row = path[at] ?? NO_ROW;
			this.#takeTurn(row);
			if (row === this.firstKept || row === this.compaction) onSurface = true;
			if (onSurface) this.#takeSurface(row);
			if (stretch.step()) await stretch.giveWay();
		}
	}

	#takeTurn(row: number): void {
		const index = this.#index;
		const kind = index.kind(row);
		const before = this.turns.turnNumber;
		if (kind === LineKind.user) this.turns.userMessage();
		else if (kind === LineKind.customMessage) this.turns.customMessage();
		else if (kind === LineKind.toolResult) this.turns.toolResult();
		else if (kind === LineKind.assistant) {
			this.turns.assistantMessage(outcomes[index.outcome(row)] ?? "unknown", index.calls(row));
		}
		if (this.turns.turnNumber !== before) this.turnStart = row;
	}

	#takeSurface(row: number): void {
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
