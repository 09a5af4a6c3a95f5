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

interface OpenInput<Prepared> {
	readonly text: string;
	readonly prepared: Prepared | null;
	readonly at: number;
}

export class PromptStarts<Prepared> {
	#open: readonly OpenInput<Prepared>[] = [];

	/** When the newest open input came; null when none is open. */
	get newestAt(): number | null {
		return this.#open.at(-1)?.at ?? null;
	}

	/** An input goes on to pi with this text. `at`: of any steady clock. */
	open(text: string, prepared: Prepared | null, at: number): void {
		this.#open = [...this.#open, { text, prepared, at }].slice(-MAX_OPEN);
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
