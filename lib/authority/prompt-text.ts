/**
 * Tells whether a user message may be what became of an input.
 *
 * pi expands some prompts between the `input` event and the stored message: a skill command becomes a block, a
 * template becomes its text, images that were resized add a hint. Skills and hints can be recognised; a template can't,
 * so an input that begins with a slash can only be said to be possible.
 */

/** An input as far as its text goes. */
export interface PromptText {
	readonly text: string;
	/** Images came with it. */
	readonly images: boolean;
}

/** `same`: this input, beyond doubt as far as text shows; `possible`: an expansion could have made it; `other`: no. */
export type PromptMatch = "same" | "possible" | "other";

/** The hints that pi appends about images it converted, resized or left out, one a line. */
const imageHint = /^\[Image(?:: original | converted from | omitted: )[^\n]*\]$/;

/** The text without the image hints at its end. */
function withoutImageHints(text: string): string {
	const end = text.lastIndexOf("\n\n");
	if (end < 0) return text;
	const lines = text.slice(end + 2).split("\n");
	return lines.every((line) => imageHint.test(line)) ? text.slice(0, end) : text;
}

const skillOpening = /^<skill name="([^"\n]+)" location="[^"\n]+">\n/;
const skillClosing = "\n</skill>";

/** Whether `text` is the block that `/skill:name arguments` becomes. */
function isSkillExpansion(command: string, text: string): boolean {
	const name = skillOpening.exec(text)?.[1];
	if (name === undefined) return false;
	const rest = command.slice(`/skill:${name}`.length);
	if (command !== `/skill:${name}${rest}` || (rest !== "" && !rest.startsWith(" "))) return false;
	const written = rest.trim();
	return text.endsWith(written === "" ? skillClosing : `${skillClosing}\n\n${written}`);
}

/** Compares an input with the text of a user message. */
export function matchPrompt(input: PromptText, messageText: string): PromptMatch {
	if (input.text === messageText) return "same";
	const text = input.images ? withoutImageHints(messageText) : messageText;
	if (input.text === text) return "same";
	if (!input.text.startsWith("/")) return "other";
	return isSkillExpansion(input.text, text) ? "same" : "possible";
}
