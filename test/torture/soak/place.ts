/**
 * Where a soak takes place: an agent directory and a workspace of its own, and what the sessions leave there.
 */
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { peerPaths } from "../../../lib/peers/paths.ts";

/** Of what pi keeps of a conversation, in tokens: little, so that there is always something to compact. */
const KEPT_TOKENS = 50;

/** What a soak looks at in a registration. */
export interface Registered {
	readonly id: string;
	readonly instanceId: string;
	readonly pid: number;
	readonly sessionFile?: string;
}

export class Place {
	readonly agentDirectory: string;
	readonly workspace: string;
	readonly #root = realpathSync(mkdtempSync(path.join(tmpdir(), "soak-")));

	constructor() {
		this.agentDirectory = path.join(this.#root, "agent");
		this.workspace = path.join(this.#root, "workspace");
		mkdirSync(this.agentDirectory);
		mkdirSync(this.workspace);
		const settings = { compaction: { enabled: false, keepRecentTokens: KEPT_TOKENS } };
		writeFileSync(path.join(this.agentDirectory, "settings.json"), JSON.stringify(settings));
	}

	/** Everybody who is registered now. */
	registrations(): Registered[] {
		return this.registrationTexts().map((text) => JSON.parse(text) as Registered);
	}

	/** What live sessions have in the file system beside their logs: registrations, unfinished ones, sockets. */
	presenceFiles(): string[] {
		return [...this.#peersFiles(), ...namesIn(this.#socketDirectory)];
	}

	/** The text of every registration; unfinished ones are not among them. */
	registrationTexts(): string[] {
		const names = this.#peersFiles().filter((name) => name.endsWith(".json"));
		return names.flatMap((name) => textOf(path.join(this.#peersDirectory, name)) ?? []);
	}

	/** The paths of all session logs. */
	logs(): string[] {
		const directory = path.join(this.agentDirectory, "sessions");
		const names = existsSync(directory) ? readdirSync(directory, { recursive: true, encoding: "utf8" }) : [];
		return names.filter((name) => name.endsWith(".jsonl")).map((name) => path.join(directory, name));
	}

	remove(): void {
		rmSync(this.#socketDirectory, { recursive: true, force: true });
		rmSync(this.#root, { recursive: true, force: true });
	}

	get #peersDirectory(): string {
		return peerPaths(this.agentDirectory).peersDirectory;
	}

	get #socketDirectory(): string {
		return peerPaths(this.agentDirectory).socketDirectory ?? this.#peersDirectory;
	}

	#peersFiles(): string[] {
		return namesIn(this.#peersDirectory);
	}
}

function namesIn(directory: string): string[] {
	return existsSync(directory) ? readdirSync(directory) : [];
}

/** A file's text; undefined when it is gone by now. */
export function textOf(file: string): string | undefined {
	try {
		return readFileSync(file, "utf8");
	} catch {
		return undefined;
	}
}
