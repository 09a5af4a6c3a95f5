/**
 * Builds a detached capture from an index, its fold and single entries of the file.
 */
import type {
	CapturedActivity,
	CapturedCall,
	CapturedSurface,
	CapturedText,
	SurfaceEvent,
} from "../../projection/events.ts";
import type { CaptureWant } from "../query.ts";
import type { BranchFold } from "./branch-fold.ts";
import type { LoadedResult } from "./call-memory.ts";
import type { EntryLoader, LoadedEntry } from "./entry-loader.ts";
import { asRecord } from "./json-object.ts";
import { LineKind } from "./line-facts.ts";
import { type LogIndex, NO_ROW } from "./log-index.ts";

/** Tool results that are looked at for the calls in question: a call has one, so this is plenty. */
const RESULTS_LOOKED_AT = 256;

type SurfaceWant = NonNullable<CaptureWant["surface"]>;

export class CaptureBuilder {
	readonly #index: LogIndex;
	readonly #fold: BranchFold;
	readonly #loader: EntryLoader;

	constructor(index: LogIndex, fold: BranchFold, loader: EntryLoader) {
		this.#index = index;
		this.#fold = fold;
		this.#loader = loader;
	}

	/** The newest messages of the surface, with exact totals over all of it. */
	async surface(want: SurfaceWant): Promise<CapturedSurface> {
		const fold = this.#fold;
		const messages: SurfaceEvent[] = [];
		let held = 0;
		for (const row of fold.newestFirst()) {
			if (this.#loader.stretch.step()) await this.#loader.stretch.giveWay();
			if (fold.shownBytes(row) === 0 || fold.isWithheld(row)) continue;
			const isFull = messages.length >= want.messages || held >= want.totalBytes;
			if (isFull && !want.checkpoint) break;
			if (isFull && row !== fold.checkpoint) continue;
			const event = await this.#event(row, want.textBytes);
			held += Math.min(event.text.bytes, want.textBytes);
			messages.push(event);
		}
		const { eligibleMessages, eligibleBytes, withheldMessages } = fold;
		return { messages: messages.reverse(), eligibleMessages, eligibleBytes, withheldMessages };
	}

	async #event(row: number, maxBytes: number): Promise<SurfaceEvent> {
		const index = this.#index;
		const loaded = await this.#loader.load(row);
		const base = { seq: index.seq(row), time: loaded.time };
		const text = await this.#text(row, loaded, maxBytes);
		const kind = index.kind(row);
		if (kind === LineKind.compaction) {
			return { type: "checkpoint", ...base, text, by: index.compactions.get(row)?.by ?? "pi" };
		}
		if (kind === LineKind.assistant) return { type: "assistant/message", ...base, text };
		return { type: "user/message", ...base, text, attested: this.#fold.isAttested(row) };
	}

	async #text(row: number, loaded: LoadedEntry, maxBytes: number): Promise<CapturedText> {
		const fold = this.#fold;
		const kind = this.#index.kind(row);
		const bytes = fold.shownBytes(row);
		const edit = kind === LineKind.compaction ? NO_ROW : fold.editOf(row);
		if (edit !== NO_ROW) {
			const editing = await this.#loader.load(edit);
			const content = asRecord(editing.entry.replacement)?.content;
			return this.#loader.text(edit, editing, content, false, bytes, maxBytes);
		}
		const content = kind === LineKind.compaction ? loaded.entry.summary : loaded.message?.content;
		return this.#loader.text(row, loaded, content, kind === LineKind.user, bytes, maxBytes);
	}

	/** Turn, step and the newest calls of the branch. */
	async activity(maxCalls: number): Promise<CapturedActivity> {
		const { turn, step } = this.#fold.turns.snapshot();
		return { turn, step, calls: maxCalls > 0 ? await this.#calls(maxCalls) : [] };
	}

	/** Oldest first. Ids may repeat: a result belongs to the nearest call before it that has its id. */
	async #calls(maxCalls: number): Promise<CapturedCall[]> {
		const index = this.#index;
		const calls: CapturedCall[] = [];
		const results = new Map<string, LoadedResult>();
		let looked = 0;
		let turnOpen = this.#fold.turns.turnOpen;
		for (const row of this.#fold.branch()) {
			if (this.#loader.stretch.step()) await this.#loader.stretch.giveWay();
			const kind = index.kind(row);
			if (kind === LineKind.toolResult && looked++ < RESULTS_LOOKED_AT) {
				const result = await this.#loader.loadResult(row);
				// Going back in time, the last one seen is the first that was written.
				results.set(result.callId, result);
			}
			if (kind === LineKind.assistant && (index.calls(row) > 0 || index.isUnmeasured(row))) {
				calls.push(...(await this.#callsOf(row, turnOpen, results)));
				if (calls.length >= maxCalls) break;
			}
			if (row === this.#fold.turnStart) turnOpen = false;
		}
		return calls.slice(0, maxCalls).reverse();
	}

	/** The calls of one message, newest first; takes their results out of `results`. */
	async #callsOf(row: number, turnOpen: boolean, results: Map<string, LoadedResult>): Promise<CapturedCall[]> {
		const { calls, time, isFailed } = await this.#loader.loadCalls(row);
		// Also when a retry goes on with the turn, what a failed message called is not carried out.
		const canEnd = turnOpen && !isFailed;
		return calls.toReversed().map(({ id, name }) => {
			const result = results.get(id);
			results.delete(id);
			const outcome = !result ? "pending" : result.isError ? "error" : "completed";
			return { name, callId: id, time: result?.time ?? time, outcome, turnOpen: canEnd };
		});
	}
}
