/**
 * Decides, for every user message seen live, whether a person wrote it, and has that written beside its entry.
 *
 * It errs to one side only: `user` is said when a person's input of that very text was seen and nothing else could have
 * become this message. A message without any open input gets no mark at all, since nothing is known about it.
 */
import type { InputMark, MarkSource } from "../contract/input-mark.ts";
import { matchPrompt } from "./prompt-text.ts";
import type { InputAuthor } from "./turn-events.ts";

/** An input that joins no running turn and became nothing for this long, in ms, becomes nothing any more. */
export const INPUT_AGE_MS = 600_000;

/** More inputs than this are never open at once in practice; the oldest goes. */
const MAX_OPEN_INPUTS = 64;

export interface ObservedInput {
	readonly author: InputAuthor;
	readonly text: string;
	/** Images came with it. */
	readonly images: boolean;
	/** It waits in pi's own queue for a running turn. */
	readonly steering: boolean;
	/** Epoch milliseconds, like the timestamps of messages. */
	readonly at: number;
}

/** A user message as pi shows it live. */
export interface LiveUserMessage {
	/** The very object of the event; its entry will hold the same one. */
	readonly identity: object;
	readonly text: string;
	/** Epoch milliseconds at which pi made the message; null when it doesn't say. */
	readonly timestamp: number | null;
}

/** The session's log as far as marks need it. */
export interface MarkLog {
	/** The stored entry that holds this very message object, with the text that it has now; null while there is none. */
	findEntry(identity: object): { readonly id: string; readonly text: string } | null;
	/** Appends a mark. Throws when it could not. */
	write(mark: InputMark): void;
}

interface UnstoredVerdict {
	readonly message: LiveUserMessage;
	readonly source: MarkSource;
}

export class InputAttestor {
	readonly #log: MarkLog;
	#open: readonly ObservedInput[] = [];
	/** Texts that two different authors had open at once, until the session is idle. */
	#contested = new Set<string>();
	#unstored: readonly UnstoredVerdict[] = [];

	constructor(log: MarkLog) {
		this.#log = log;
	}

	/** An `input` event was seen. */
	inputSeen(input: ObservedInput): void {
		const open = this.#open.filter((other) => other.steering || input.at - other.at < INPUT_AGE_MS);
		const rivals = open.some((other) => other.text === input.text && other.author !== input.author);
		if (rivals) this.#contested.add(input.text);
		this.#open = [...open, input].slice(-MAX_OPEN_INPUTS);
	}

	/** A user message was seen in `message_start`. Its mark is written by a later {@link writeMarks}. */
	messageSeen(message: LiveUserMessage): void {
		const source = this.#judge(message);
		if (source !== null) this.#unstored = [...this.#unstored, { message, source }];
	}

	/**
	 * Writes the marks of messages that are stored by now: to be called in `context` and in every `message_start`.
	 *
	 * What the log refuses is tried again the next time, until the turn has settled. False when it refused any.
	 */
	writeMarks(): boolean {
		const outcomes = this.#unstored.map((verdict) => ({ verdict, outcome: this.#writeMark(verdict) }));
		this.#unstored = outcomes.filter(({ outcome }) => outcome !== "written").map(({ verdict }) => verdict);
		return outcomes.every(({ outcome }) => outcome !== "refused");
	}

	/**
	 * The turn is over: what was not used by now was swallowed, and no text is contested any more. False when the log
	 * refused a mark for the last time.
	 */
	settled(): boolean {
		const accepted = this.writeMarks();
		this.#open = [];
		this.#contested.clear();
		this.#unstored = [];
		return accepted;
	}

	/** The source to attest; null when no observed input could be this message. */
	#judge(message: LiveUserMessage): MarkSource | null {
		const candidates = this.#open.filter((input) => isCandidate(input, message));
		if (candidates.length === 0) return null;
		const matching = newestFirst(candidates, message.text);
		const chosen = matching[0];
		// Something is open, but this is no text of it: another handler has changed one of them, nobody knows which.
		if (chosen === undefined) return "unclear";
		this.#open = this.#open.filter((input) => input !== chosen);
		const rivals = matching.some((input) => input.author !== chosen.author);
		if (rivals) for (const input of matching) this.#contested.add(input.text);
		return rivals || this.#contested.has(chosen.text) ? "unclear" : chosen.author;
	}

	/** `early`: the entry is not there yet. */
	#writeMark({ message, source }: UnstoredVerdict): "written" | "early" | "refused" {
		const entry = this.#log.findEntry(message.identity);
		if (entry === null) return "early";
		// A handler may have put another text into the message after it was seen: that one is nobody's.
		const attested = source === "user" && entry.text !== message.text ? "unclear" : source;
		try {
			this.#log.write({ v: 1, kind: "input", source: attested, entry: entry.id });
			return "written";
		} catch {
			return "refused";
		}
	}
}

function isCandidate(input: ObservedInput, message: LiveUserMessage): boolean {
	if (message.timestamp === null) return true;
	if (input.at > message.timestamp) return false;
	return input.steering || message.timestamp - input.at < INPUT_AGE_MS;
}

/** The inputs that this text speaks for; where none does, those that an expansion could have made it. */
function newestFirst(candidates: readonly ObservedInput[], text: string): readonly ObservedInput[] {
	const graded = candidates.toReversed().map((input) => ({ input, match: matchPrompt(input, text) }));
	const same = graded.filter(({ match }) => match === "same");
	const matching = same.length > 0 ? same : graded.filter(({ match }) => match === "possible");
	return matching.map(({ input }) => input);
}
