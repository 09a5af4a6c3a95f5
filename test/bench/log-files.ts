/**
 * The generated logs that the rows read, each written when it is first needed, in one directory that this file owns.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RealisticLogOptions, writeRealisticLog } from "../support/logs/realistic-log.ts";
import { type ManySessions, writeManySessions } from "./many-sessions.ts";
import { writePlainLog } from "./plain-log.ts";

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
	#manySessions: ManySessions | undefined;
	readonly #plainLogs = new Map<number, string>();

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

	/** An agent directory with many sessions of one workspace; written on the first call. */
	manySessions(): ManySessions {
		this.#manySessions ??= writeManySessions(join(this.#directory, "agent"));
		return this.#manySessions;
	}

	/** A directory with one log of so many messages of 1 KB, in the workspace `cwd`; written on the first call. */
	plainLog(messages: number, cwd: string): string {
		const known = this.#plainLogs.get(messages);
		if (known !== undefined) return known;
		const directory = join(this.#directory, `plain-${messages}`);
		mkdirSync(directory);
		writePlainLog(join(directory, "log.jsonl"), `plain-${messages}`, cwd, messages);
		this.#plainLogs.set(messages, directory);
		return directory;
	}

	/** A path for a copy that a measurement makes and removes. */
	copyPath(): string {
		return join(this.#directory, "copy.jsonl");
	}

	remove(): void {
		rmSync(this.#directory, { recursive: true, force: true });
	}
}
