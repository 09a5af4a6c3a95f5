/**
 * pi's event bus for as long as pi keeps the session.
 *
 * pi may drop a session without announcing it. From 0.84 on it then drops what the session's extensions listen to as well;
 * before, they would go on answering for a session that is gone. Here the first event that comes after the end reaches no
 * handler and ends every subscription.
 */
import type { Bus } from "../contract/bus.ts";
import { runIsolated } from "../contract/isolation.ts";

export class CurrentBus implements Bus {
	readonly #bus: Bus;
	readonly #requireCurrent: () => unknown;
	readonly #subscriptions = new Set<() => void>();

	/** @param requireCurrent throws once pi has dropped the session */
	constructor(bus: Bus, requireCurrent: () => unknown) {
		this.#bus = bus;
		this.#requireCurrent = requireCurrent;
	}

	emit(topic: string, data: unknown): void {
		this.#bus.emit(topic, data);
	}

	on(topic: string, handler: (data: unknown) => void): () => void {
		const unsubscribe = this.#bus.on(topic, (data) => {
			if (this.#isCurrent()) handler(data);
			else this.#endAll();
		});
		this.#subscriptions.add(unsubscribe);
		return () => {
			this.#subscriptions.delete(unsubscribe);
			unsubscribe();
		};
	}

	#isCurrent(): boolean {
		try {
			this.#requireCurrent();
			return true;
		} catch {
			return false;
		}
	}

	#endAll(): void {
		for (const unsubscribe of this.#subscriptions) runIsolated(unsubscribe);
		this.#subscriptions.clear();
	}
}
