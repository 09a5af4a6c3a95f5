/** The event of a message that arrived: what listeners get, and whose claim counts. */
import { EventEmitter } from "node:events";
import { createEventBus } from "@earendil-works/pi-coding-agent";
import { describe, expect, it, vi } from "vitest";
import { type Bus, createBus, fromEventEmitter } from "../../lib/contract/bus.ts";
import { isReceivedMessage, RECEIVED_TOPIC, type ReceivedMessage } from "../../lib/contract/received.ts";
import { peerPaths } from "../../lib/peers/paths.ts";
import { type AnnouncedMessage, ReceivedAnnouncer } from "../../lib/rpc/received-announcer.ts";
import { local, ProbeBus } from "../contract/probe-bus.ts";
import { registrationFor } from "../peers/temporary-peers.ts";

const sender = registrationFor(peerPaths("/agent"));

const message: AnnouncedMessage = {
	messageId: "m1",
	text: "The parser is yours now.",
	summary: "parser",
	sentAt: 1_700_000_000_000,
	sender,
	capabilities: ["cancel-safe-queue-v1", "another"],
};
const legacy: AnnouncedMessage = { ...message, capabilities: [] };

const announcer = (bus: Bus) => new ReceivedAnnouncer(bus, local);
const claim = { handled: true } as const;

/** Listens with something that gets the event as its type says. */
function listen(bus: Bus, listener: (received: ReceivedMessage) => void): void {
	bus.on(RECEIVED_TOPIC, (data) => {
		if (!isReceivedMessage(data)) throw new Error("not a received message");
		listener(data);
	});
}

const buses: [string, () => Bus][] = [
	["pi's bus", createEventBus],
	["a mitt bus", () => createBus()],
	["a bus over Node's emitter", () => fromEventEmitter(new EventEmitter())],
];

describe("the event", () => {
	it("tells who sent what, without the secret", () => {
		const bus = new ProbeBus();
		announcer(bus).announce(message);
		const [event] = bus.dataOn(RECEIVED_TOPIC);
		const { token, ...source } = sender;
		const { sender: _, capabilities: __, ...told } = message;
		const expected = { version: 1, local, source: { ...source, ref: sender.instanceId.slice(0, 8) }, ...told };
		expect(event).toEqual({ ...expected, canHandle: true, reply: expect.any(Function) });
		expect(JSON.stringify(event)).not.toContain(token);
		expect(isReceivedMessage(event)).toBe(true);
	});

	it("is frozen to its depth, the envelope and the way to claim too", () => {
		const bus = new ProbeBus();
		const payload = Object.freeze({ list: Object.freeze([1]) });
		const bridge = Object.freeze({
			version: 1,
			origin: "o",
			correlationId: "c",
			expiresAt: 1,
			hops: 0,
			budget: 1,
			payload,
		});
		announcer(bus).announce(message, bridge as Parameters<ReceivedAnnouncer["announce"]>[1]);
		const seen: unknown[] = bus.dataOn(RECEIVED_TOPIC);
		for (const value of seen) {
			expect(Object.isFrozen(value)).toBe(true);
			const inner = Object.values(value as object).filter(
				(one) => typeof one === "object" || typeof one === "function",
			);
			seen.push(...inner);
		}
		expect(seen.length).toBe(7);
		expect(bus.dataOn(RECEIVED_TOPIC)).toMatchObject([{ bridge }]);
	});

	it("can't be changed for the next listener", () => {
		const bus = createBus();
		const texts: string[] = [];
		listen(bus, (received) => {
			Object.assign(received, { text: "other" });
		});
		listen(bus, ({ text, source }) => texts.push(text, source.name));
		announcer(bus).announce(message);
		expect(texts).toEqual([message.text, sender.name]);
	});

	it.each([undefined, null, "text", {}, new Proxy({}, { get: () => message.text.at(-1) })])(
		"is told from what else may be emitted on its topic: %#",
		(data) => expect(isReceivedMessage(data)).toBe(false),
	);
});

