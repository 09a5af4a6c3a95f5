/**
 * The session logs in some directories, from their headers alone.
 *
 * No path is ever built from an id and no body is read here. What is remembered of a file holds while its state does.
 */
import { readdir } from "node:fs/promises";
import path from "node:path";
import { type FileState, isSameState, LogFile, stateOfPath } from "./log/log-file.ts";
import { readHeaderOf } from "./log/log-header.ts";
import type { LogHeader } from "./log/log-index.ts";
import { Stretch } from "./log/stretch.ts";

/** Logs of one directory that are looked at: those with the newest names, which begin with a time. */
const MAX_FILES_PER_DIRECTORY = 20_000;
/** The same of one listing. */
const MAX_FILES = 20_000;
/** Headers remembered: those of a whole listing. */
const MAX_REMEMBERED = MAX_FILES;

/** One session log by its header. */
export interface CataloguedLog {
	readonly path: string;
	readonly header: LogHeader;
	/** Epoch milliseconds of the file's last change. */
	readonly changedAt: number;
}

/** Where to look. Files are hints from elsewhere: they are verified like any other. */
export interface CatalogueSources {
	readonly directories: readonly string[];
	readonly files: readonly string[];
}

interface Remembered {
	readonly state: FileState;
	readonly header: LogHeader | null;
}

export class Catalogue {
	readonly #remembered = new Map<string, Remembered>();

	/**
	 * Every log of the sources, newest first; of several files with one id only the newest.
	 * @throws the signal's reason when it is aborted
	 */
	async list(sources: CatalogueSources, signal?: AbortSignal): Promise<CataloguedLog[]> {
		const found = new Set<string>();
		for (const directory of new Set(sources.directories)) {
			for (const file of await logsIn(directory)) found.add(file);
			signal?.throwIfAborted();
		}
		const paths = new Set(newestNames(found));
		for (const file of sources.files) if (isLogPath(file)) paths.add(path.normalize(file));
		const logs = await this.#lookAt(paths, signal);
		logs.sort((a, b) => b.changedAt - a.changedAt);
		const seen = new Set<string>();
		return logs.filter(({ header }) => !seen.has(header.id) && seen.add(header.id));
	}

	/** The header of one log, which need not be in any source; null when it can't be read. */
	headerAt(file: string): LogHeader | null {
		return isLogPath(file) ? (this.#lookAtFile(path.normalize(file))?.header ?? null) : null;
	}

	async #lookAt(paths: Iterable<string>, signal: AbortSignal | undefined): Promise<CataloguedLog[]> {
		const logs: CataloguedLog[] = [];
		const stretch = new Stretch(signal);
		signal?.throwIfAborted();
		for (const file of paths) {
			const log = this.#lookAtFile(file);
			if (log) logs.push(log);
			if (stretch.isOver) await stretch.giveWay();
		}
		return logs;
	}

	/** Null for what is no session log, or can't be read: one bad file must not hide the others. */
	#lookAtFile(file: string): CataloguedLog | null {
		try {
			const known = this.#remembered.get(file);
			const current = known && isSameState(known.state, stateOfPath(file)) ? known : readHeaderAt(file);
			this.#remember(file, current);
			const { state, header } = current;
			return header && { path: file, header, changedAt: Number(state.modifiedNs) / 1e6 };
		} catch {
			this.#remembered.delete(file);
			return null;
		}
	}

	#remember(file: string, remembered: Remembered): void {
		this.#remembered.delete(file);
		this.#remembered.set(file, remembered);
		if (this.#remembered.size <= MAX_REMEMBERED) return;
		const oldest = this.#remembered.keys().next();
		if (!oldest.done) this.#remembered.delete(oldest.value);
	}
}

function isLogPath(file: string): boolean {
	return path.isAbsolute(file) && file.endsWith(".jsonl");
}

function readHeaderAt(file: string): Remembered {
	const log = new LogFile(file);
	try {
		return { state: log.openedState, header: readHeaderOf(log) };
	} finally {
		log.closeNow();
	}
}

/** File names begin with a time. */
function newestNames(files: ReadonlySet<string>): Iterable<string> {
	if (files.size <= MAX_FILES) return files;
	const named = [...files].map((file) => ({ file, name: path.basename(file) }));
	named.sort((a, b) => (a.name < b.name ? 1 : -1));
	return named.slice(0, MAX_FILES).map(({ file }) => file);
}

/** Paths of a directory's logs; none when it can't be listed. */
async function logsIn(directory: string): Promise<string[]> {
	try {
		const names = (await readdir(directory)).filter((name) => name.endsWith(".jsonl"));
		if (names.length > MAX_FILES_PER_DIRECTORY) names.sort().splice(0, names.length - MAX_FILES_PER_DIRECTORY);
		return names.map((name) => path.join(directory, name));
	} catch {
		return [];
	}
}
