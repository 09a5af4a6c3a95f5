/**
 * The generated logs that the rows read, each written when it is first needed, in one directory that this file owns.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RealisticLogOptions, writeRealisticLog } from "../support/logs/realistic-log.ts";

const MIB = 1024 * 1024;

const RECIPES = {
	everyday: { seed: 1, bytes: 100 * MIB },
	/** Read before the file that counts, in WARM rows. */
	other: { seed: 2, bytes: 100 * MIB },
	everydayTwice: { seed: 3, bytes: 200 * MIB },
	assistant: { seed: 4, bytes: 100 * MIB, assistantShare: 0.6 },
	images: { seed: 5, bytes: 100 * MIB, imageShare: 0.8, imageBytes: MIB, assistantShare: 0.03 },
	oddLine: { seed: 6, bytes: 200 * MIB, oddLineBytes: 12 * MIB },
	compacted: { seed: 7, bytes: 100 * MIB, surfaceBytes: 2 * MIB },
} as const satisfies Record<string, RealisticLogOptions>;

export type LogName = keyof typeof RECIPES;

export interface LogFile {
	readonly file: string;
	/** Id of the last entry. */
	readonly leafId: string | null;
}

export class LogFiles {
	readonly #directory = mkdtempSync(join(tmpdir(), "bench-"));
	readonly #written = new Map<LogName, LogFile>();

	/** The log's path; writes the file on the first call. */
	get(name: LogName): LogFile {
		const known = this.#written.get(name);
		if (known !== undefined) return known;
		const file = join(this.#directory, `${name}.jsonl`);
		const { leafId } = writeRealisticLog(file, RECIPES[name]);
		const log = { file, leafId };
		this.#written.set(name, log);
		return log;
	}

	/** A path for a copy that a measurement makes and removes. */
	copyPath(): string {
		return join(this.#directory, "copy.jsonl");
	}

	remove(): void {
		rmSync(this.#directory, { recursive: true, force: true });
	}
}
