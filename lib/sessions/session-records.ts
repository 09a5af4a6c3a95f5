/**
 * What pi's logs can't say about a session, kept beside them: whether it is private, and whether it is a subagent's.
 *
 * One small file a session, named by the hash of its id, readable by its owner alone. A record that exists but can't be
 * trusted or read makes its session private: the mistake must be on the side of showing nothing. For the same reason
 * nobody shows or hides such a session before the record is put right: what it says of a subagent would be lost.
 */
import { hash, randomUUID } from "node:crypto";
import {
	chmodSync,
	closeSync,
	constants,
	fstatSync,
	mkdirSync,
	openSync,
	readdirSync,
	readSync,
	renameSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import path from "node:path";
import * as z from "zod";

/** A record is some 60 bytes. */
const MAX_RECORD_BYTES = 4096;
const GROUP_AND_OTHERS = 0o077;

const recordSchema = z.object({
	version: z.literal(1),
	private: z.boolean().optional(),
	origin: z.literal("subagent").optional(),
});

/** What is kept beside one session's log. */
export interface SessionRecord {
	readonly private: boolean;
	readonly subagent: boolean;
	/** Whether there is a record that can be read. */
	readonly kept: boolean;
}

/** A record that can't be read or trusted was to be changed. The message, for the person, says which file it is. */
export class UnreadableRecordError extends Error {
	readonly code = "record_unreadable";

	constructor(fileName: string) {
		super(
			`What is kept about this session can't be read or trusted, so it counts as private. Put the owner and the permissions of cross-session/sessions/${fileName} in the agent directory right; remove that file only if the session is no subagent's.`,
		);
		this.name = "UnreadableRecordError";
	}
}

const noRecord: SessionRecord = Object.freeze({ private: false, subagent: false, kept: false });
const unreadable: SessionRecord = Object.freeze({ private: true, subagent: false, kept: false });

export class SessionRecords {
	readonly #directory: string;

	/** @param agentDirectory pi's agent directory */
	constructor(agentDirectory: string) {
		this.#directory = path.join(agentDirectory, "cross-session", "sessions");
	}

	/** The record of one session; all false when there is none. */
	read(sessionId: string): SessionRecord {
		return readRecord(this.#pathOf(sessionId));
	}

	/** A look-up for many sessions: one listing instead of an attempt to open a file for each. */
	lookup(): (sessionId: string) => SessionRecord {
		let names: Set<string>;
		try {
			names = new Set(readdirSync(this.#directory));
		} catch (error) {
			if (isMissing(error)) return () => noRecord;
			return () => unreadable;
		}
		const known = new Map<string, SessionRecord>();
		return (sessionId) => {
			const record = known.get(sessionId) ?? this.#readNamed(nameOf(sessionId), names);
			known.set(sessionId, record);
			return record;
		};
	}

	#readNamed(name: string, names: ReadonlySet<string>): SessionRecord {
		return names.has(name) ? readRecord(path.join(this.#directory, name)) : noRecord;
	}

	/**
	 * Makes a session private, or shows it again.
	 * @throws UnreadableRecordError when its record can't be read; the system's error when the choice can't be stored
	 */
	setPrivate(sessionId: string, isPrivate: boolean): void {
		// Without a usable directory there is no record that could be spared.
		this.#makeDirectory();
		const record = this.read(sessionId);
		if (record === unreadable) throw new UnreadableRecordError(nameOf(sessionId));
		this.#write(sessionId, { ...record, private: isPrivate });
	}

	/**
	 * Notes that a session is a subagent's; when its record can't be read, also that it is private. Throws the system's
	 * error when that can't be stored.
	 */
	setSubagent(sessionId: string): void {
		const record = this.read(sessionId);
		if (!record.subagent) this.#write(sessionId, { ...record, subagent: true });
	}

	#pathOf(sessionId: string): string {
		return path.join(this.#directory, nameOf(sessionId));
	}

	#makeDirectory(): void {
		mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
		chmodSync(this.#directory, 0o700);
	}

	#write(sessionId: string, record: SessionRecord): void {
		this.#makeDirectory();
		const file = this.#pathOf(sessionId);
		const temporary = `${file}.${randomUUID()}.tmp`;
		const value: z.infer<typeof recordSchema> = {
			version: 1,
			...(record.private && { private: true }),
			...(record.subagent && { origin: "subagent" }),
		};
		try {
			writeFileSync(temporary, `${JSON.stringify(value)}\n`, { flag: "wx", mode: 0o600 });
			renameSync(temporary, file);
		} catch (error) {
			rmSync(temporary, { force: true });
			throw error;
		}
	}
}

/** The name of a session's record. */
function nameOf(sessionId: string): string {
	return `${hash("sha256", sessionId, "hex")}.json`;
}

function readRecord(file: string): SessionRecord {
	let descriptor: number;
	try {
		descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
	} catch (error) {
		return isMissing(error) ? noRecord : unreadable;
	}
	try {
		const stat = fstatSync(descriptor);
		const isOwn = process.getuid === undefined || stat.uid === process.getuid();
		const isPrivateFile = process.platform === "win32" || (stat.mode & GROUP_AND_OTHERS) === 0;
		if (!stat.isFile() || !isOwn || !isPrivateFile || stat.size > MAX_RECORD_BYTES) return unreadable;
		const bytes = Buffer.alloc(MAX_RECORD_BYTES);
		const length = readSync(descriptor, bytes, 0, bytes.length, 0);
		const record = recordSchema.parse(JSON.parse(bytes.toString("utf8", 0, length)));
		return { private: record.private === true, subagent: record.origin === "subagent", kept: true };
	} catch {
		return unreadable;
	} finally {
		closeSync(descriptor);
	}
}

function isMissing(error: unknown): boolean {
	return (error as NodeJS.ErrnoException).code === "ENOENT";
}
