/**
 * What a reader could have changed of a file, taken without changing any of it.
 */
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

/** Content, times, mode and place of a file. Where the system allows it, looking leaves even the access time alone. */
export function fileState(file: string): Record<string, string> {
	const quietly = (constants as { O_NOATIME?: number }).O_NOATIME ?? 0;
	const descriptor = openSync(file, constants.O_RDONLY | quietly);
	try {
		const { ino, mode, size, mtimeNs, ctimeNs, atimeNs } = fstatSync(descriptor, { bigint: true });
		const content = createHash("sha256").update(readFileSync(descriptor)).digest("hex");
		const state = { ino, mode, size, mtimeNs, ctimeNs, atimeNs, content };
		return Object.fromEntries(Object.entries(state).map(([name, value]) => [name, String(value)]));
	} finally {
		closeSync(descriptor);
	}
}

/** Names in a directory and its times of change. */
export function directoryState(directory: string): Record<string, string> {
	const { mtimeNs, ctimeNs } = statSync(directory, { bigint: true });
	return { names: readdirSync(directory).sort().join(path.delimiter), mtimeNs: `${mtimeNs}`, ctimeNs: `${ctimeNs}` };
}
