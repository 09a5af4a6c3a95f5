/**
 * What a start acquired so far, and giving all of it back.
 *
 * Promise: everything acquired is released exactly once, the newest first, also when a later step or another release
 * fails. The owner of a start has one of these; whoever adds to it need not know the others.
 */

export type Release = () => void | Promise<void>;

export class ReleaseStack {
	readonly #releases: Release[] = [];
	#released: Promise<unknown[]> | null = null;

	/** Adds what gives the newest acquisition back. After the release it is given back at once. */
	add(release: Release): void {
		if (this.#released === null) this.#releases.push(release);
		else void attempt(release, []);
	}

	/** Acquires something and adds what gives it back. */
	async acquire<Resource>(
		open: () => Resource | Promise<Resource>,
		close: (resource: Resource) => void | Promise<void>,
	) {
		const resource = await open();
		this.add(() => close(resource));
		return resource;
	}

	/** Releases everything; resolves with what the releases threw. Repeated calls wait for the first. */
	releaseAll(): Promise<unknown[]> {
		this.#released ??= this.#release();
		return this.#released;
	}

	async #release(): Promise<unknown[]> {
		const failures: unknown[] = [];
		for (let release = this.#releases.pop(); release !== undefined; release = this.#releases.pop()) {
			await attempt(release, failures);
		}
		return failures;
	}
}

async function attempt(release: Release, failures: unknown[]): Promise<void> {
	try {
		await release();
	} catch (error) {
		failures.push(error);
	}
}
