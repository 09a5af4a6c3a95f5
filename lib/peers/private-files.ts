/**
 * Directories, files and sockets that belong to this user alone: making them so, and telling whether they are.
 *
 * Promise: a link is never followed at the end of a path, a FIFO never blocks, and no more is read than asked for.
 * Where the system has no numeric users, owner and mode are not looked at: its own access lists rule there.
 */
import { constants, type Stats } from "node:fs";
import * as nodeFiles from "node:fs/promises";
import { PeerError } from "./peer-error.ts";

/** The file operations these rooms use. The seam where tests inject faults. */
export type FileOperations = Pick<
	typeof nodeFiles,
	"chmod" | "lstat" | "mkdir" | "open" | "opendir" | "rename" | "unlink"
>;

export const systemFiles: FileOperations = nodeFiles;

/** Whether `stats` belong to `userId` and grant nothing to group and others. */
export function isPrivate(stats: Pick<Stats, "uid" | "mode">, userId: number | undefined): boolean {
	if (userId === undefined) return true;
	return stats.uid === userId && (stats.mode & 0o077) === 0;
}

/**
 * Makes `path` a directory of this user with mode 0700, its parents too where they are missing.
 * An own directory with wider permissions is narrowed; a link, a file or a foreign directory is an `unsafe_directory`.
 */
export async function ensurePrivateDirectory(
	path: string,
	userId: number | undefined,
	files: FileOperations = systemFiles,
): Promise<void> {
	try {
		await files.mkdir(path, { recursive: true, mode: 0o700 });
	} catch (error) {
		const occupied = errorCode(error) === "EEXIST" || errorCode(error) === "ENOTDIR";
		throw new PeerError(occupied ? "unsafe_directory" : "unusable_directory", error);
	}
	const stats = await files.lstat(path).catch((error: unknown) => {
		throw new PeerError("unusable_directory", error);
	});
	if (!stats.isDirectory() || (userId !== undefined && stats.uid !== userId)) throw new PeerError("unsafe_directory");
	if (isPrivate(stats, userId)) return;
	await files.chmod(path, 0o700).catch((error: unknown) => {
		throw new PeerError("unusable_directory", error);
	});
}

export type PrivateReadFailure = "missing" | "unsafe" | "too_large" | "unreadable";

export type PrivateRead =
	| { readonly ok: true; readonly text: string; readonly modifiedAt: number }
	| { readonly ok: false; readonly reason: PrivateReadFailure };

const refusal = (reason: PrivateReadFailure): PrivateRead => ({ ok: false, reason });

/** Reads a private regular file of at most `maxBytes` strictly as UTF-8. */
export async function readPrivateText(
	path: string,
	maxBytes: number,
	userId: number | undefined,
	files: FileOperations = systemFiles,
): Promise<PrivateRead> {
	let handle: nodeFiles.FileHandle;
	try {
		handle = await files.open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	} catch (error) {
		const reasons: Record<string, PrivateReadFailure> = { ENOENT: "missing", ELOOP: "unsafe", ENXIO: "unsafe" };
		return refusal(reasons[errorCode(error)] ?? "unreadable");
	}
	try {
		const stats = await handle.stat();
		if (!stats.isFile() || !isPrivate(stats, userId)) return refusal("unsafe");
		if (stats.size > maxBytes) return refusal("too_large");
		// One byte more than the size: a file that grew while it was read is not one that was renamed into place.
		const { bytesRead, buffer } = await handle.read(Buffer.alloc(stats.size + 1), 0, stats.size + 1, 0);
		if (bytesRead !== stats.size) return refusal("unreadable");
		const text = new TextDecoder("utf-8", { fatal: true }).decode(buffer.subarray(0, bytesRead));
		return { ok: true, text, modifiedAt: stats.mtimeMs };
	} catch {
		return refusal("unreadable");
	} finally {
		await handle.close();
	}
}

/** The system's code of a thrown value, or an empty string. */
export function errorCode(error: unknown): string {
	if (typeof error !== "object" || error === null || !("code" in error)) return "";
	return typeof error.code === "string" ? error.code : "";
}
