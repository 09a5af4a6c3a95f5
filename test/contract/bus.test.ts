/** What every adapter promises, run against each of them. */
import { EventEmitter } from "node:events";
import mittModule, { type Emitter } from "mitt";
import { describe, expect, it, vi } from "vitest";
import { type Bus, type BusOptions, createBus, fromEventEmitter, fromMitt } from "../../lib/contract/bus.ts";
import { requestRpc } from "../../lib/contract/request-rpc.ts";
import { PEER_CONTEXT_TOPIC } from "../../lib/contract/topics.ts";
import { answerWith, contextReply, contextRequest } from "./probe-bus.ts";

const mitt = mittModule as unknown as typeof mittModule.default;

/** An adapter over a new emitter, with the emitter's own way to subscribe and emit. */
interface Subject {
	readonly bus: Bus;
	onEmitter(topic: string, handler: (data: unknown) => void): void;
	emitOnEmitter(topic: string, data: unknown): void;
	topicsLeft(): number;
}

const subjects: Record<string, (options?: BusOptions) => Subject> = {
	fromMitt(options) {
		const emitter: Emitter<Record<string, unknown>> = mitt();
		return {
			bus: fromMitt(emitter, options),
			onEmitter: (topic, handler) => emitter.on(topic, handler),
			emitOnEmitter: (topic, data) => emitter.emit(topic, data),
			topicsLeft: () => emitter.all.size,
		};
	},
	fromEventEmitter(options) {
		const emitter = new EventEmitter();
		return {
			bus: fromEventEmitter(emitter, options),
			onEmitter: (topic, handler) => void emitter.on(topic, handler),
			emitOnEmitter: (topic, data) => void emitter.emit(topic, data),
			topicsLeft: () => emitter.eventNames().length,
		};
	},
};

const fail = () => {
	throw new Error("handler");
};

describe.each(Object.entries(subjects))("%s", (_name, create) => {
	it("delivers to every handler of the topic, in order, before emit returns", () => {
		const { bus } = create();
		const heard: unknown[] = [];
		bus.on("t", (data) => heard.push(["first", data]));
		bus.on("t", (data) => heard.push(["second", data]));
		bus.on("other", (data) => heard.push(["other", data]));
		bus.emit("t", 1);
		expect(heard).toEqual([
			["first", 1],
			["second", 1],
		]);
	});

	it("lets no handler that throws or rejects stop another, and tells who wants to know", async () => {
		const onHandlerError = vi.fn();
		const { bus } = create({ onHandlerError });
		const heard = vi.fn();
		bus.on("t", fail);
		bus.on("t", async () => fail());
		bus.on("t", heard);
		bus.emit("t", 1);
		await Promise.resolve();
		expect(heard).toHaveBeenCalledOnce();
		expect(onHandlerError.mock.calls).toEqual([
			[new Error("handler"), "t"],
			[new Error("handler"), "t"],
		]);
	});

	it("survives somebody who throws when told of an error", () => {
		const { bus } = create({ onHandlerError: fail });
		const heard = vi.fn();
		bus.on("t", fail);
		bus.on("t", heard);
		expect(() => bus.emit("t", 1)).not.toThrow();
		expect(heard).toHaveBeenCalledOnce();
	});

	it("isolates handlers that were set on the emitter itself", () => {
		const { bus, onEmitter } = create();
		const heard = vi.fn();
		onEmitter("t", fail);
		bus.on("t", heard);
		expect(() => bus.emit("t", 1)).not.toThrow();
		expect(heard).toHaveBeenCalledWith(1);
	});

	it("hears what is emitted on the emitter itself, and throws nothing into it", () => {
		const { bus, emitOnEmitter } = create();
		const heard = vi.fn();
		bus.on("t", fail);
		bus.on("t", heard);
		expect(() => emitOnEmitter("t", 1)).not.toThrow();
		expect(heard).toHaveBeenCalledWith(1);
	});

	it("does not call a handler that was unsubscribed earlier in the same emit, and still calls the others", () => {
		const { bus } = create();
		const heard: string[] = [];
		bus.on("t", () => {
			heard.push("first");
			offFirst();
			offSecond();
		});
		const offFirst = bus.on("t", () => heard.push("removed"));
		const offSecond = bus.on("t", () => heard.push("removed too"));
		bus.on("t", () => heard.push("last"));
		bus.emit("t", 1);
		expect(heard).toEqual(["first", "last"]);
	});

	it("calls a handler that was added during an emit from the next one on", () => {
		const { bus } = create();
		const heard = vi.fn();
		const off = bus.on("t", () => {
			off();
			bus.on("t", heard);
		});
		bus.emit("t", 1);
		expect(heard).not.toHaveBeenCalled();
		bus.emit("t", 2);
		expect(heard.mock.calls).toEqual([[2]]);
	});

	it("keeps two subscriptions of one function apart, and unsubscribes each once", () => {
		const { bus } = create();
		const heard = vi.fn();
		const off = bus.on("t", heard);
		bus.on("t", heard);
		off();
		off();
		bus.emit("t", 1);
		expect(heard).toHaveBeenCalledOnce();
	});

	it("leaves nothing of a topic behind, however many requests were made", async () => {
		const { bus, topicsLeft } = create();
		const stop = answerWith(bus, contextReply);
		for (const id of ["a", "b", "c"]) await requestRpc(bus, PEER_CONTEXT_TOPIC, contextRequest(id));
		expect(topicsLeft()).toBe(1);
		stop();
		expect(topicsLeft()).toBe(0);
	});
});

it("fromMitt still tells those who listen to everything", () => {
	const emitter: Emitter<Record<string, unknown>> = mitt();
	const heard = vi.fn();
	emitter.on("*", heard);
	fromMitt(emitter).emit("t", 1);
	expect(heard.mock.calls).toEqual([["t", 1]]);
});

it("fromEventEmitter honours listeners for one time", () => {
	const emitter = new EventEmitter();
	const heard = vi.fn();
	emitter.once("t", heard);
	const bus = fromEventEmitter(emitter);
	bus.emit("t", 1);
	bus.emit("t", 2);
	expect(heard.mock.calls).toEqual([[1]]);
});

it("fromEventEmitter treats the topic named error like any other", () => {
	expect(() => fromEventEmitter(new EventEmitter()).emit("error", new Error("data"))).not.toThrow();
});

it("createBus makes buses that share nothing", () => {
	const [left, right] = [createBus(), createBus()];
	const heard = vi.fn();
	left.on("t", heard);
	right.emit("t", 1);
	left.emit("t", 2);
	expect(heard.mock.calls).toEqual([[2]]);
});
