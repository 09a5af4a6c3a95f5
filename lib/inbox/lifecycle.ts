/**
 * One session's incarnations, one after the other.
 *
 * Promise: entering a start or a stop fences the incarnation before it in the same instant; what was begun is finished
 * and released before the next begins; a start that was overtaken while it waited does not run at all. Nothing of an
 * incarnation outlives its failed start.
 */
import { PeerError } from "../peers/peer-error.ts";
import { ReleaseStack } from "./release-stack.ts";

/** What a start gets: its fence, and where to put what it acquires. */
export interface IncarnationScope {
	/** Aborted as soon as this incarnation is not the current one any more. */
	readonly fence: AbortSignal;
	readonly releases: ReleaseStack;
	/** Ends this incarnation from inside: fences it at once, and resolves when everything is released. */
	end(): Promise<void>;
}

/** An incarnation as its owner holds it. */
class Tenure {
	readonly fence = new AbortController();
	readonly releases = new ReleaseStack();

	close(): void {
		this.fence.abort(new PeerError("superseded"));
	}
}

export class Lifecycle {
	#current: Tenure | null = null;
	#queue: Promise<void> = Promise.resolve();

	/**
	 * Ends the current incarnation and starts another. A start that throws has released everything by the time this
	 * rejects. Rejects with `superseded` when another start or a stop came before it was done.
	 */
	start<Incarnation>(open: (scope: IncarnationScope) => Promise<Incarnation>): Promise<Incarnation> {
		const previous = this.#fenceCurrent();
		const tenure = new Tenure();
		this.#current = tenure;
		return this.#enqueue(async () => {
			await previous?.releases.releaseAll();
			return this.#open(tenure, open);
		});
	}

	/** Ends the current incarnation, whatever it is doing, and releases what it holds. Repeated calls do nothing more. */
	stop(): Promise<void> {
		const previous = this.#fenceCurrent();
		return this.#enqueue(async () => {
			await previous?.releases.releaseAll();
		});
	}

	async #open<Incarnation>(tenure: Tenure, open: (scope: IncarnationScope) => Promise<Incarnation>) {
		const { fence, releases } = tenure;
		try {
			fence.signal.throwIfAborted();
			const incarnation = await open({ fence: fence.signal, releases, end: () => this.#end(tenure) });
			fence.signal.throwIfAborted();
			return incarnation;
		} catch (error) {
			tenure.close();
			await releases.releaseAll();
			throw error;
		}
	}

	#end(tenure: Tenure): Promise<void> {
		tenure.close();
		return this.#enqueue(async () => {
			await tenure.releases.releaseAll();
		});
	}

	#fenceCurrent(): Tenure | null {
		const previous = this.#current;
		this.#current = null;
		previous?.close();
		return previous;
	}

	#enqueue<Result>(task: () => Promise<Result>): Promise<Result> {
		const run = this.#queue.then(task);
		this.#queue = run.then(
			() => {},
			() => {},
		);
		return run;
	}
}
