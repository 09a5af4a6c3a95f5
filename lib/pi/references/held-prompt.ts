/**
 * The way of a prompt that has to wait until pi can start a turn with it.
 *
 * Promise: it is let go only when its own user message has started. Until then it can be given back, except in the
 * moment in which pi is already starting it, and it is handed to pi at most once at a time. Pure: no pi, no clock.
 */

/**
 * `waiting`: for pi. `preparing`: its snapshot is being read. `submitted`: handed to pi, which has not announced it as an
 * input yet. `entered`: pi has it and checks it. `announced`: its turn is about to begin.
 */
export type HeldState = "waiting" | "preparing" | "submitted" | "entered" | "announced";

/** Where the way ends: its message is in the session, or the person has the prompt back. */
export type HeldEnd = "started" | "returned";

export type HeldEvent =
	/** pi is free. */
	| "prepare"
	/** pi is not free any more. */
	| "postpone"
	| "submit"
	/** Its input event was seen. */
	| "enter"
	/** Its turn begins. */
	| "announce"
	/** Its user message is there. */
	| "start"
	/** It can't go: a reference failed, or pi did not take it. */
	| "refuse"
	/** pi has been quiet for too long. */
	| "stall"
	/** A turn has settled in which its message did not come. */
	| "settle"
	/** The person wants it back. */
	| "recall"
	/** A run was cancelled, or the session ends. */
	| "abandon";

type Transitions = { readonly [Event in HeldEvent]?: HeldState | HeldEnd };

const transitions: Readonly<Record<HeldState, Transitions>> = {
	waiting: { prepare: "preparing", recall: "returned", abandon: "returned" },
	preparing: {
		submit: "submitted",
		postpone: "waiting",
		refuse: "returned",
		recall: "returned",
		abandon: "returned",
	},
	submitted: {
		enter: "entered",
		postpone: "waiting",
		refuse: "returned",
		stall: "returned",
		recall: "returned",
		abandon: "returned",
	},
	entered: { announce: "announced", stall: "returned", abandon: "returned" },
	announced: { start: "started", settle: "returned", abandon: "returned" },
};

/** Where an event leads; null when it means nothing in that state. */
export function nextHeldState(state: HeldState, event: HeldEvent): HeldState | HeldEnd | null {
	return transitions[state][event] ?? null;
}

interface HeldEntry<Prompt> {
	readonly prompt: Prompt;
	state: HeldState;
}

/** The prompts that wait, in the order in which they were typed. One at a time is on its way. */
export class HeldPrompts<Prompt extends object> {
	#entries: readonly HeldEntry<Prompt>[] = [];

	/** All of them, oldest first. */
	get prompts(): readonly Prompt[] {
		return this.#entries.map(({ prompt }) => prompt);
	}

	/** The one whose turn it is; null while another one is on its way, and when none waits. */
	get next(): Prompt | null {
		const [first] = this.#entries;
		return first?.state === "waiting" ? first.prompt : null;
	}

	/** The one that is on its way; null when none is. */
	get current(): Prompt | null {
		const [first] = this.#entries;
		return first === undefined || first.state === "waiting" ? null : first.prompt;
	}

	hold(prompt: Prompt): void {
		this.#entries = [...this.#entries, { prompt, state: "waiting" }];
	}

	/** Null for a prompt that is not held (any more). */
	stateOf(prompt: Prompt): HeldState | null {
		return this.#entries.find((entry) => entry.prompt === prompt)?.state ?? null;
	}

	/** Where the event led this prompt; null when it meant nothing. */
	apply(prompt: Prompt, event: HeldEvent): HeldState | HeldEnd | null {
		const entry = this.#entries.find((held) => held.prompt === prompt);
		const next = entry ? nextHeldState(entry.state, event) : null;
		if (entry === undefined || next === null) return null;
		if (next === "started" || next === "returned") this.#entries = this.#entries.filter((held) => held !== entry);
		else entry.state = next;
		return next;
	}

	/** Applies the event to all; those that are to be given back by it, oldest first. */
	applyToAll(event: HeldEvent): Prompt[] {
		return this.prompts.filter((prompt) => this.apply(prompt, event) === "returned");
	}
}
