/**
 * Asks the person before sessions of other workspaces are cited.
 */
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { printableLine } from "../../projection/printable.ts";
import type { OutsideReference } from "../../references/index.ts";

/** How long a client of pi's RPC may take to answer, in ms: it may not know how to ask. */
const CLIENT_PATIENCE_MS = 60_000;
const LABEL_CODE_POINTS = 80;
const PLACE_CODE_POINTS = 120;

/** Whether the person agrees. Without a screen nobody can. */
export async function confirmOutside(
	{ hasUI, mode, ui }: Pick<ExtensionContext, "hasUI" | "mode" | "ui">,
	outside: readonly OutsideReference[],
	signal?: AbortSignal,
): Promise<boolean> {
	if (!hasUI) return false;
	const lines = outside.map(({ label, cwd }) => {
		const place = cwd === null ? "no directory" : printableLine(cwd, PLACE_CODE_POINTS);
		return `@${printableLine(label, LABEL_CODE_POINTS)} · ${place}`;
	});
	const text = ["What was said there goes to the model with this prompt:", ...lines].join("\n");
	return ui.confirm("Cite sessions of other workspaces?", text, {
		...(signal && { signal }),
		...(mode === "rpc" && { timeout: CLIENT_PATIENCE_MS }),
	});
}
