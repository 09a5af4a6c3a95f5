/**
 * The rows of the list, drawn, walked through and clicked by pi's own list.
 *
 * That list can't take other rows, so a newer listing, another width and the next second each make a new one. Nothing is
 * chosen in it: what is chosen is told to the one who keeps it, and comes from there.
 */
import { type Component, SelectList, type TuiMouseEvent } from "@earendil-works/pi-tui";
import { type ScreenLine, ScreenLines } from "../foreign-text.ts";
import type { PickerScreen } from "./picker-ports.ts";
import { roomOf } from "./room.ts";
import type { RowChoice } from "./row-choice.ts";
import { layOutRows, rowText } from "./row-text.ts";
import type { PickerRow } from "./rows.ts";

/** Columns of pi's list that no row can use: its mark, and what it leaves free. */
const LIST_MARGIN = 4;

export interface RowListOptions {
	readonly screen: PickerScreen;
	readonly choice: RowChoice;
	readonly now: () => number;
	readonly onConfirm: (row: PickerRow) => void;
	/** What is said in place of the rows when there are none to be seen. */
	readonly instead: () => readonly ScreenLine[];
}

/** What pi's list was made of. */
interface Made {
	readonly visible: readonly PickerRow[];
	readonly width: number;
	readonly height: number;
	/** Ages are told in seconds. */
	readonly second: number;
	readonly list: SelectList;
}

export class RowList implements Component {
	readonly #options: RowListOptions;
	#made: Made | null = null;
	/** Key of the row on which the mouse went down. */
	#pressed: string | null = null;

	constructor(options: RowListOptions) {
		this.#options = options;
	}

	get height(): number {
		return roomOf(this.#options.screen.rows()).listRows;
	}

	takes(data: string): boolean {
		const { keys } = this.#options.screen;
		return (["tui.select.up", "tui.select.down", "tui.select.confirm"] as const).some((key) => keys.matches(data, key));
	}

	/** As many lines as all rows take, so that nothing moves while a person types. */
	render(width: number): string[] {
		const { choice, instead } = this.#options;
		const { height } = this;
		const count = choice.rows.length;
		const lines =
			choice.visible.length > 0 ? this.#list(width).render(width) : new ScreenLines(instead()).render(width);
		const missing = Math.max(0, Math.min(count, height + 1) - lines.length);
		return [...lines, ...Array.from({ length: missing }, () => "")];
	}

	handleInput(data: string): void {
		if (this.#options.choice.visible.length > 0) this.#list(this.#made?.width ?? 1).handleInput(data);
	}

	/**
	 * Only newer versions of pi have a list that can be clicked. It chooses the pressed row, and is centred on it then, so
	 * that another row may stand below the mouse when the click comes: the pressed one counts.
	 */
	handleMouse(event: TuiMouseEvent): ReturnType<NonNullable<Component["handleMouse"]>> {
		const { choice, onConfirm } = this.#options;
		if (event.type === "click") {
			const row = choice.visible.find(({ key }) => key === this.#pressed);
			this.#pressed = null;
			if (row === undefined) return undefined;
			choice.choose(row.key);
			onConfirm(row);
			return { handled: true };
		}
		const list: Component | undefined = this.#made?.list;
		const result = list?.handleMouse?.(event);
		if (event.type === "press") this.#pressed = result === undefined ? null : (choice.chosen?.key ?? null);
		return result;
	}

	invalidate(): void {
		this.#made = null;
	}

	/** pi's list of what is to be seen now, with the row that is chosen now. */
	#list(width: number): SelectList {
		const { choice, now } = this.#options;
		const { visible } = choice;
		const { height } = this;
		const second = Math.floor(now() / 1000);
		const made = this.#made;
		const isSame =
			made?.visible === visible && made.width === width && made.height === height && made.second === second;
		this.#made = made && isSame ? made : { visible, width, height, second, list: this.#make(width, height) };
		this.#made.list.setSelectedIndex(choice.index);
		return this.#made.list;
	}

	#make(width: number, height: number): SelectList {
		const { choice, now, onConfirm, screen } = this.#options;
		const columns = layOutRows(choice.rows, Math.max(1, width - LIST_MARGIN), now());
		const items = choice.visible.map((row) => ({ value: row.key, label: rowText(row, columns, now(), screen.styles) }));
		const list = new SelectList(items, height, listTheme(screen), {
			// The chosen row has one colour as a whole.
			truncatePrimary: ({ item, text, isSelected }) => {
				const row = isSelected ? choice.visible.find(({ key }) => key === item.value) : undefined;
				return row === undefined ? text : rowText(row, columns, now(), null);
			},
		});
		list.onSelectionChange = ({ value }) => choice.choose(value);
		list.onSelect = ({ value }) => {
			choice.choose(value);
			if (choice.chosen !== null) onConfirm(choice.chosen);
		};
		return list;
	}
}

function listTheme({ styles }: PickerScreen) {
	const accent = (text: string) => styles.fg("accent", text);
	const muted = (text: string) => styles.fg("muted", text);
	return { selectedPrefix: accent, selectedText: accent, description: muted, scrollInfo: muted, noMatch: muted };
}
