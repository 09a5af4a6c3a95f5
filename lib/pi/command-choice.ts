/**
 * Commands whose argument is one of a few words.
 */

/** Completions of such an argument. */
export function completeChoice(choices: readonly string[], prefix: string): { value: string; label: string }[] {
	return choices
		.filter((choice) => choice.startsWith(prefix.trim()))
		.map((choice) => ({ value: choice, label: choice }));
}
