/**
 * Long texts on a screen: an editor breaks them wherever it has to, so they are compared without their blanks.
 */
import type { Terminal } from "./terminal.ts";

const CLEAR = "\u0015";

const withoutBlanks = (text: string | readonly string[]) => [text].flat().join("").replaceAll(/\s/g, "");

/** Whether a text can be seen, on one line or on several. */
export const shows = (screen: readonly string[], text: string) => withoutBlanks(screen).includes(withoutBlanks(text));

/** Waits until a text can be seen, on one line or on several. */
export const waitForWrapped = (terminal: Terminal, text: string) =>
	terminal.waitFor((screen) => shows(screen, text), JSON.stringify(text));

/** Clears the line in pi's editor and waits until what was typed can't be seen any more. */
export async function clear(terminal: Terminal, typed: string): Promise<void> {
	terminal.press(CLEAR);
	await terminal.waitFor((screen) => !shows(screen, typed), "an empty editor");
}
