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
import { callsOf, type EntryLoader, type LoadedEntry, type LoadedResult } from "./entry-loader.ts";
import { asRecord } from "./json-object.ts";
import { LineKind } from "./line-facts.ts";
import { type LogIndex, NO_ROW } from "./log-index.ts";

/** Tool results that are looked at for the calls in question: a call has one, so this is plenty. */
const RESULTS_LOOKED_AT = 256;

interface FoundCall {
	readonly id: string;
	readonly name: string;
	readonly time: number | null;
	/** Whether its turn is the current one and still open. */
	readonly turnOpen: boolean;
}

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

	async #calls(maxCalls: number): Promise<CapturedCall[]> {
		const { calls, results } = await this.#newestCalls(maxCalls);
		const resultOf = await this.#resultsOf(results, new Set(calls.map((call) => call.id)));
		return calls.reverse().map(({ id, name, time, turnOpen }) => {
			const result = resultOf.get(id);
			const outcome = !result ? "pending" : result.isError ? "error" : "completed";
			return { name, callId: id, time: result?.time ?? time, outcome, turnOpen };
		});
	}

	/** The newest calls, newest first, and the rows of the results that came after them. */
	async #newestCalls(maxCalls: number): Promise<{ calls: FoundCall[]; results: number[] }> {
		const index = this.#index;
		const calls: FoundCall[] = [];
		const results: number[] = [];
		let turnOpen = this.#fold.turns.turnOpen;
		for (const row of this.#fold.branch()) {
			const kind = index.kind(row);
			if (kind === LineKind.toolResult && results.length < RESULTS_LOOKED_AT) results.push(row);
			if (kind === LineKind.assistant && index.calls(row) > 0) {
				const { message, time } = await this.#loader.load(row);
				for (const call of callsOf(message).reverse()) calls.push({ ...call, time, turnOpen });
				if (calls.length >= maxCalls) break;
			}
			if (row === this.#fold.turnStart) turnOpen = false;
		}
		return { calls: calls.slice(0, maxCalls), results };
	}

	async #resultsOf(rows: readonly number[], wanted: ReadonlySet<string>): Promise<Map<string, LoadedResult>> {
		const found = new Map<string, LoadedResult>();
		for (const row of rows) {
			if (found.size === wanted.size) break;
			const result = await this.#loader.loadResult(row);
			if (wanted.has(result.callId) && !found.has(result.callId)) found.set(result.callId, result);
		}
		return found;
	}
}
