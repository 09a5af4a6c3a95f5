/**
 * Writes large session logs that look like real ones, the same bytes for the same options.
 *
 * What real logs have in common, and these too: tool results are most of the bytes, some lines are megabytes, some hold
 * images; assistant messages carry reasoning with signatures, tool calls and usage; extensions leave entries of their
 * own between the messages; abandoned branches stay in the file.
 */

import { LineWriter } from "./line-writer.ts";
import { type EntryPlace, type JsonObject, sessionHeader } from "./pi-entries.ts";
import { type EntryKind, EntryMaker } from "./realistic-entries.ts";
import { SeededRandom } from "./seeded-random.ts";
import { TextPool } from "./text-pool.ts";

const FIRST_INSTANT = Date.UTC(2026, 2, 1, 9);

/** A megabyte line could miss the place where a compacted surface should begin by this much. */
const LARGEST_OVERSHOOT = 5 * 1024 * 1024;

export interface RealisticLogOptions {
	readonly seed: number;
	/** Size of the file; it ends with the turn that reaches this. */
	readonly bytes: number;
	/** Session log version; default 3. */
	readonly version?: 1 | 2 | 3;
	/** Default: a UUID from the seed. */
	readonly sessionId?: string;
	/** Default `/srv/app`. */
	readonly cwd?: string;
	/** About which part of the bytes are assistant messages; default 0.15. */
	readonly assistantShare?: number;
	/** About which part of the bytes are image lines; default 0.05. */
	readonly imageShare?: number;
	/** Base64 characters of one image; default: different sizes of about 300 KiB. */
	readonly imageBytes?: number;
	/** One tool result of about this size, with its keys in an order of its own, in the middle of the file. */
	readonly oddLineBytes?: number;
	/** A compaction near the end, so that the current surface is about the last so many bytes. Default: no compaction. */
	readonly surfaceBytes?: number;
}

/** What was written, for tests and for whoever appends to the file. */
export interface RealisticLogFacts {
	readonly bytes: number;
	readonly lines: number;
	readonly assistantBytes: number;
	readonly imageBytes: number;
	/** Id of the last entry; null in a version 1 file. */
	readonly leafId: string | null;
}

/** Creates or replaces `file`. About 50 MB a second or more. */
export function writeRealisticLog(file: string, options: RealisticLogOptions): RealisticLogFacts {
	const writer = new LineWriter(file, "w");
	try {
		const log = new RealisticLog(writer, options);
		log.writeAll(options);
		return log.facts();
	} finally {
		writer.close();
	}
}

/** Goes on writing a log, a few everyday entries at a time. Holds the file open until `close()`. */
export class RealisticAppender {
	readonly #writer: LineWriter;
	readonly #log: RealisticLog;

	/**
	 * `leafId`: the entry that the first new one continues. `seed`: not the log's own, which would repeat its ids. Making one
	 * takes some 50 ms; appending hardly any time.
	 */
	constructor(file: string, options: { readonly seed: number; readonly leafId: string | null }) {
		this.#writer = new LineWriter(file, "a");
		this.#log = new RealisticLog(this.#writer, { ...options, imageShare: 0, bytes: 0 }, options.leafId);
	}

	/** Appends so many entries to the file; returns the new leaf's id. */
	append(count: number): string | null {
		this.#log.writeEntries(count);
		this.#writer.flush();
		return this.#log.facts().leafId;
	}

	close(): void {
		this.#writer.close();
	}
}

class RealisticLog {
	readonly #writer: LineWriter;
	readonly #random: SeededRandom;
	readonly #maker: EntryMaker;
	readonly #version: 1 | 2 | 3;
	readonly #usedIds = new Set<string>();
	#oddLineWritten = false;
	/** The first entry that the compaction keeps, once it was written: an id, or an index in version 1. */
	#firstKept: string | number | null = null;
	#compacted = false;
	#leafId: string | null;
	#instant = FIRST_INSTANT;
	/** Where an abandoned branch began; the next turn goes on from there. */
	#returnTo: string | null = null;

	constructor(writer: LineWriter, options: RealisticLogOptions, leafId: string | null = null) {
		this.#writer = writer;
		this.#random = new SeededRandom(options.seed);
		this.#maker = new EntryMaker(this.#random, new TextPool(this.#random), options);
		this.#version = options.version ?? 3;
		this.#leafId = leafId;
	}

	facts(): RealisticLogFacts {
		return {
			bytes: this.#writer.bytes,
			lines: this.#writer.lines,
			assistantBytes: this.#maker.composition.assistantBytes,
			imageBytes: this.#maker.composition.imageBytes,
			leafId: this.#leafId,
		};
	}

