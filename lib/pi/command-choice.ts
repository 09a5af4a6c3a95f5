/**
 * Commands whose argument is one of a few words.
 */

/**
 * Completions of such an argument; none for a word that is typed out, so that Enter runs the command instead of taking
 * the completion.
 */
export function completeChoice(choices: readonly string[], prefix: string): { value: string; label: string }[] {
	const typed = prefix.trim();
	return choices
		.filter((choice) => choice !== typed && choice.startsWith(typed))
		.map((choice) => ({ value: choice, label: choice }));
}
