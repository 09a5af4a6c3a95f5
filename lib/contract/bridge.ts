/**
 * Bridge envelopes: what adapters of several sessions say to each other inside of messages.
 *
 * Promise: such a text is read only by whoever claims it, lives 30 seconds at most, and every hop leaves it less: more
 * hops, a smaller budget, never a later expiry. What `parseBridge` gives is checked, bounded and frozen to its depth.
 */
import * as z from "zod";
import { freezeTree, isHarmlessTree } from "./frozen-tree.ts";
import { requestIdSchema } from "./identifiers.ts";
import { parseJson } from "./parse-json.ts";

/** How a text begins that is an envelope; one JSON object follows. Nothing else about a text makes it one. */
export const BRIDGE_PREFIX = "cross-session:bridge:v1\n";

export const BRIDGE_LIMITS = Object.freeze({
	/** Milliseconds from now to the expiry, at most. */
	lifetime: 30_000,
	/** Hops that an envelope may have behind it. */
	hops: 4,
	/** Steps that it may have before it. */
	budget: 256,
	/** Levels of lists and objects in a payload. */
	payloadDepth: 32,
});

export const bridgeEnvelopeSchema = z.object({
	version: z.literal(1),
	/** Who began it: an id that the adapters agree on. */
	origin: requestIdSchema,
	/** What it belongs to; the same on every hop. */
	correlationId: requestIdSchema,
	/** Epoch milliseconds: later than now, and 30 seconds at most. */
	expiresAt: z.int(),
	/** 0 to 4; 0 as its origin sends it. */
	hops: z.int().min(0).max(BRIDGE_LIMITS.hops),
	/** 1 to 256. */
	budget: z.int().min(1).max(BRIDGE_LIMITS.budget),
	/** Any JSON value, up to 32 levels deep: foreign data, like every text. */
	payload: z.custom<BridgePayload>((value) => value !== undefined && isHarmlessTree(value, BRIDGE_LIMITS.payloadDepth)),
});

export type BridgePayload =
	| string
	| number
	| boolean
	| null
	| readonly BridgePayload[]
	| { readonly [key: string]: BridgePayload };

export type BridgeEnvelope = Readonly<z.infer<typeof bridgeEnvelopeSchema>>;

/** Why there is no envelope. */
export type BridgeErrorCode = "invalid_bridge" | "expired" | "budget_exhausted";

const bridgeFaults: Readonly<Record<BridgeErrorCode, { readonly message: string; readonly next: string }>> = {
	invalid_bridge: {
		message: "The bridge envelope is malformed, or its expiry lies more than 30 seconds ahead.",
		next: "Correct its fields and build a new one.",
	},
	expired: {
		message: "The bridge envelope's expiry has passed.",
		next: "Let it go; if the matter is still open, its origin begins a new one.",
	},
	budget_exhausted: {
		message: "The bridge envelope has no hop or no budget left.",
		next: "Do not forward it; answer its origin, or let it go.",
	},
};

/** Tell it apart by `code`: packages never share a module instance. */
export class BridgeError extends Error {
	readonly code: BridgeErrorCode;
	readonly state = "refused";
	readonly retryable = false;
	/** What to do now. */
	readonly next: string;

	constructor(code: BridgeErrorCode) {
		super(bridgeFaults[code].message);
		this.name = "BridgeError";
		this.code = code;
		this.next = bridgeFaults[code].next;
	}
}

/** Whether the text is reserved for envelopes: it never becomes a message for a model, right or wrong. */
export function isBridgeText(text: string): boolean {
	return text.startsWith(BRIDGE_PREFIX);
}

/**
 * Reads the envelope of a text.
 * @param now epoch milliseconds
 * @throws {BridgeError} `invalid_bridge` or `expired`
 */
export function parseBridge(text: string, now: number = Date.now()): BridgeEnvelope {
	if (!isBridgeText(text)) throw new BridgeError("invalid_bridge");
	return freezeTree(checkEnvelope(parseJson(text.slice(BRIDGE_PREFIX.length)), now));
}

/**
 * The text that carries an envelope.
 * @param now epoch milliseconds
 * @throws {BridgeError} `invalid_bridge` or `expired`, as the receiver would find it
 * @example
 * const text = formatBridge({
 * 	version: 1, origin: "planner", correlationId: "task-7", expiresAt: Date.now() + 10_000, hops: 0, budget: 8,
 * 	payload: { ask: "status" },
 * });
 */
export function formatBridge(envelope: BridgeEnvelope, now: number = Date.now()): string {
	return `${BRIDGE_PREFIX}${JSON.stringify(checkEnvelope(envelope, now))}`;
}

/**
 * The envelope for the next hop: one hop more, one unit of budget less, everything else (the payload too) the same.
 * @param now epoch milliseconds
 * @throws {BridgeError} `budget_exhausted` when no hop or no budget is left; `expired`; `invalid_bridge`
 */
export function forwardEnvelope(envelope: BridgeEnvelope, now: number = Date.now()): BridgeEnvelope {
	const { hops, budget, ...rest } = checkEnvelope(envelope, now);
	if (hops >= BRIDGE_LIMITS.hops || budget <= 1) throw new BridgeError("budget_exhausted");
	return Object.freeze({ ...rest, hops: hops + 1, budget: budget - 1 });
}

function checkEnvelope(value: unknown, now: number): BridgeEnvelope {
	const envelope = readEnvelope(value);
	if (envelope === undefined || envelope.expiresAt > now + BRIDGE_LIMITS.lifetime) {
		throw new BridgeError("invalid_bridge");
	}
	if (envelope.expiresAt <= now) throw new BridgeError("expired");
	return envelope;
}

/** The checked value, without fields that no envelope has; undefined for what is none, or can't even be read. */
function readEnvelope(value: unknown): BridgeEnvelope | undefined {
	try {
		return bridgeEnvelopeSchema.safeParse(value).data;
	} catch {
		return undefined;
	}
}
