/**
 * One session log with its index: answers captures, and notices when the file is no longer the one it knows.
 *
 * Captures of one log run one after the other. A capture is either of one instant of one file, or it fails.
 */
import { untilAborted } from "../abort.ts";
import { CaptureError, type CaptureWant, type SessionCapture } from "../query.ts";
import type { BranchFold } from "./branch-fold.ts";
import { CallMemory } from "./call-memory.ts";
import { CaptureBuilder } from "./capture.ts";
import { DamagedRowError, EntryLoader } from "./entry-loader.ts";
import { type FileState, isSameFile, isSameState, LogFile, stateOfPath } from "./log-file.ts";
import { type LogHeader, LogIndex, NO_ROW } from "./log-index.ts";
import { scanLog } from "./log-scanner.ts";
import { foldMeasured } from "./measured-fold.ts";
import { Stretch } from "./stretch.ts";

/** What a log alone can say: a capture without what is kept beside the log. */
export type LogCapture = Omit<SessionCapture, "header"> & { readonly header: LogHeader };

/** Bytes at the file's start and before the indexed end by which a rewritten file is told from a grown one. */
const FINGERPRINT_BYTES = 512;

/** A file changed this recently may change again without a new time: clocks of file systems tick in milliseconds. */
const SETTLED_NS = 50_000_000n;

/** Room for as many entries as a file of this kind has is made at once, up to a bound: growing costs more. */
const TYPICAL_LINE_BYTES = 16 * 1024;
const MAX_EXPECTED_ROWS = 64 * 1024;

/** Captures kept for a file that does not change. */
const KEPT_CAPTURES = 4;

/** The file is not the one that the read began with. */
class FileChangedError extends Error {}

interface Fingerprint {
	readonly end: number;
	readonly start: Buffer;
	readonly before: Buffer;
}

/** What a read knows of its file before it uses anything of it. */
interface Opening {
	readonly state: FileState;
	readonly fingerprint: Fingerprint;
}

export class IndexedLog {
	readonly #path: string;
	#index = new LogIndex();
	#fold: BranchFold | null = null;
	#calls = new CallMemory();
	#fingerprint: Fingerprint | null = null;
	#fileOfIndex: FileState | null = null;
	/** The state of the file that the kept captures are of; null while it may change unnoticed. */
	#settledState: FileState | null = null;
	readonly #captures = new Map<string, LogCapture>();
	#queue: Promise<unknown> = Promise.resolve();

	constructor(path: string) {
		this.#path = path;
	}

	/** Bytes held, roughly. */
	get size(): number {
		return this.#index.size + this.#calls.size;
	}

	/** Captures the log as it is now. @throws CaptureError */
	async capture(want: CaptureWant, signal?: AbortSignal): Promise<LogCapture> {
		const kept = this.#keptCapture(want);
		if (kept) return kept;
		const turn = this.#queue.then(() => this.#captureAnew(want, signal));
		this.#queue = turn.catch(() => {});
		try {
			return await untilAborted(turn, signal);
		} catch (error) {
			throw toCaptureError(error, signal);
		}
	}

