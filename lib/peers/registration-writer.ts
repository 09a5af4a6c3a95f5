/**
 * Keeping one incarnation's registration file true.
 *
 * Promise: writes come one after the other and each is whole (exclusive private temporary file, then a rename); a fenced
 * incarnation writes nothing any more, not even what it had begun; after `remove()` neither file nor timer is left. A
 * refresh that fails ends the refreshing and is reported once.
 */
import { constants } from "node:fs";
import { type CancelTimer, type Clock, systemClock } from "./clock.ts";
import { type PeerPaths, registrationPath, temporaryRegistrationPath } from "./paths.ts";
import { PeerError } from "./peer-error.ts";
import { errorCode, type FileOperations, systemFiles } from "./private-files.ts";
import { REGISTRATION_LIMITS, type Registration, registrationSchema } from "./registration.ts";

export interface RegistrationWriterOptions {
	readonly paths: PeerPaths;
	readonly instanceId: string;
	/** The registration as it is now. Called before each write; may throw when the session can't be asked any more. */
	readonly describe: () => Registration;
	/** Aborted as soon as another incarnation takes over or this one ends. */
	readonly fence: AbortSignal;
	/** Told once when a refresh failed. By then the refreshing has stopped. */
	readonly onFailure: (error: PeerError) => void;
	readonly clock?: Clock;
	readonly files?: FileOperations;
}

export class RegistrationWriter {
	readonly #options: RegistrationWriterOptions;
	readonly #clock: Clock;
	readonly #files: FileOperations;
	/** The last write that was asked for; settles when all before it have. Never rejects. */
	#queue: Promise<void> = Promise.resolve();
	/** A write that waits and hasn't looked at the session yet: a further refresh has nothing to add to it. */
	#waiting: Promise<void> | null = null;
	#cancelHeartbeat: CancelTimer = () => {};
	#ended = false;

	constructor(options: RegistrationWriterOptions) {
		this.#options = options;
		this.#clock = options.clock ?? systemClock;
		this.#files = options.files ?? systemFiles;
	}

	/** Writes the registration for the first time and begins to refresh it. Throws a {@link PeerError}. */
	async start(): Promise<void> {
		await this.#enqueue();
		this.#scheduleHeartbeat();
	}

	/** Writes the registration anew after a change. Never throws; a failure is reported and ends the refreshing. */
	async refresh(): Promise<void> {
		if (this.#isOver()) return;
		try {
			await this.#enqueue();
		} catch (error) {
			this.#fail(error);
		}
	}

	/** Ends the refreshing and removes the file, after the write that may be under way. Repeated calls do nothing. */
	async remove(): Promise<void> {
		this.#ended = true;
		this.#cancelHeartbeat();
		await this.#queue;
		await this.#files.unlink(registrationPath(this.#options.paths, this.#options.instanceId)).catch(ignoreMissing);
	}

	#scheduleHeartbeat(): void {
		if (this.#isOver()) return;
		this.#cancelHeartbeat = this.#clock.after(REGISTRATION_LIMITS.refreshMilliseconds, () => {
			void this.refresh().then(() => this.#scheduleHeartbeat());
		});
	}

	#enqueue(): Promise<void> {
		if (this.#waiting !== null) return this.#waiting;
		const write = this.#queue.then(() => {
			this.#waiting = null;
			return this.#write();
		});
		this.#waiting = write;
		this.#queue = write.catch(() => {});
		return write;
	}

	async #write(): Promise<void> {
		if (this.#isOver()) return;
		const registration = this.#describe();
		const text = serialize(registration);
		const { paths, instanceId } = this.#options;
		const temporary = temporaryRegistrationPath(paths, instanceId, registration);
		try {
			await this.#writeWhole(temporary, text);
			if (this.#isOver()) return await this.#discard(temporary);
			await this.#files.rename(temporary, registrationPath(paths, instanceId));
		} catch (error) {
			await this.#discard(temporary);
			throw new PeerError("registration_failed", error);
		}
	}

	async #writeWhole(path: string, text: string): Promise<void> {
		const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
		const handle = await this.#files.open(path, flags, 0o600);
		try {
			await handle.writeFile(text);
		} finally {
			await handle.close();
		}
	}

	#describe(): Registration {
		let described: Registration;
		try {
			described = this.#options.describe();
		} catch (error) {
			throw new PeerError("session_stale", error);
		}
		const checked = registrationSchema.safeParse(described);
		if (!checked.success) throw new PeerError("unregistrable");
		return checked.data;
	}

	async #discard(temporary: string): Promise<void> {
		await this.#files.unlink(temporary).catch(() => {});
	}

	#fail(error: unknown): void {
		if (this.#isOver()) return;
		this.#ended = true;
		this.#cancelHeartbeat();
		this.#options.onFailure(error instanceof PeerError ? error : new PeerError("registration_failed", error));
	}

	#isOver(): boolean {
		return this.#ended || this.#options.fence.aborted;
	}
}

function serialize(registration: Registration): string {
	const text = `${JSON.stringify(registration)}\n`;
	if (Buffer.byteLength(text) > REGISTRATION_LIMITS.fileBytes) throw new PeerError("unregistrable");
	return text;
}

function ignoreMissing(error: unknown): void {
	if (errorCode(error) !== "ENOENT") throw error;
}