	writeAll(options: RealisticLogOptions): void {
		this.#writeHeader(options);
		this.#entry("system");
		this.#entry("modelChange");
		this.#entry("thinkingLevelChange");
		while (this.#writer.bytes < options.bytes) {
			this.#writeTurn(options);
		}
	}

	writeEntries(count: number): void {
		for (let written = 0; written < count; written += 2) {
			this.#entry("toolStep");
			if (written + 1 < count) this.#entry("toolResult");
		}
	}

	#writeHeader(options: RealisticLogOptions): void {
		const random = this.#random;
		const id = `${random.hex(8)}-${random.hex(4)}-7${random.hex(3)}-8${random.hex(3)}-${random.hex(8)}${random.hex(4)}`;
		this.#writeLine(
			sessionHeader({
				version: this.#version,
				id: options.sessionId ?? id,
				timestamp: new Date(this.#instant).toISOString(),
				cwd: options.cwd ?? "/srv/app",
			}),
		);
	}

	/** One prompt and all that follows from it: what a person calls one request. */
	#writeTurn(options: RealisticLogOptions): void {
		const start = this.#leafId;
		if (this.#returnTo !== null) {
			this.#leafId = this.#returnTo;
			this.#returnTo = null;
			this.#entry("branchSummary");
		} else if (this.#firstKept === null && this.#random.chance(0.03)) {
			this.#returnTo = start;
		}
		this.#entry("user");
		if (this.#random.chance(0.5)) this.#entry("inputMark");
		for (let steps = this.#random.size(9); steps > 0; steps -= 1) {
			this.#writeStep();
			this.#writeWhatIsDue(options);
		}
		this.#entry(this.#random.chance(0.04) ? "failedAnswer" : "answer");
		for (const [kind, probability] of SIDE_ENTRIES) {
			if (this.#random.chance(probability)) this.#entry(kind);
		}
	}

	#writeStep(): void {
		this.#entry("toolStep");
		this.#entry(this.#maker.composition.wantsImage() ? "imageResult" : "toolResult");
	}

	/** The things that stand once in a file, at a certain place. */
	#writeWhatIsDue({ bytes, oddLineBytes, surfaceBytes }: RealisticLogOptions): void {
		const written = this.#writer.bytes;
		if (oddLineBytes !== undefined && !this.#oddLineWritten && written >= bytes / 2) {
			this.#oddLineWritten = true;
			this.#writeLine(this.#maker.oddOrderResult(this.#nextPlace(), oddLineBytes));
		}
		if (surfaceBytes === undefined || this.#compacted) return;
		const surfaceStart = bytes - surfaceBytes;
		this.#maker.allowsLargeResults = written < surfaceStart - LARGEST_OVERSHOOT;
		if (this.#firstKept === null && written >= surfaceStart) this.#firstKept = this.#writeFirstKept();
		else if (this.#firstKept !== null && written >= surfaceStart + surfaceBytes / 4) {
			this.#compacted = true;
			this.#writeLine(this.#maker.compaction(this.#nextPlace(), this.#firstKept));
		}
	}

	#writeFirstKept(): string | number | null {
		const line = this.#writer.lines;
		this.#returnTo = null;
		this.#entry("user");
		return this.#version === 1 ? line : this.#leafId;
	}

	#entry(kind: EntryKind): void {
		this.#maker.note(kind, this.#writeLine(this.#maker.make(kind, this.#nextPlace())));
	}

	#writeLine(entry: JsonObject): number {
		return this.#writer.line(JSON.stringify(entry));
	}

	#nextPlace(): EntryPlace {
		this.#instant += this.#random.integer(40, 30_000);
		const timestamp = new Date(this.#instant).toISOString();
		if (this.#version === 1) return { timestamp };
		const parentId = this.#leafId;
		this.#leafId = this.#newId();
		return { id: this.#leafId, parentId, timestamp };
	}

	#newId(): string {
		for (;;) {
			const id = this.#random.hex(8);
			if (this.#usedIds.has(id)) continue;
			this.#usedIds.add(id);
			return id;
		}
	}
}

/** What may follow a turn, and how often it does. */
const SIDE_ENTRIES: readonly (readonly [EntryKind, number])[] = [
	["extensionState", 0.6],
	["customMessage", 0.1],
	["sessionName", 0.05],
	["usage", 0.1],
	["label", 0.15],
	["bashExecution", 0.05],
	["modelChange", 0.02],
	["contextEdit", 0.1],
];
