/**
 * Who began the present logical turn.
 *
 * Inputs are only promises: a later handler may swallow or change them, and another extension's run may come first. So
 * they are kept as pending, and the first message of the run that isn't a system message decides, once. Nothing that
 * happens afterwards in the same turn changes the answer.
 */
import { matchPrompt } from "./prompt-text.ts";
import type { InputAuthor, TurnMessage, TurnSource } from "./turn-events.ts";

/** More inputs than this are never open at once in practice; the oldest goes. */
const MAX_PENDING_INPUTS = 32;

interface PendingInput {
	readonly author: InputAuthor;
	readonly text: string;
	readonly images: boolean;
	/** The expanded prompt that pi announced for it; null before that. */
	readonly prepared: string | null;
	/** A later input came while nothing was going on: probably swallowed, so only its own text still speaks for it. */
	readonly stale: boolean;
	/** It has outlived a turn already. */
	readonly carried: boolean;
}

const sourceOf: Record<InputAuthor, TurnSource> = { user: "user", extension: "unknown" };

export class Provenance {
	#pending: readonly PendingInput[] = [];
	#decided: TurnSource | null = null;
	#submission: string | null = null;

	/** The source of the turn; `unknown` until its first message has decided. */
	get source(): TurnSource {
		return this.#decided ?? "unknown";
	}

	get decided(): boolean {
		return this.#decided !== null;
	}

	/** The submission that began the turn, if one did. */
	get submission(): string | null {
		return this.#submission;
	}

	/** A prompt of which pi has announced the start, but not yet shown the message. */
	get prepared(): boolean {
		return this.#pending.some((input) => input.prepared !== null);
	}

	/** `fresh`: nothing at all was going on, so an older input that pi hasn't prepared is probably gone. */
	addInput(input: { author: InputAuthor; text: string; images: boolean }, fresh: boolean): void {
		const older = fresh ? this.#pending.map((one) => ({ ...one, stale: one.prepared === null })) : this.#pending;
		const { author, text, images } = input;
		const added: PendingInput = { author, text, images, prepared: null, stale: false, carried: false };
		this.#pending = [...older, added].slice(-MAX_PENDING_INPUTS);
	}

	/** pi announced the run of a user prompt: its text after all changes is bound to the input it came from. */
	prepare(prompt: string): void {
		const open = this.#pending.filter((input) => input.prepared === null);
		const input = open.findLast((one) => matchPrompt(one, prompt) === "same") ?? soleAuthored(open);
		if (input === undefined) return;
		this.#pending = this.#pending.map((one) => (one === input ? { ...one, prepared: prompt, stale: false } : one));
	}

	/** Decides with the first message that isn't a system message; later ones change nothing. */
	messageStarted(message: TurnMessage): void {
		if (this.#decided !== null || message.role === "system") return;
		this.#decided = this.#judge(message);
	}

	/** Starts over for the next turn. A prompt that pi has announced outlives one turn that came in between. */
	next(): void {
		const kept = this.#pending.filter((input) => input.prepared !== null && !input.carried);
		this.#pending = kept.map((input) => ({ ...input, carried: true }));
		this.#decided = null;
		this.#submission = null;
	}

	#judge(message: TurnMessage): TurnSource {
		if (message.role === "submission") {
			this.#submission = message.submission;
			return "peer";
		}
		if (message.role !== "user") return "unknown";
		const matching = this.#pending.filter((input) => couldHaveBecome(input, message.text));
		const newest = matching.at(-1);
		if (newest === undefined) return "unknown";
		this.#pending = this.#pending.filter((input) => input !== newest);
		const rivals = matching.some((input) => input.author !== newest.author && !input.stale);
		return rivals ? "unknown" : sourceOf[newest.author];
	}
}

function couldHaveBecome(input: PendingInput, text: string): boolean {
	if (input.prepared !== null) return matchPrompt({ text: input.prepared, images: input.images }, text) === "same";
	const match = matchPrompt(input, text);
	return match === "same" || (match === "possible" && !input.stale);
}

/** The newest of these inputs when one author gave all of them: a text that another handler changed is then theirs. */
function soleAuthored(inputs: readonly PendingInput[]): PendingInput | undefined {
	const newest = inputs.at(-1);
	return inputs.every((input) => input.author === newest?.author) ? newest : undefined;
}
