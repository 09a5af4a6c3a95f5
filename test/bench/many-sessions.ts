/**
 * A workspace with many sessions, as an agent directory has them: logs of a few kinds of content, most of them named,
 * some private.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { defaultSessionDirectory } from "../../lib/pi/workspace.ts";
import { SessionRecords } from "../../lib/sessions/session-records.ts";
import { headFirstEntry, sessionHeader } from "../support/logs/pi-entries.ts";
import { writeRealisticLog } from "../support/logs/realistic-log.ts";

export const MANY_SESSIONS = 1000;
const KINDS = 20;
const timestamp = "2026-03-01T09:00:00.000Z";
/** Bytes of one log, about. */
const LOG_BYTES = 256 * 1024;
const LARGEST_LINE = 32 * 1024;
/** Every so many sessions one is private, or has no name. */
const PRIVATE_EVERY = 10;
const NAMELESS_EVERY = 3;

export interface ManySessions {
	readonly agentDirectory: string;
	readonly cwd: string;
}

/** Writes them below `agentDirectory`, which it makes. */
export function writeManySessions(agentDirectory: string): ManySessions {
	const cwd = "/srv/app";
	const directory = defaultSessionDirectory(agentDirectory, cwd);
	mkdirSync(directory, { recursive: true });
	const kinds = Array.from({ length: KINDS }, (_, seed) => bodyOf(path.join(directory, "kind"), seed));
	const records = new SessionRecords(agentDirectory);
	for (let index = 0; index < MANY_SESSIONS; index += 1) {
		const id = `session-${index}`;
		const header = sessionHeader({ version: 3, id, timestamp, cwd });
		const place = { id: "00000000", parentId: null, timestamp };
		const named = headFirstEntry("session_info", place, { name: `Work ${index}` });
		const name = index % NAMELESS_EVERY === 0 ? "" : `${JSON.stringify(named)}\n`;
		const file = path.join(directory, `2026-03-01_${String(index).padStart(5, "0")}.jsonl`);
		writeFileSync(file, `${JSON.stringify(header)}\n${name}${kinds[index % KINDS]}`);
		if (index % PRIVATE_EVERY === 0) records.setPrivate(id, true);
	}
	return { agentDirectory, cwd };
}

/** Lines of a realistic log, the largest of which would each be a session of its own. */
function bodyOf(file: string, seed: number): string {
	writeRealisticLog(file, { seed, bytes: LOG_BYTES });
	const lines = readFileSync(file, "utf8").split("\n").slice(1);
	rmSync(file);
	const body: string[] = [];
	let bytes = 0;
	for (const line of lines) {
		if (line.length > LARGEST_LINE || bytes > LOG_BYTES) continue;
		body.push(line);
		bytes += line.length;
	}
	return `${body.join("\n")}\n`;
}
