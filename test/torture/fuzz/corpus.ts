/**
 * The corpus: for each target a directory of small files, one input each. What fuzzing finds is added to it and run by
 * every test run from then on; cases are not made of findings, so that a seed means the same cases before and after.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Ingredients } from "./mutator.ts";
import type { FuzzTarget } from "./target.ts";

const FINDING_PREFIX = "found-";

const corpusDirectory = path.resolve(import.meta.dirname, "../corpus");

/** One file of the corpus. */
export interface CorpusFile {
	readonly file: string;
	readonly bytes: Buffer;
}

/** A target's files, in the order of their names. */
export function corpusFiles({ name }: Pick<FuzzTarget, "name">, root = corpusDirectory): CorpusFile[] {
	const directory = path.join(root, name);
	if (!existsSync(directory)) return [];
	const names = readdirSync(directory)
		.filter((file) => file.endsWith(".bin"))
		.sort();
	return names.map((file) => ({ file, bytes: readFileSync(path.join(directory, file)) }));
}

/** What a target's cases are made of. */
export function ingredientsOf(target: FuzzTarget): Ingredients {
	const { samples, tokens, bounds, maxBytes } = target;
	const chosen = corpusFiles(target).filter(({ file }) => !file.startsWith(FINDING_PREFIX));
	return { corpus: [...samples, ...chosen.map(({ bytes }) => bytes)], tokens, bounds, maxBytes };
}

/** Keeps an input that broke a promise. @returns where; null when nothing can be written there */
export function saveFinding(target: Pick<FuzzTarget, "name">, bytes: Buffer, root = corpusDirectory): string | null {
	const directory = path.join(root, target.name);
	const file = path.join(directory, findingName(bytes));
	try {
		mkdirSync(directory, { recursive: true });
		writeFileSync(file, bytes);
		return file;
	} catch {
		return null;
	}
}

function findingName(bytes: Buffer): string {
	return `${FINDING_PREFIX}${createHash("sha256").update(bytes).digest("hex").slice(0, 12)}.bin`;
}
