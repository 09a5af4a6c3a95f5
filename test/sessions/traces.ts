/**
 * Everything about a directory that a reader could have changed: names, bytes, and times to the nanosecond.
 */
import { createHash } from "node:crypto";
import { closeSync, lstatSync, openSync, readdirSync, readlinkSync, readSync, utimesSync } from "node:fs";
import path from "node:path";

const LONG_AGO = new Date(Date.UTC(2025, 0, 1));

/** Sets access times back, so that any read that leaves a trace would leave it now. */
export function setAccessTimesBack(directory: string): void {
	for (const file of filesOf(directory)) {
		const stat = lstatSync(file);
		if (stat.isFile()) utimesSync(file, LONG_AGO, stat.mtime);
	}
}

/** Access times are of files only: listing a directory may change the directory's own. */
export function tracesOf(directory: string): Record<string, unknown> {
	return Object.fromEntries(
		filesOf(directory).map((file) => {
			const { dev, ino, mode, nlink, uid, gid, size, mtimeNs, ctimeNs, atimeNs } = lstatSync(file, { bigint: true });
			const access = lstatSync(file).isFile() ? { atimeNs } : {};
			const numbers = { dev, ino, mode, nlink, uid, gid, size, mtimeNs, ctimeNs, ...access };
			return [path.relative(directory, file), Object.values(numbers).join(" ")];
		}),
	);
}

/** Digests of all regular files, and what links point to. Reading them may change access times. */
export function contentsOf(directory: string): Record<string, string> {
	return Object.fromEntries(
		filesOf(directory).map((file) => {
			const stat = lstatSync(file);
			const content = stat.isSymbolicLink() ? readlinkSync(file) : stat.isFile() ? digestOf(file) : "";
			return [path.relative(directory, file), content];
		}),
	);
}

function filesOf(directory: string): string[] {
	return readdirSync(directory, { recursive: true, encoding: "utf8" })
		.sort()
		.map((name) => path.join(directory, name));
}

function digestOf(file: string): string {
	const hash = createHash("sha256");
	const piece = Buffer.alloc(1024 * 1024);
	const descriptor = openFor(file);
	if (descriptor === null) return "no permission";
	for (let count = readSync(descriptor, piece); count > 0; count = readSync(descriptor, piece)) {
		hash.update(piece.subarray(0, count));
	}
	closeSync(descriptor);
	return hash.digest("hex");
}

function openFor(file: string): number | null {
	try {
		return openSync(file, "r");
	} catch {
		return null;
	}
}
