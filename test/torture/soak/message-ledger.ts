/**
 * The messages of a soak: what their senders were told, held against what stands in the logs.
 *
 * Promised is: what was refused is in no log; nothing is in a log twice; and what was submitted to a session that nothing
 * happened to is in its log once.
 */
import type { Place } from "./place.ts";
import { textOf } from "./place.ts";
import type { SeatSession } from "./seat-session.ts";
import { untilDefined, untilTrue } from "./until.ts";

/** In ms, on a machine that is busy. */
export interface LedgerPatience {
	/** What an undisturbed session may take to store what it was given. */
	readonly storing: number;
	/** How long a message may wait, and a little more. */
	readonly waiting: number;
}

const PATIENCE: LedgerPatience = { storing: 30_000, waiting: 40_000 };

/** What has to be known of whoever gets a message. */
export type Receiver = Pick<SeatSession, "disturbances" | "log">;

/** What a sender was told of a message. */
export interface ToldReceipt {
	readonly messageId: string;
	readonly code: string;
	readonly state: string;
}

/** What may be in the logs: nothing, at most one, or exactly one. */
type Promised = "none" | "once at most" | "once";

type AskState = () => Promise<string | undefined>;

/** A message that is followed. */
interface Journey {
	readonly receipt: ToldReceipt;
	readonly receiver: Receiver;
	/** Whether nothing has happened to the receiver since before the message was sent. */
	readonly isUndisturbed: () => boolean;
	readonly askState: AskState;
}

/** States of a message that waited and went nowhere. */
const DROPPED = /^(expired|dropped|injection_failed)/;

export class MessageLedger {
	readonly #place: Pick<Place, "logs">;
	readonly #patience: LedgerPatience;
	readonly #promises = new Map<string, Promised>();
	/** How often each code came back. */
	readonly codes = new Map<string, number>();
	readonly #open = new Set<Promise<void>>();

	constructor(place: Pick<Place, "logs">, patience: LedgerPatience = PATIENCE) {
		this.#place = place;
		this.#patience = patience;
	}

	get sent(): number {
		return this.#promises.size;
	}

	/** How many had to arrive and did. */
	get stored(): number {
		return [...this.#promises.values()].filter((promised) => promised === "once").length;
	}

	/** Notes what a sender was told; nothing is known of what happened to the receiver. */
	note({ messageId, code, state }: ToldReceipt): void {
		this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
		this.#promises.set(messageId, state === "refused" && code !== "duplicate" ? "none" : "once at most");
	}

	/**
	 * Notes what a sender was told, and follows the message to where it has to go.
	 * @param disturbances of the receiver, from before the message was sent
	 * @param askState what the receiver says of the message; undefined when it can't be asked any more
	 */
	follow(receipt: ToldReceipt, receiver: Receiver, disturbances: number, askState: AskState): void {
		this.note(receipt);
		const isUndisturbed = () => receiver.disturbances === disturbances && disturbances % 2 === 0;
		const journey = { receipt, receiver, isUndisturbed, askState };
		const following = this.#follow(journey).finally(() => this.#open.delete(following));
		this.#open.add(following);
	}

	/** Resolves when every message that is followed has arrived, or need not arrive any more. */
	async settled(): Promise<void> {
		while (this.#open.size > 0) await Promise.all(this.#open);
	}

	async #follow(journey: Journey): Promise<void> {
		const { receipt, receiver, isUndisturbed } = journey;
		const { messageId, state } = receipt;
		const end = state === "queued" ? await this.#afterWaiting(journey) : state;
		if (DROPPED.test(end)) this.#promises.set(messageId, "none");
		if (end !== "submitted") return;
		const isStored = () => receiver.log !== undefined && arrivedIn(receiver.log).includes(messageId);
		await untilTrue(() => isStored() || !isUndisturbed(), this.#patience.storing, 100);
		if (isUndisturbed()) this.#promises.set(messageId, "once");
	}

	/** What a message that waits comes to; `unknown` when the receiver was disturbed or doesn't tell. */
	async #afterWaiting({ isUndisturbed, askState }: Journey): Promise<string> {
		const end = await untilDefined(
			async () => {
				const state = (await askState()) ?? "unknown";
				return state === "queued" && isUndisturbed() ? undefined : state;
			},
			this.#patience.waiting,
			300,
		);
		return isUndisturbed() ? (end ?? "unknown") : "unknown";
	}

	/** What the logs hold against what was promised; empty when all is well. */
	broken(): string[] {
		const counts = new Map<string, number>();
		for (const log of this.#place.logs()) {
			for (const id of arrivedIn(log)) counts.set(id, (counts.get(id) ?? 0) + 1);
		}
		const broken: string[] = [];
		for (const [messageId, promised] of this.#promises) {
			const count = counts.get(messageId) ?? 0;
			const isKept = promised === "none" ? count === 0 : promised === "once" ? count === 1 : count <= 1;
			if (!isKept) broken.push(`Message ${messageId} is in the logs ${count} times; promised: ${promised}.`);
		}
		return broken;
	}
}

/** Ids of the messages that arrived in a session, by its log. */
function arrivedIn(log: string): string[] {
	const lines = (textOf(log) ?? "").split("\n").filter((line) => line.includes('"customType":"cross-session"'));
	return lines.flatMap((line) => arrivedId(line) ?? []);
}

function arrivedId(line: string): string | undefined {
	try {
		const entry = JSON.parse(line) as { type?: string; details?: { messageId?: string } };
		return entry.type === "custom_message" ? entry.details?.messageId : undefined;
	} catch {
		// The writer is at it.
		return undefined;
	}
}
