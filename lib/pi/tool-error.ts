/**
 * What a model reads when a tool of this package refuses. pi shows it the message of the error that was thrown.
 */

/** The code, the fixed sentence, and what to do now. */
export function toToolError(refusal: {
	readonly code: string;
	readonly message: string;
	readonly next: string;
}): Error {
	return new Error(`${refusal.code}: ${refusal.message} ${refusal.next}`);
}
