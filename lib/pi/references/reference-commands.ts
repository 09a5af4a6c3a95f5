/**
 * What a person can do about references without completion: `/reference` finds a session and puts its mention into the
 * editor, `/take-back` returns prompts that wait.
 */
import type { ExtensionAPI, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { printableLine } from "../../projection/printable.ts";
import {
	formatSessionReferenceMention,
	type ReferenceCandidate,
	SessionReferenceError,
} from "../../references/index.ts";
import { formatAge } from "../foreign-text.ts";
import type { HostParts } from "../incarnation.ts";
import { type CommandHost, overIncarnation } from "../incarnation-command.ts";
import { tellPerson } from "../tell-person.ts";
import type { PromptReferences } from "./prompt-references.ts";

const REFERENCE_COMMAND = "reference";
const TAKE_BACK_COMMAND = "take-back";

/** Key of a status that is never set. */
const NO_STATUS = "cross-session-reference";

/** Sessions to choose from, at most: a dialog does not scroll everywhere. */
const MAX_CHOICES = 20;
const LABEL_CODE_POINTS = 60;
const PLACE_CODE_POINTS = 60;

/** Registers the commands over the incarnation that is up when one is used. */
export function registerReferenceCommands(
	pi: Pick<ExtensionAPI, "registerCommand">,
	host: CommandHost,
	prompts: Pick<PromptReferences, "takeBack">,
): void {
	pi.registerCommand(REFERENCE_COMMAND, {
		description: "Cite another session: find it by title, directory or id",
		handler: overIncarnation(host, chooseReference),
	});
	pi.registerCommand(TAKE_BACK_COMMAND, {
		description: "Return the prompts that wait with their references to the editor",
		handler: async (_argument, context) => prompts.takeBack(context),
	});
}

async function chooseReference(context: ExtensionCommandContext, parts: HostParts, search: string): Promise<void> {
	let candidates: ReferenceCandidate[];
	try {
		const listed = await parts.references.listCandidates(parts.caller, search, undefined, parts.fence);
		candidates = listed.slice(0, MAX_CHOICES);
	} catch (error) {
		if (parts.fence.aborted) return;
		const text =
			error instanceof SessionReferenceError ? error.message : "The sessions could not be listed. Try again.";
		tellPerson(context, text, "error");
		return;
	}
	if (candidates.length === 0) {
		tellPerson(context, "No session matches. Search by a part of its title, directory or id.", "info");
	} else if (context.hasUI) {
		await insertChoice(candidates, context);
	} else {
		// Without a screen there is no editor: the mentions are for the next prompt's text.
		tellPerson(context, candidates.map(formatSessionReferenceMention).join("\n"), "info");
	}
}

async function insertChoice(candidates: readonly ReferenceCandidate[], { ui }: ExtensionCommandContext): Promise<void> {
	const choices = candidates.map((candidate, index) => choiceText(candidate, index, Date.now()));
	const chosen = candidates[choices.indexOf((await ui.select("Cite which session?", choices)) ?? "")];
	if (chosen === undefined) return;
	const draft = ui.getEditorText();
	const gap = draft === "" || /\s$/.test(draft) ? "" : " ";
	ui.setEditorText(`${draft}${gap}${formatSessionReferenceMention(chosen)} `);
	// pi does not draw what was put into its editor until it draws something else: a status makes it, even one that is not.
	ui.setStatus(NO_STATUS, undefined);
}

/** Numbered, because two sessions may have one title. */
function choiceText({ label, cwd, changedAt }: ReferenceCandidate, index: number, now: number): string {
	const place = cwd === null ? "no directory" : printableLine(cwd, PLACE_CODE_POINTS);
	return `${index + 1}. ${printableLine(label, LABEL_CODE_POINTS)} · ${formatAge(now - changedAt)} · ${place}`;
}
