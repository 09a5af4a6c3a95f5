/**
 * Registrations that were read and vetted before, as long as their files are the same to the last detail.
 *
 * A message costs two looks at registrations, its receiver's and its sender's; reading them anew each time would take
 * longer than the message itself. Promise: what is returned is what a fresh read would return: each write, rename,
 * change of mode or owner makes another file in this sense. Holds at most 512.
 */
import { type BigIntStats, lstatSync } from "node:fs";
import { type PeerPaths, registrationPath } from "./paths.ts";
import { REGISTRATION_LIMITS, type Registration } from "./registration.ts";
import { findRegistration } from "./registration-reading.ts";

interface CachedRegistration {
	readonly identity: string;
	readonly registration: Registration;
}

export class RegistrationCache {
	readonly #paths: PeerPaths;
	/** By instance id, the longest unused first. */
	readonly #entries = new Map<string, CachedRegistration>();

	constructor(paths: PeerPaths) {
		this.#paths = paths;
	}

	/** The vetted registration of an incarnation; null when there is none, or none to believe. */
	async find(instanceId: string): Promise<Registration | null> {
		const identity = this.#identify(instanceId);
		const known = this.#entries.get(instanceId);
		this.#entries.delete(instanceId);
		if (identity === null) return null;
		if (known?.identity === identity) return this.#keep(instanceId, known);
		const registration = await findRegistration(this.#paths, instanceId);
		// A file that was replaced while it was read is read again next time.
		if (registration === null || this.#identify(instanceId) !== identity) return registration;
		return this.#keep(instanceId, { identity, registration });
	}

	#keep(instanceId: string, entry: CachedRegistration): Registration {
		this.#entries.delete(instanceId);
		this.#entries.set(instanceId, entry);
		if (this.#entries.size > REGISTRATION_LIMITS.files) {
			const [oldest] = this.#entries.keys();
			if (oldest !== undefined) this.#entries.delete(oldest);
		}
		return entry.registration;
	}

	/** What tells this file from any other and from itself at any other time; null when it can't be looked at. */
	#identify(instanceId: string): string | null {
		try {
			// One look at one local entry takes microseconds; a trip through the thread pool takes many times that.
			return identityOf(lstatSync(registrationPath(this.#paths, instanceId), { bigint: true }));
		} catch {
			return null;
		}
	}
}

function identityOf({ dev, ino, size, mode, uid, mtimeNs, ctimeNs }: BigIntStats): string {
	return [dev, ino, size, mode, uid, mtimeNs, ctimeNs].join(":");
}
