/**
 * The bus that the RPC speaks over, and how other emitters become one.
 *
 * Promise of every adapter: a handler that throws or rejects stops no other and never throws out of `emit`; a handler
 * that was unsubscribed during an emit is not called any more, one that was added during it is called from the next
 * emit on; nothing of a topic stays behind after its last unsubscribe.
 */
import mittModule, { type Emitter, type EventHandlerList, type WildCardEventHandlerList } from "mitt";
import { runIsolated } from "./isolation.ts";

/** Two functions; pi's own `events` is one. */
export interface Bus {
	/** Calls every handler of the topic, in the order of their subscription, before it returns. */
	emit(topic: string, data: unknown): void;
	/** Subscribes, and returns the way to unsubscribe; calling that again does nothing. */
	on(topic: string, handler: (data: unknown) => void): () => void;
}

export interface BusOptions {
	/** Told of every handler that threw or rejected. Default: nobody is told. */
	readonly onHandlerError?: (error: unknown, topic: string) => void;
}

// mitt's declarations describe its CommonJS build, which has the function on a `default`; what really gets imported
// here, by Node's loader as by bundlers, is the function itself.
const mitt = mittModule as unknown as typeof mittModule.default;

/**
 * A new bus inside this process.
 * @example
 * const bus = createBus();
 * const off = bus.on("greeting", (data) => console.log(data));
 * bus.emit("greeting", "hello");
 * off();
 */
export function createBus(options: BusOptions = {}): Bus {
	return fromMitt(mitt<Record<string, unknown>>(), options);
}

/** A bus over a mitt emitter. Handlers set on the emitter itself hear the bus and are isolated too. */
export function fromMitt(emitter: Emitter<Record<string, unknown>>, options: BusOptions = {}): Bus {
	return {
		emit(topic, data) {
			// Not by the emitter's own emit, which ends at the first handler that throws.
			const handlers = emitter.all.get(topic) as EventHandlerList | undefined;
			const observers = emitter.all.get("*") as WildCardEventHandlerList | undefined;
			const calls = [
				...(handlers ?? []).map((handler) => () => handler(data)),
				...(observers ?? []).map((observer) => () => observer(topic, data)),
			];
			for (const call of calls) runReported(call, topic, options);
		},
		on(topic, handler) {
			const subscription = new Subscription(topic, handler, options);
			emitter.on(topic, subscription.deliver);
			return () => {
				if (!subscription.end()) return;
				emitter.off(topic, subscription.deliver);
				// mitt keeps an empty list for each topic it ever saw, and every request has a reply topic of its own.
				if (emitter.all.get(topic)?.length === 0) emitter.all.delete(topic);
			};
		},
	};
}

/** What is needed of Node's EventEmitter: declared here, so that this room knows no platform. */
export interface NodeEmitter {
	on(topic: string, listener: (data: unknown) => void): unknown;
	off(topic: string, listener: (data: unknown) => void): unknown;
	/** Listeners as they were set, those for one time included. */
	// biome-ignore lint/complexity/noBannedTypes: the type that Node declares
	rawListeners(topic: string): Function[];
}

/** A bus over a Node emitter. Listeners set on the emitter itself hear the bus and are isolated too. */
export function fromEventEmitter(emitter: NodeEmitter, options: BusOptions = {}): Bus {
	return {
		emit(topic, data) {
			// Not by the emitter's own emit, which ends at the first listener that throws.
			for (const listener of emitter.rawListeners(topic)) {
				runReported(() => Reflect.apply(listener, emitter, [data]), topic, options);
			}
		},
		on(topic, handler) {
			const subscription = new Subscription(topic, handler, options);
			emitter.on(topic, subscription.deliver);
			return () => {
				if (subscription.end()) emitter.off(topic, subscription.deliver);
			};
		},
	};
}

/** One handler on one topic. Emitters iterate over a copy of their list, so only it knows that it has ended. */
class Subscription {
	readonly #topic: string;
	readonly #handler: (data: unknown) => void;
	readonly #options: BusOptions;
	#active = true;

	constructor(topic: string, handler: (data: unknown) => void, options: BusOptions) {
		this.#topic = topic;
		this.#handler = handler;
		this.#options = options;
	}

	readonly deliver = (data: unknown): void => {
		if (this.#active) runReported(() => this.#handler(data), this.#topic, this.#options);
	};

	/** False when it had ended before. */
	end(): boolean {
		const wasActive = this.#active;
		this.#active = false;
		return wasActive;
	}
}

function runReported(action: () => unknown, topic: string, options: BusOptions): void {
	runIsolated(action, (error) => runIsolated(() => options.onHandlerError?.(error, topic)));
}
