/**
 * Reading other incarnations' registrations.
 *
 * Promise: what is returned was a private regular file of this user, complete and strict in form, and names itself and
 * the one socket that its file name stands for. Everything else is a reason and nothing more, so that nothing of a
 * hostile file can be shown.
 */
import { endpointPath, type PeerPaths, registrationPath } from "./paths.ts";
import { type FileOperations, type PrivateReadFailure, readPrivateText, systemFiles } from "./private-files.ts";
import { parseRegistration, REGISTRATION_LIMITS, type Registration } from "./registration.ts";

export type RegistrationRefusal = PrivateReadFailure | "malformed" | "wrong_name" | "wrong_endpoint";

export type RegistrationReading =
	| {
			readonly ok: true;
			readonly registration: Registration;
			/** Epoch milliseconds of the last sign of its writer: what it wrote, or when its file changed. */
			readonly refreshedAt: number;
	  }
	| { readonly ok: false; readonly reason: RegistrationRefusal };

/** Reads and vets one registration. Never throws for what the file is or holds. */
export async function readRegistration(
	paths: PeerPaths,
	instanceId: string,
	files: FileOperations = systemFiles,
): Promise<RegistrationReading> {
	const read = await readPrivateText(
		registrationPath(paths, instanceId),
		REGISTRATION_LIMITS.fileBytes,
		paths.userId,
		files,
	);
	if (!read.ok) return read;
	const registration = parseRegistration(read.text);
	if (registration === null) return { ok: false, reason: "malformed" };
	if (registration.instanceId !== instanceId) return { ok: false, reason: "wrong_name" };
	if (registration.socketPath !== endpointPath(paths, instanceId)) return { ok: false, reason: "wrong_endpoint" };
	return { ok: true, registration, refreshedAt: Math.max(registration.updatedAt, read.modifiedAt) };
}

/** The vetted registration of one incarnation; null when there is none, or none to believe. */
export async function findRegistration(
	paths: PeerPaths,
	instanceId: string,
	files: FileOperations = systemFiles,
): Promise<Registration | null> {
	const reading = await readRegistration(paths, instanceId, files);
	return reading.ok ? reading.registration : null;
}

/** Directory entries that one listing walks over, so that a flooded directory can't hold it up. */
const MAX_DIRECTORY_ENTRIES = 8192;

/** Names in a directory, at most 8,192; none when there is no such directory. */
export async function listNames(directory: string, files: FileOperations = systemFiles): Promise<string[]> {
	const names: string[] = [];
	try {
		for await (const entry of await files.opendir(directory)) {
			names.push(entry.name);
			if (names.length >= MAX_DIRECTORY_ENTRIES) break;
		}
	} catch {
		// A directory that can't be listed has no peers to show: the same as an empty one.
	}
	return names;
}

/** Instance ids that have a registration file, at most 512, in no particular order. */
export async function listInstanceIds(paths: PeerPaths, files: FileOperations = systemFiles): Promise<string[]> {
	const names = await listNames(paths.peersDirectory, files);
	const ids = names.flatMap((name) => /^([0-9a-f]{32})\.json$/.exec(name)?.[1] ?? []);
	return ids.slice(0, REGISTRATION_LIMITS.files);
}
