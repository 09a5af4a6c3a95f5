/**
 * pi's own event bus, watched: who listens to what, and a way to make a topic fail.
 */
import { createEventBus, type EventBus } from "@earendil-works/pi-coding-agent";
import { rpcTopics } from "../../../lib/contract/index.ts";

/** What `listeners()` tells where this many incarnations answer the RPC. */
export function rpcListeners(incarnations = 1): Record<string, number> {
	return Object.fromEntries(Object.keys(rpcTopics).map((topic) => [topic, incarnations]));
}

export class CountingBus implements EventBus {
	readonly #bus = createEventBus();
	readonly #listeners = new Map<string, number>();
	readonly #refused = new Set<string>();
	/** Calls that were made to fail. */
	refusals = 0;

	emit(topic: string, data: unknown): void {
		this.#failWhereRefused(topic);
		this.#bus.emit(topic, data);
	}

	on(topic: string, handler: (data: unknown) => void): () => void {
		this.#failWhereRefused(topic);
		const unsubscribe = this.#bus.on(topic, handler);
		this.#count(topic, 1);
		let active = true;
		return () => {
			if (active) this.#count(topic, -1);
			active = false;
			unsubscribe();
		};
	}

	/** From now on subscribing to the topic and emitting on it throws. */
	refuse(topic: string): void {
		this.#refused.add(topic);
	}

	/** Ends what `refuse` began. */
	allow(topic: string): void {
		this.#refused.delete(topic);
	}

	/** How many listen to each topic that anybody listens to, by name. */
	listeners(): Record<string, number> {
		return Object.fromEntries([...this.#listeners].sort());
	}

	#failWhereRefused(topic: string): void {
		if (!this.#refused.has(topic)) return;
		this.refusals += 1;
		throw new Error(`The topic ${topic} fails in this test.`);
	}

	#count(topic: string, change: number): void {
		const count = (this.#listeners.get(topic) ?? 0) + change;
		if (count === 0) this.#listeners.delete(topic);
		else this.#listeners.set(topic, count);
	}
}
