/** A picker without a terminal: a screen whose size the test chooses, sessions that it changes, and time that it moves. */
import { KeybindingsManager, setKeybindings, TUI_KEYBINDINGS, type TuiMouseEvent } from "@earendil-works/pi-tui";
import { PeerContextError } from "../../../lib/contract/errors.ts";
import type { PeerContext } from "../../../lib/contract/index.ts";
import { PeersPicker } from "../../../lib/pi/picker/peers-picker.ts";
import type { PickerPorts } from "../../../lib/pi/picker/picker-ports.ts";
import type { PickerRow } from "../../../lib/pi/picker/rows.ts";
import type { Styles } from "../../../lib/pi/styles.ts";
import { ManualClock } from "../../peers/manual-clock.ts";
import { NOW } from "./picker-rows.ts";

export const PRESS = Object.freeze({
	enter: "\r",
	escape: "\u001b",
	tab: "\t",
	up: "\u001b[A",
	down: "\u001b[B",
	pageDown: "\u001b[6~",
	pageUp: "\u001b[5~",
	message: "\u0013",
	copy: "\u0018",
});

export const plain: Styles = { fg: (_colour, text) => text, bold: (text) => text };

/** What the editor's cursor is drawn with: nothing that takes room. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal does not show.
const INVISIBLE = /\u001b_[^\u0007]*\u0007|\u001b\[[0-9;]*m/g;

export class PickerSetting {
	readonly clock = new ManualClock(NOW);
	readonly fence = new AbortController();
	readonly picker: PeersPicker;
	/** How the picker was closed: with a text for the editor, or without. */
	readonly closed: (string | null)[] = [];
	readonly copied: string[] = [];
	readonly looks: string[] = [];
	rows: readonly PickerRow[];
	/** What a look gives; none: it may not be looked at. */
	context: PeerContext | null = null;
	listFails = false;
	hasClipboard = true;

	constructor(rows: readonly PickerRow[], { lines = 50, styles = plain } = {}) {
		this.rows = rows;
		const keys = new KeybindingsManager(TUI_KEYBINDINGS);
		setKeybindings(keys);
		this.picker = new PeersPicker(this.#ports(), { styles, keys, rows: () => lines, requestRender() {} });
		this.picker.focused = true;
	}

	#ports(): PickerPorts {
		return {
			list: async () => {
				if (this.listFails) throw new Error("no list");
				return this.rows;
			},
			look: async (sessionId) => {
				this.looks.push(sessionId);
				if (this.context === null) throw new PeerContextError("unauthorized");
				return this.context;
			},
			copy: async (text) => {
				if (!this.hasClipboard) throw new Error("no clipboard");
				this.copied.push(text);
			},
			close: (insertion) => {
				this.closed.push(insertion);
				this.picker.dispose();
			},
			clock: this.clock,
			fence: this.fence.signal,
		};
	}

	/** Presses keys, one after the other, and lets what they begin come to its end. */
	async press(...keys: string[]): Promise<void> {
		for (const key of keys) this.picker.handleInput(key);
		await settle();
	}

	/** Does something with the mouse on a line of the screen as it was drawn last, and lets what it begins come to its end. */
	async mouse(type: "press" | "click", line: number, width = 80): Promise<void> {
		const place = { x: 5, y: line, screenX: 5, screenY: line, width, height: 50 };
		const event: TuiMouseEvent = { type, button: "left", shift: false, alt: false, ctrl: false, ...place };
		this.picker.handleMouse(event);
		await settle();
	}

	/** Lets time pass, with what is brought up to date meanwhile. */
	async wait(milliseconds: number): Promise<void> {
		this.clock.advance(milliseconds);
		await settle();
	}

	/** The lines as drawn. */
	drawn(width = 80): string[] {
		return [...this.picker.render(width)];
	}

	/** The lines as a person reads them, without the blanks at their ends. */
	screen(width = 80): string[] {
		return this.drawn(width).map((line) => line.replaceAll(INVISIBLE, "").trimEnd());
	}

	/** The line of the list with the mark of the chosen row. */
	marked(width = 80): string {
		return this.screen(width).find((line) => line.startsWith(" → ")) ?? "";
	}
}

/** Opens a picker and waits for its first list. */
export async function openPicker(...setting: ConstructorParameters<typeof PickerSetting>): Promise<PickerSetting> {
	const opened = new PickerSetting(...setting);
	await settle();
	return opened;
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
