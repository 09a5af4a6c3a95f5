/** Bridge envelopes as texts: what is one, what is refused, what a hop leaves of it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	BRIDGE_PREFIX,
	type BridgeEnvelope,
	formatBridge,
	forwardEnvelope,
	isBridgeText,
	parseBridge,
} from "../../lib/contract/bridge.ts";

const NOW = 1_700_000_000_000;

function envelope(changes: Record<string, unknown> = {}): BridgeEnvelope {
	const right = {
		version: 1,
		origin: "planner",
		correlationId: "task-7",
		expiresAt: NOW + 10_000,
		hops: 0,
		budget: 8,
		payload: { ask: "status", of: ["a", 1, null, true] },
	};
	return { ...right, ...changes } as BridgeEnvelope;
}

const textOf = (value: unknown) => BRIDGE_PREFIX + JSON.stringify(value);

/** What a call throws, as far as the contract says it. */
function failure(call: () => unknown): unknown {
	try {
		return call();
	} catch (error) {
		const { name, code, state, retryable, next } = error as Record<string, unknown>;
		return { name, code, state, retryable, next: typeof next };
	}
}

const refused = (code: string) => ({ name: "BridgeError", code, state: "refused", retryable: false, next: "string" });

describe("the text of an envelope", () => {
	it("comes back as it went, and frozen to its depth", () => {
		const parsed = parseBridge(formatBridge(envelope(), NOW), NOW);
		expect(parsed).toEqual(envelope());
		const { payload } = parsed as unknown as { payload: { of: unknown[] } };
		expect([parsed, payload, payload.of].map(Object.isFrozen)).toEqual([true, true, true]);
	});

	it("leaves what it was made from as it was", () => {
		const payload = { list: [1] };
		formatBridge(envelope({ payload }), NOW);
		payload.list.push(2);
		expect(payload.list).toEqual([1, 2]);
	});

	it("loses fields that no envelope has", () => {
		expect(parseBridge(textOf({ ...envelope(), more: 1 }), NOW)).toEqual(envelope());
	});

	it("is told by its exact beginning and by nothing else", () => {
		const json = JSON.stringify(envelope());
		expect(isBridgeText(BRIDGE_PREFIX)).toBe(true);
		const variants = [
			`cross-session:bridge:v1${json}`,
			`cross-session:bridge:v1\r\n${json}`,
			`cross-session:bridge:v2\n${json}`,
			`Cross-Session:bridge:v1\n${json}`,
			` ${BRIDGE_PREFIX}${json}`,
			`\ufeff${BRIDGE_PREFIX}${json}`,
			`\n${BRIDGE_PREFIX}${json}`,
			"cross-session:bridge:v1",
			json,
		];
		for (const variant of variants) {
			expect(isBridgeText(variant)).toBe(false);
			expect(failure(() => parseBridge(variant, NOW))).toEqual(refused("invalid_bridge"));
		}
	});
});

describe("an envelope's fields", () => {
	const bounds: [string, Record<string, unknown>][] = [
		["the last millisecond of its life", { expiresAt: NOW + 1 }],
		["30 seconds before its expiry", { expiresAt: NOW + 30_000 }],
		["with no hop behind it", { hops: 0 }],
		["with four hops behind it", { hops: 4 }],
		["with the smallest budget", { budget: 1 }],
		["with the largest budget", { budget: 256 }],
		["with ids of 128 characters", { origin: "a".repeat(128), correlationId: "Z_-9".repeat(32) }],
		["with a payload of null", { payload: null }],
		["with a payload of text", { payload: "\u2028" }],
		["with a payload 32 levels deep", { payload: nested(32) }],
	];
	it.each(bounds)("are right: %s", (_name, changes) => {
		expect(parseBridge(textOf(envelope(changes)), NOW)).toEqual(envelope(changes));
	});

	const wrong: [string, unknown][] = [
		["another version", envelope({ version: 2 })],
		["a version as text", envelope({ version: "1" })],
		["no origin", envelope({ origin: undefined })],
		["an origin that is no id", envelope({ origin: "a planner" })],
		["an origin of 129 characters", envelope({ origin: "a".repeat(129) })],
		["an empty correlation", envelope({ correlationId: "" })],
		["an expiry more than 30 seconds ahead", envelope({ expiresAt: NOW + 30_001 })],
		["an expiry between two milliseconds", envelope({ expiresAt: NOW + 0.5 })],
		["an expiry as text", envelope({ expiresAt: "soon" })],
		["a fifth hop", envelope({ hops: 5 })],
		["a hop below none", envelope({ hops: -1 })],
		["half a hop", envelope({ hops: 0.5 })],
		["no budget", envelope({ budget: 0 })],
		["a budget above the largest", envelope({ budget: 257 })],
		["no payload", envelope({ payload: undefined })],
		["a payload 33 levels deep", envelope({ payload: nested(33) })],
		["a list", [envelope()]],
		["null", null],
		["a text", "envelope"],
	];
	it.each(wrong)("are wrong: %s", (_name, value) => {
		expect(failure(() => parseBridge(textOf(value), NOW))).toEqual(refused("invalid_bridge"));
		expect(failure(() => formatBridge(value as BridgeEnvelope, NOW))).toEqual(refused("invalid_bridge"));
		expect(failure(() => forwardEnvelope(value as BridgeEnvelope, NOW))).toEqual(refused("invalid_bridge"));
	});

	it.each([NOW, NOW - 1, 0, -1])("have expired at %d", (expiresAt) => {
		expect(failure(() => parseBridge(textOf(envelope({ expiresAt })), NOW))).toEqual(refused("expired"));
		expect(failure(() => formatBridge(envelope({ expiresAt }), NOW))).toEqual(refused("expired"));
	});

	it("are checked against this moment unless another is given", () => {
		expect(failure(() => parseBridge(textOf(envelope())))).toEqual(refused("expired"));
		const expiresAt = Date.now() + 20_000;
		expect(parseBridge(formatBridge(envelope({ expiresAt })))).toEqual(envelope({ expiresAt }));
	});
});

