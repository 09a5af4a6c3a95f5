/**
 * A prompt in which the person cites other sessions, and how it comes back to them when it can't be sent.
 */
import type { ExtensionContext, InputEvent } from "@earendil-works/pi-coding-agent";
import { parseSessionReferenceMentions, type SessionReference } from "../../references/index.ts";
import { type Severity, tellQuietly } from "../tell-person.ts";

type Images = NonNullable<InputEvent["images"]>;

export interface CitedPrompt {
	/** As it was typed, with its mentions. */
	readonly typed: string;
	/** As the model reads it: `@label` for each mention. */
	readonly text: string;
	readonly images: Images;
	readonly references: readonly SessionReference[];
	/** Sessions of other workspaces that the person has agreed to cite in it. */
	readonly confirmed: Set<string>;
}

/**
 * The prompt of an input; null when it cites nothing.
 * @throws SessionReferenceError for a mention that is malformed
 */
export function readCitedPrompt({ text: typed, images = [] }: Pick<InputEvent, "text" | "images">): CitedPrompt | null {
	const { text, references } = parseSessionReferenceMentions(typed);
	return references.length === 0 ? null : { typed, text, images, references, confirmed: new Set() };
}

type Screen = Pick<ExtensionContext, "hasUI" | "ui">;

/** Why prompts come back. */
export interface GiveBackReason {
	readonly text: string;
	readonly severity: Severity;
}

/**
 * Puts prompts into the editor, below what is being typed there, and tells the person why. Without a screen the process
 * ends with a failure. Never throws: the session may be over.
 */
export function giveBack(
	screen: Screen,
	prompts: readonly Pick<CitedPrompt, "typed" | "images">[],
	{ text, severity }: GiveBackReason,
): void {
	if (prompts.length === 0) return;
	if (!screenIsThere(screen)) {
		process.exitCode = 1;
		tellQuietly(screen, text, severity);
		return;
	}
	const isBack = putBack(
		screen,
		prompts.map(({ typed }) => typed),
	);
	const images = prompts.reduce((count, prompt) => count + prompt.images.length, 0);
	const whichAre = prompts.length > 1 ? "prompts are" : "prompt is";
	const where = isBack ? ` The ${whichAre} back in the editor.` : "";
	const lost = images > 0 ? ` Attach its ${images === 1 ? "image" : `${images} images`} again.` : "";
	tellQuietly(screen, `${text}${where}${lost}`, severity);
}

function screenIsThere(screen: Screen): boolean {
	try {
		return screen.hasUI;
	} catch {
		return false;
	}
}

function putBack({ ui }: Screen, texts: readonly string[]): boolean {
	try {
		const parts = [ui.getEditorText(), ...texts];
		ui.setEditorText(parts.filter((part) => part.trim() !== "").join("\n\n"));
		return true;
	} catch {
		return false;
	}
}
