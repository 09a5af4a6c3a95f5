/**
 * Opens the picker in pi's terminal, over the parts of the incarnation.
 */
import {
	copyToClipboard,
	type ExtensionCommandContext,
	type ExtensionUIContext,
} from "@earendil-works/pi-coding-agent";
import { ANSWER_DEADLINE_MS } from "../../contract/limits.ts";
import { systemClock } from "../../peers/clock.ts";
import { MAX_CANDIDATES } from "../../references/config.ts";
import { untilAborted } from "../../sessions/abort.ts";
import type { HostParts } from "../incarnation.ts";
import { PeersPicker } from "./peers-picker.ts";
import { pickerRows } from "./rows.ts";

type Listed = Pick<HostParts, "presence" | "references" | "caller" | "records">;

/** Shows the picker until the person has chosen or closed it, or the session ends. */
export async function openPicker({ ui }: ExtensionCommandContext, parts: HostParts): Promise<void> {
	const { reader, fence } = parts;
	await ui.custom<void>((tui, styles, keys, done) => {
		const screen = { styles, keys, rows: () => tui.terminal.rows, requestRender: () => tui.requestRender() };
		return new PeersPicker(
			{
				list: (signal) => listRows(parts, inTime(signal)),
				look: (sessionId, signal) => reader.read({ sessionId, view: "overview" }, inTime(signal)),
				copy: copyToClipboard,
				close: (insertion) => closeOver(ui, done, insertion),
				clock: systemClock,
				fence,
			},
			screen,
		);
	});
}

async function listRows({ presence, references, caller, records }: Listed, signal: AbortSignal) {
	const listed = Promise.all([
		presence.directory.list(caller.cwd, signal),
		references.listCandidates(caller, "", MAX_CANDIDATES, signal),
	]);
	const [peers, candidates] = await untilAborted(listed, signal);
	const isPrivate = (sessionId: string) => records.read(sessionId).private;
	return pickerRows({ peers, candidates, isPrivate }, caller);
}

function inTime(signal: AbortSignal): AbortSignal {
	return AbortSignal.any([signal, AbortSignal.timeout(ANSWER_DEADLINE_MS)]);
}

/**
 * Closes the picker and puts a text into the editor, behind what stands there. pi gives the editor the text that it had
 * when the picker was opened; what came into it meanwhile (a prompt that waited and was given back) has to stay.
 */
function closeOver(
	ui: Pick<ExtensionUIContext, "getEditorText" | "setEditorText">,
	done: () => void,
	insertion: string | null,
): void {
	const draft = ui.getEditorText();
	done();
	const gap = draft === "" || /\s$/.test(draft) ? "" : " ";
	const text = insertion === null ? draft : `${draft}${gap}${insertion} `;
	if (text !== ui.getEditorText()) ui.setEditorText(text);
}
