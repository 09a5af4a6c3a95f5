/**
 * What the picker needs of the world, so that it can be drawn and used without pi, logs and sockets.
 */
import type { KeybindingsManager } from "@earendil-works/pi-tui";
import type { PeerContext } from "../../contract/peer-context.ts";
import type { Clock } from "../../peers/clock.ts";
import type { Styles } from "../styles.ts";
import type { PickerRow } from "./rows.ts";

export interface PickerPorts {
	/** Who is there now. */
	readonly list: (signal: AbortSignal) => Promise<readonly PickerRow[]>;
	/** One bounded look at a session. Rejects with a `PeerContextError`. */
	readonly look: (sessionId: string, signal: AbortSignal) => Promise<PeerContext>;
	/** Gives a text to the clipboard. Rejects when there is none. */
	readonly copy: (text: string) => Promise<void>;
	/** Closes the picker; a text is put into the editor. */
	readonly close: (insertion: string | null) => void;
	readonly clock: Clock;
	/** Aborted when the incarnation is over: the picker closes then. */
	readonly fence: AbortSignal;
}

/** What a picker is drawn with, and on. */
export interface PickerScreen {
	readonly styles: Styles;
	readonly keys: Pick<KeybindingsManager, "getKeys" | "matches">;
	/** Lines of the terminal. */
	readonly rows: () => number;
	readonly requestRender: () => void;
}