describe.each(buses)("a claim on %s", (_name, makeBus) => {
	it("is won by the first listener that makes it while it is told, and by nobody else", () => {
		const bus = makeBus();
		const answers: boolean[] = [];
		listen(bus, () => {});
		listen(bus, ({ reply }) => answers.push(reply(claim), reply(claim)));
		listen(bus, ({ reply }) => answers.push(reply(claim)));
		expect(announcer(bus).announce(message)).toBe(true);
		expect(answers).toEqual([true, false, false]);
	});

	it("that comes after an await is too late, also when nobody else claimed", async () => {
		const bus = makeBus();
		const late = Promise.withResolvers<boolean>();
		listen(bus, async ({ reply }) => {
			await null;
			late.resolve(reply(claim));
		});
		expect(announcer(bus).announce(message)).toBe(false);
		await expect(late.promise).resolves.toBe(false);
	});

	it("of a message that was claimed stays taken for who comes later", async () => {
		const bus = makeBus();
		let claimLater = (): boolean => true;
		listen(bus, ({ reply }) => {
			claimLater = () => reply(claim);
		});
		listen(bus, ({ reply }) => void reply(claim));
		expect(announcer(bus).announce(message)).toBe(true);
		expect(claimLater()).toBe(false);
	});

	it("of a sender that does not know of claims fails", () => {
		const bus = makeBus();
		const seen: unknown[] = [];
		listen(bus, ({ canHandle, reply }) => seen.push(canHandle, reply(claim)));
		expect(announcer(bus).announce(legacy)).toBe(false);
		expect(seen).toEqual([false, false]);
	});

	it("is not disturbed by listeners that throw, before it and after it", () => {
		const bus = makeBus();
		// What pi does with a listener's error is to print it.
		const printed = vi.spyOn(console, "error").mockImplementation(() => {});
		const fail = (): never => {
			throw new Error("a listener's own fault");
		};
		const answers: boolean[] = [];
		listen(bus, fail);
		listen(bus, ({ reply }) => {
			answers.push(reply(claim));
			fail();
		});
		listen(bus, ({ reply }) => answers.push(reply(claim)));
		expect(announcer(bus).announce(message)).toBe(true);
		expect(answers).toEqual([true, false]);
		printed.mockRestore();
	});
});

it.each([undefined, null, {}, { handled: false }, { handled: 1 }, true, "handled"])(
	"only { handled: true } is a claim, not %o",
	(answer) => {
		const bus = createBus();
		const answers: boolean[] = [];
		listen(bus, ({ reply }) => answers.push(reply(answer as typeof claim)));
		expect(announcer(bus).announce(message)).toBe(false);
		expect(answers).toEqual([false]);
	},
);

it("a hostile claim neither throws at its listener nor wins twice", () => {
	const bus = createBus();
	const answers: boolean[] = [];
	listen(bus, ({ reply }) => {
		const throwing = Object.defineProperty({}, "handled", {
			get() {
				throw new Error("getter");
			},
		});
		answers.push(reply(throwing as typeof claim));
		const nested = Object.defineProperty({}, "handled", {
			get() {
				answers.push(reply(claim));
				return true;
			},
		});
		answers.push(reply(nested as typeof claim));
	});
	expect(announcer(bus).announce(message)).toBe(true);
	expect(answers).toEqual([false, true, false]);
});

it("a bus that can't carry the event any more loses no message and no claim", () => {
	const probe = new ProbeBus();
	const stale: Bus = {
		emit(topic, data) {
			probe.emit(topic, data);
			throw new Error("stale");
		},
		on: (topic, handler) => probe.on(topic, handler),
	};
	expect(announcer(stale).announce(message)).toBe(false);
	listen(stale, ({ reply }) => void reply(claim));
	expect(announcer(stale).announce(message)).toBe(true);
});
