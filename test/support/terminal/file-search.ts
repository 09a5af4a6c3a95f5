/**
 * A stand-in for the program by which pi finds files for its completion, which pi would otherwise download.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Called as pi calls fd: the directory is the second word, what is searched for the last one. */
const script = `#!/bin/sh
for wanted; do :; done
cd "$2" && find . -type f | cut -c 3- | grep -i -e "$wanted"
`;

/** Puts it where pi keeps its own programs. It finds files whose path has the words that are typed. */
export function provideFileSearch(agentDirectory: string): void {
	const directory = path.join(agentDirectory, "bin");
	mkdirSync(directory);
	writeFileSync(path.join(directory, "fd"), script, { mode: 0o755 });
}
