/**
 * What became of the messages that were admitted, as their senders and the person may ask.
 *
 * Promise: at most 256, the oldest forgotten first; a forgotten or foreign message is `unknown`, which claims nothing.
 */
import type { MessageState } from "../contract/message-outcomes.ts";
import type { Clock } from "../peers/clock.ts";
import { qualify } from "./admission.ts";

const MAX_STATES = 256;

export interface MessageRecord {
	readonly messageId: string;
	/** The sender's instance id. */
	readonly source: string;
	readonly state: MessageState;
	/** Epoch milliseconds. */
	readonly updatedAt: number;
	/** A fixed text about how it went, where there is something to say. */
	readonly diagnostic?: string;
}

export class MessageStates {
	readonly #clock: Pick<Clock, "now">;
	readonly #records = new Map<string, MessageRecord>();

	constructor(clock: Pick<Clock, "now">) {
		this.#clock = clock;
	}

	/** Notes the newest state of a message. Without a `diagnostic`, an earlier one goes. */
	set(source: string, messageId: string, state: MessageState, diagnostic?: string): void {
		const updatedAt = this.#clock.now();
		const record = { messageId, source, state, updatedAt, ...(diagnostic === undefined ? {} : { diagnostic }) };
		this.#records.set(qualify(source, messageId), Object.freeze(record));
		if (this.#records.size <= MAX_STATES) return;
		const [oldest] = this.#records.keys();
		if (oldest !== undefined) this.#records.delete(oldest);
	}

	/** The state of a message of this very sender. */
	get(source: string, messageId: string): MessageState {
		return this.#records.get(qualify(source, messageId))?.state ?? "unknown";
	}

	/** All that is kept, the oldest message first. */
	list(): MessageRecord[] {
		return [...this.#records.values()];
	}
}
