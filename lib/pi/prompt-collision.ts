/**
 * A person's prompt that pi would refuse because a message of another session is just becoming a turn: it is given back.
 */
import type { ExtensionContext, InputEvent } from "@earendil-works/pi-coding-agent";
import { tellPerson } from "./tell-person.ts";

const REASON = "A message of another session was just being handed to pi, so your prompt was not sent.";

/** Puts the prompt back where it was written, before whatever is written there by now, and says why. */
export function giveBackPrompt({ text, images }: Pick<InputEvent, "text" | "images">, context: ExtensionContext): void {
	if (!context.hasUI) {
		// Nobody would see a prompt that was not run, were the run called a success.
		process.exitCode = 1;
		tellPerson(context, `${REASON} Run it again.`, "warning");
		return;
	}
	const draft = context.ui.getEditorText();
	context.ui.setEditorText(draft === "" ? text : `${text}\n${draft}`);
	const attached = images === undefined || images.length === 0 ? "" : " Its images have to be attached again.";
	tellPerson(context, `${REASON} It is back in the editor: send it again.${attached}`, "warning");
}