	#keptCapture(want: CaptureWant): LogCapture | null {
		const kept = this.#captures.get(JSON.stringify(want));
		if (!kept || !this.#settledState) return null;
		try {
			if (!isSameState(stateOfPath(this.#path), this.#settledState)) return null;
		} catch {
			return null;
		}
		return { ...kept, capturedAt: Date.now() };
	}

	async #captureAnew(want: CaptureWant, signal: AbortSignal | undefined): Promise<LogCapture> {
		if (signal?.aborted) throw new CaptureError("cancelled");
		try {
			return await this.#attempt(want, signal);
		} catch (error) {
			if (!(error instanceof FileChangedError)) throw toCaptureError(error, signal);
		}
		this.#forget();
		try {
			return await this.#attempt(want, signal);
		} catch (error) {
			throw toCaptureError(error, signal);
		}
	}

	async #attempt(want: CaptureWant, signal: AbortSignal | undefined): Promise<LogCapture> {
		const stretch = new Stretch(signal);
		const file = new LogFile(this.#path);
		try {
			const opening = openingOf(file);
			if (!this.#continues(file, opening.state)) this.#forget(opening.state.size);
			this.#fileOfIndex = opening.state;
			await this.#scan(file, opening, stretch);
			if (!this.#index.header || this.#index.rejected) throw new CaptureError("unavailable");
			const capture = await this.#build(file, opening, want, stretch);
			this.#checkUnchanged(file, opening);
			this.#keep(want, capture, opening.state);
			return capture;
		} finally {
			await file.close();
		}
	}

	/** Brings the index up to the file. What an interrupted scan reached is kept, when it is still what stands there. */
	async #scan(file: LogFile, opening: Opening, stretch: Stretch): Promise<void> {
		try {
			await scanLog(file, this.#index, opening.state.size, stretch);
		} catch (error) {
			this.#remember(file, opening);
			throw error;
		}
		if (!this.#remember(file, opening)) throw new FileChangedError();
	}

	/** Builds a capture; lines that turn out to be damaged are taken out, and the branch is folded again. */
	async #build(file: LogFile, opening: Opening, want: CaptureWant, stretch: Stretch): Promise<LogCapture> {
		for (;;) {
			stretch.signal?.throwIfAborted();
			try {
				return await this.#buildOnce(file, want, stretch);
			} catch (error) {
				if (!(error instanceof DamagedRowError)) throw error;
				this.#checkUnchanged(file, opening);
				this.#index.drop(error.row);
				// A file of nothing but such lines must not hold up everything else.
				await stretch.giveWay();
			}
		}
	}

	async #buildOnce(file: LogFile, want: CaptureWant, stretch: Stretch): Promise<LogCapture> {
		const index = this.#index;
		const loader = new EntryLoader(file, index, stretch, this.#calls);
		if (index.leaf !== NO_ROW) await loader.validate(index.leaf);
		const fold = this.#fold?.advance() ? this.#fold : await foldMeasured(file, index, stretch);
		this.#fold = fold;
		const builder = new CaptureBuilder(index, fold, loader);
		const surface = want.surface && (await builder.surface(want.surface));
		const activity = want.activity && (await builder.activity(want.activity.calls));
		if (!index.header) throw new CaptureError("unavailable");
		return {
			header: index.header,
			title: index.name,
			capturedThroughSeq: index.leaf === NO_ROW ? null : index.seq(index.leaf),
			capturedAt: Date.now(),
			damagedLines: index.damagedLines + fold.brokenLinks,
			...(surface && { surface }),
			...(activity && { activity }),
		};
	}

	/** Whether the opened file is the indexed one, unchanged as far as it was indexed. */
	#continues(file: LogFile, state: FileState): boolean {
		const known = this.#fileOfIndex;
		if (!known || !this.#fingerprint || !(isSameState(known, state) || isGrown(known, state))) return false;
		return matches(file, this.#fingerprint);
	}

	/** Keeps what the indexed part looks like, or drops the index when that is no longer what was read. */
	#remember(file: LogFile, opening: Opening): boolean {
		const fingerprint = fingerprintOf(file, this.#index.end);
		if (isUntouched(file, opening)) this.#fingerprint = fingerprint;
		else this.#forget();
		return this.#fingerprint !== null;
	}

	/** @throws FileChangedError when the file was replaced, cut or rewritten since it was opened */
	#checkUnchanged(file: LogFile, opening: Opening): void {
		const isReplaced = !isSameFile(this.#stateNow(), opening.state);
		if (isReplaced || !isUntouched(file, opening)) throw new FileChangedError();
	}

	#stateNow(): FileState {
		try {
			return stateOfPath(this.#path);
		} catch {
			throw new FileChangedError();
		}
	}

	#keep(want: CaptureWant, capture: LogCapture, state: FileState): void {
		if (this.#settledState && !isSameState(this.#settledState, state)) this.#captures.clear();
		const age = BigInt(capture.capturedAt) * 1_000_000n - state.modifiedNs;
		this.#settledState = age > SETTLED_NS ? state : null;
		if (!this.#settledState) {
			this.#captures.clear();
			return;
		}
		const oldest = this.#captures.keys().next();
		if (this.#captures.size >= KEPT_CAPTURES && !oldest.done) this.#captures.delete(oldest.value);
		this.#captures.set(JSON.stringify(want), capture);
	}

	/** @param size what the file has that will be indexed next, in bytes */
	#forget(size = 0): void {
		this.#index = new LogIndex(Math.min(MAX_EXPECTED_ROWS, size / TYPICAL_LINE_BYTES));
		this.#fold = null;
		this.#calls = new CallMemory();
		this.#fingerprint = null;
		this.#fileOfIndex = null;
		this.#settledState = null;
		this.#captures.clear();
	}
}

/** The state is taken last: whatever came before it has become of the file once and for all. */
function openingOf(file: LogFile): Opening {
	const fingerprint = fingerprintOf(file, file.state().size);
	return { fingerprint, state: file.state() };
}

function fingerprintOf(file: LogFile, end: number): Fingerprint {
	const length = Math.min(FINGERPRINT_BYTES, end);
	return { end, start: file.readSmall(0, length), before: file.readSmall(end - length, length) };
}

function matches(file: LogFile, { start, before, end }: Fingerprint): boolean {
	if (!file.readSmall(0, start.length).equals(start)) return false;
	return file.readSmall(end - before.length, before.length).equals(before);
}

/** Whether nothing but appending can have happened to an open file: what changes a log otherwise moves its end. */
function isUntouched(file: LogFile, { state, fingerprint }: Opening): boolean {
	const now = file.state();
	return isSameState(now, state) || (isGrown(state, now) && matches(file, fingerprint));
}

function isGrown(before: FileState, now: FileState): boolean {
	return isSameFile(before, now) && now.size > before.size;
}

function toCaptureError(error: unknown, signal: AbortSignal | undefined): CaptureError {
	if (error instanceof CaptureError) return error;
	return new CaptureError(signal?.aborted ? "cancelled" : "unavailable");
}
