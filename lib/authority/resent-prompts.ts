/**
 * Prompts of a person that this package held back and hands to pi again.
 *
 * pi reports them as an extension's input, since an extension sent them. Announcing one just before it is sent makes
 * the next extension input of that very text count as the person's.
 */
import type { InputAuthor } from "./turn-events.ts";

/** Where pi says an input came from. */
export type PiInputSource = "interactive" | "rpc" | "extension";

export class ResentPrompts {
	#announced: string[] = [];

	/** To be called right before the prompt is handed to pi. */
	announce(text: string): void {
		this.#announced.push(text);
	}

	/** Takes an announcement back: handing the prompt over failed. */
	withdraw(text: string): void {
		this.#take(text);
	}

	/** Whose input this is. Uses up the announcement it matches. */
	authorOf(source: PiInputSource, text: string): InputAuthor {
		if (source !== "extension") return "user";
		return this.#take(text) ? "user" : "extension";
	}

	/** Forgets what was announced but never came. */
	clear(): void {
		this.#announced = [];
	}

	#take(text: string): boolean {
		const index = this.#announced.indexOf(text);
		if (index < 0) return false;
		this.#announced.splice(index, 1);
		return true;
	}
}
