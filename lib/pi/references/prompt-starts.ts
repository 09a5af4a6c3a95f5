/**
 * Which of the inputs that were let through a starting turn belongs to, so that what was prepared for one prompt never
 * goes with another.
 *
 * pi says nothing of the kind: a prompt may be swallowed by another extension or fail without any event, and its text
 * may have been expanded or changed before its turn starts. So all inputs are taken down, also those with nothing
 * prepared. Pure.
 */

/** Inputs that may be open at once; the oldest goes. In practice there is one. */
const MAX_OPEN = 16;

/** When an input came, by any steady clock, and whether it was typed at the terminal, where one comes after the other. */
export interface InputArrival {
	readonly at: number;
	readonly typed: boolean;
}

interface OpenInput<Prepared> {
	readonly text: string;
	readonly prepared: Prepared | null;
	readonly arrival: InputArrival;
}

export class PromptStarts<Prepared> {
	#open: readonly OpenInput<Prepared>[] = [];

	/**
	 * Whether an input is open that came after `since`. Of those typed at the terminal only the ones until `typedUntil`
	 * count: what is typed later does not start earlier.
	 */
	isOpen(since: number, typedUntil: number): boolean {
		return this.#open.some(({ arrival: { at, typed } }) => at > since && (!typed || at <= typedUntil));
	}

	/** An input goes on to pi with this text. */
	open(text: string, prepared: Prepared | null, arrival: InputArrival): void {
		this.#open = [...this.#open, { text, prepared, arrival }].slice(-MAX_OPEN);
	}

	/**
	 * What was prepared for the prompt whose turn starts; null when nothing was. `prompt` is its text as pi expanded it.
	 * Inputs that came before it are over: pi starts one turn at a time.
	 */
	start(prompt: string): Prepared | null {
		const input = this.#inputOf(prompt);
		if (input === undefined) return null;
		this.#open = this.#open.slice(this.#open.indexOf(input) + 1);
		return input.prepared;
	}

	clear(): void {
		this.#open = [];
	}

	#inputOf(prompt: string): OpenInput<Prepared> | undefined {
		return (
			this.#open.findLast(({ text }) => text === prompt) ??
			this.#open.findLast(({ text }) => isSkillOf(text, prompt)) ??
			// A template, or another extension, has made another text of it: then only the newest can be meant.
			this.#open.at(-1)
		);
	}
}

/** Whether pi makes this prompt of that command: `/skill:name …` becomes a block with the name in front. */
function isSkillOf(command: string, prompt: string): boolean {
	const name = /^\/skill:(\S+)/.exec(command)?.[1];
	return name !== undefined && prompt.startsWith(`<skill name="${name}" `);
}
