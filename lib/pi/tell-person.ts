/**
 * One line to the person, wherever they are: on the screen, through an RPC client, or on stderr where neither exists.
 */
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

export type Severity = "info" | "warning" | "error";

type Screen = Pick<ExtensionContext, "hasUI" | "ui">;

/** Shows the line. Print and JSON mode have no place for notifications: there it goes to stderr, never into output. */
export function tellPerson(context: Screen, text: string, severity: Severity): void {
	if (context.hasUI) context.ui.notify(text, severity);
	else process.stderr.write(`${text}\n`);
}

/** The same about something that has happened anyway: a person who can't be told any more must not change it. */
export function tellQuietly(context: Screen, text: string, severity: Severity): void {
	try {
		tellPerson(context, text, severity);
	} catch {
		// The session that would have shown it is gone.
	}
}
