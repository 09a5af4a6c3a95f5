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

/** What an undisturbed session may take to store what it was given, in ms, on a machine that is busy. */
const STORING_MS = 30_000;
/** How long a message may wait, and a little more, in ms. */
const WAITING_MS = 40_000;

/** What a sender was told of a message. */
export interface ToldReceipt {
	readonly messageId: string;
	readonly code: string;
	readonly state: string;
}

/** What may be in the logs: nothing, at most one, or exactly one. */
type Promised = "none" | "once at most" | "once";

/** States of a message that waited and went nowhere. */
const DROPPED = /^(expired|dropped|injection_failed)/;

export class MessageLedger {
	readonly #place: Place;
	readonly #promises = new Map<string, Promised>();
	/** How often each code came back. */
	readonly codes = new Map<string, number>();
	readonly #open = new Set<Promise<void>>();

	constructor(place: Place) {
		this.#place = place;
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
	follow(
		receipt: ToldReceipt,
		receiver: SeatSession,
		disturbances: number,
		askState: () => Promise<string | undefined>,
	): void {
		this.note(receipt);
		const isUndisturbed = () => receiver.disturbances === disturbances && disturbances % 2 === 0;
		const following = this.#follow(receipt, receiver, isUndisturbed, askState).finally(() =>
			this.#open.delete(following),
		);
		this.#open.add(following);
	}

	/** Resolves when every message that is followed has arrived, or need not arrive any more. */
	async settled(): Promise<void> {
		while (this.#open.size > 0) await Promise.all(this.#open);
	}

	async #follow(
		{ messageId, state }: ToldReceipt,
		receiver: SeatSession,
		isUndisturbed: () => boolean,
		askState: () => Promise<string | undefined>,
	): Promise<void> {
		if (state === "refused" || state === "receipt_unknown") return;
		const isGivenUp = () => !isUndisturbed();
		if (state === "queued") {
			const isOver = (answer: string) => answer !== "queued";
			const end = await untilDefined(
				async () => {
					if (isGivenUp()) return "unknown";
					const answer = (await askState()) ?? "unknown";
					return isOver(answer) ? answer : undefined;
				},
				WAITING_MS,
				300,
			);
			if (isGivenUp()) return;
			if (end !== undefined && DROPPED.test(end)) this.#promises.set(messageId, "none");
			if (end !== "submitted") return;
		}
		const log = receiver.log;
		const isStored = () => log !== undefined && countIn(log, messageId) > 0;
		await untilTrue(() => isStored() || isGivenUp(), STORING_MS, 100);
		if (isUndisturbed()) this.#promises.set(messageId, "once");
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

function countIn(log: string, messageId: string): number {
	return arrivedIn(log).filter((id) => id === messageId).length;
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
