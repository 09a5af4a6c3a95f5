/**
 * Hand-offs that were claimed, in memory: a bounded number, gone with the process.
 *
 * Promise: whoever asked for room before it claimed finds it. Nothing here survives a restart, and nothing says it did.
 */

/** A hand-off that another session's adapter sent. Foreign text. */
export interface Mail {
	/** The sender's instance id, as it was authenticated. */
	readonly from: string;
	/** The hand-off's id, chosen by its sender. */
	readonly handOff: string;
	readonly title: string;
	/** Epoch milliseconds. */
	readonly receivedAt: number;
}

/** Mails that one mailbox holds. */
export const MAILBOX_CAPACITY = 32;

export class Mailbox {
	readonly #mails = new Map<string, Mail>();

	get mails(): readonly Mail[] {
		return [...this.#mails.values()];
	}

	/** Whether a mail could be put in now: there is room, and it is not there already. */
	hasRoomFor(from: string, handOff: string): boolean {
		return this.#mails.size < MAILBOX_CAPACITY && !this.#mails.has(keyOf(from, handOff));
	}

	put(mail: Mail): void {
		this.#mails.set(keyOf(mail.from, mail.handOff), mail);
	}

	/** Takes a mail out by its hand-off's id; undefined when there is none. */
	take(handOff: string): Mail | undefined {
		const mail = this.mails.find((candidate) => candidate.handOff === handOff);
		if (mail !== undefined) this.#mails.delete(keyOf(mail.from, mail.handOff));
		return mail;
	}
}

/** An id means something only together with whoever chose it. */
function keyOf(from: string, handOff: string): string {
	return `${from}:${handOff}`;
}
