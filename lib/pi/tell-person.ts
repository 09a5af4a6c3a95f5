/**
 * One line to the person, wherever they are: on the screen, through an RPC client, or on stderr where neither exists.
 */
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

export type Severity = "info" | "warning" | "error";

/** Shows the line. Print and JSON mode have no place for notifications: there it goes to stderr, never into output. */
export function tellPerson(context: Pick<ExtensionContext, "hasUI" | "ui">, text: string, severity: Severity): void {
	if (context.hasUI) context.ui.notify(text, severity);
	else process.stderr.write(`${text}\n`);
}