describe("hostile data", () => {
	const texts: [string, string][] = [
		["no JSON", "{"],
		["two objects", `${JSON.stringify(envelope())}${JSON.stringify(envelope())}`],
		["a nesting that would exhaust a stack", JSON.stringify(envelope({ payload: 0 })).replace('"payload":0', deep())],
		["a key that reaches a prototype", JSON.stringify(envelope()).replace('"ask"', '"__proto__"')],
	];
	it.each(texts)("in a text is no envelope: %s", (_name, json) => {
		expect(failure(() => parseBridge(BRIDGE_PREFIX + json, NOW))).toEqual(refused("invalid_bridge"));
	});

	const trap = (): never => {
		throw new Error("secret");
	};
	const cycle: Record<string, unknown> = {};
	cycle.self = cycle;
	const shared = {};
	const payloads: [string, unknown][] = [
		["a cycle", cycle],
		["one object in two places", [shared, shared]],
		["a getter", Object.defineProperty({}, "a", { get: trap, enumerable: true })],
		["a proxy that throws", new Proxy({}, { ownKeys: trap, getPrototypeOf: trap })],
		["its own way to become JSON", { toJSON: () => "something else" }],
		["a class of its own", new (class Own {})()],
		["a date", new Date(0)],
		["a number that JSON has not", [Number.NaN]],
		["a big number", 1n],
		["a hole", { a: undefined }],
	];
	it.each(payloads)("in a payload is refused before it is sent: %s", (_name, payload) => {
		expect(failure(() => formatBridge(envelope({ payload }), NOW))).toEqual(refused("invalid_bridge"));
	});

	it("as a whole is refused without its error", () => {
		const hostile = new Proxy({}, { get: trap, has: trap }) as BridgeEnvelope;
		expect(failure(() => forwardEnvelope(hostile, NOW))).toEqual(refused("invalid_bridge"));
	});
});

describe("the next hop", () => {
	it("has one hop more, one unit less, and everything else the same", () => {
		const next = forwardEnvelope(envelope({ hops: 1, budget: 3 }), NOW);
		expect(next).toEqual(envelope({ hops: 2, budget: 2 }));
		expect(Object.isFrozen(next)).toBe(true);
	});

	it.each([{ hops: 4 }, { budget: 1 }, { hops: 4, budget: 1 }])("is none when it is spent: %o", (changes) => {
		expect(failure(() => forwardEnvelope(envelope(changes), NOW))).toEqual(refused("budget_exhausted"));
	});

	it("is none when its time has passed", () => {
		expect(failure(() => forwardEnvelope(envelope(), NOW + 10_000))).toEqual(refused("expired"));
	});

	it("ends every chain after four hops or as many as its budget allows, whichever comes first", () => {
		const start = fc.record({ hops: fc.integer({ min: 0, max: 4 }), budget: fc.integer({ min: 1, max: 256 }) });
		fc.assert(
			fc.property(start, ({ hops, budget }) => {
				let last = envelope({ hops, budget });
				let steps = 0;
				const forward = () => {
					last = forwardEnvelope(last, NOW);
					steps += 1;
				};
				while (failure(forward) === undefined) expect(parseBridge(formatBridge(last, NOW), NOW)).toEqual(last);
				expect(steps).toBe(Math.min(4 - hops, budget - 1));
			}),
		);
	});
});

it("any JSON payload of bounded depth comes back as it went", () => {
	const payload = fc.jsonValue({ maxDepth: 6 });
	fc.assert(
		fc.property(payload, (value) => {
			fc.pre(!JSON.stringify(value).includes('"__proto__"'));
			const sent = envelope({ payload: JSON.parse(JSON.stringify(value)) });
			expect(parseBridge(formatBridge(sent, NOW), NOW)).toEqual(sent);
		}),
	);
});

function nested(levels: number): unknown {
	let value: unknown = 0;
	for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { value };
	return value;
}

function deep(): string {
	return `"payload":${"[".repeat(200_000)}${"]".repeat(200_000)}`;
}
