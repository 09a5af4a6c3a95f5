/**
 * The list: what is typed, the rows that fit, and what there is to know of the chosen one.
 */
import { Box, Input } from "@earendil-works/pi-tui";
import { printableLine } from "../../projection/printable.ts";
import { EMPTY_LINE, type ScreenLine } from "../foreign-text.ts";
import { Drawn } from "./drawn.ts";
import type { PickerScreen } from "./picker-ports.ts";
import { roomOf } from "./room.ts";
import type { RowChoice } from "./row-choice.ts";
import { RowList } from "./row-list.ts";
import { rowLines } from "./row-text.ts";
import type { PickerRow } from "./rows.ts";

const QUERY_CODE_POINTS = 60;

const FILTER_NAME = "Filter ";
const LEAST_FILTER = 24;

/** How the newest listing went. */
export type ListingState = "first" | "listed" | "failed";

export interface ListViewOptions {
	readonly screen: PickerScreen;
	readonly choice: RowChoice;
	readonly now: () => number;
	readonly onConfirm: (row: PickerRow) => void;
}

/** Keys of pi's lists that pi's oldest supported list does not know. */
const pages = [
	["tui.select.pageUp", -1],
	["tui.select.pageDown", 1],
] as const;

export class ListView extends Box {
	state: ListingState = "first";
	readonly #options: ListViewOptions;
	readonly #input = new Input();
	readonly #rows: RowList;

	constructor(options: ListViewOptions) {
		super(0, 0);
		this.#options = options;
		this.#rows = new RowList({ ...options, instead: () => this.#instead() });
		this.addChild(new Drawn(() => [this.#heading()]));
		this.addChild({ render: (width) => this.#filter(width), invalidate() {} });
		this.addChild(new Drawn(() => (this.#isAmple ? [EMPTY_LINE] : [])));
		this.addChild(this.#rows);
		this.addChild(new Drawn(() => this.#below()));
	}

	set focused(focused: boolean) {
		this.#input.focused = focused;
	}

	handleInput(data: string): void {
		const { screen, choice } = this.#options;
		const page = pages.find(([key]) => screen.keys.matches(data, key));
		if (page) choice.move(page[1] * this.#rows.height);
		else if (this.#rows.takes(data)) this.#rows.handleInput(data);
		else {
			this.#input.handleInput(data);
			choice.search(this.#input.getValue());
		}
	}

	#heading(): ScreenLine {
		const { choice, screen } = this.#options;
		const style = (text: string) => screen.styles.fg("muted", text);
		const parts = [{ text: "Sessions", style: (text: string) => screen.styles.bold(text) }];
		return { fit: "cut", parts, tail: { text: this.state === "first" ? "" : ` · ${countText(choice)}`, style } };
	}

	/** pi's input with its name before it; the name stays away from where there is hardly room to type. */
	#filter(width: number): string[] {
		const name = width < LEAST_FILTER ? "" : FILTER_NAME;
		return this.#input.render(width - name.length).map((line) => this.#options.screen.styles.fg("muted", name) + line);
	}

	#below(): readonly ScreenLine[] {
		if (this.#options.choice.rows.length === 0) return [];
		return [...(this.#isAmple ? this.#details() : []), ...(this.state === "failed" ? [this.#failure()] : [])];
	}

	/** Always as many lines, whether a row is chosen or not. */
	#details(): readonly ScreenLine[] {
		const { choice, screen } = this.#options;
		if (choice.chosen === null) return [EMPTY_LINE, EMPTY_LINE, EMPTY_LINE, EMPTY_LINE];
		return [EMPTY_LINE, ...rowLines(choice.chosen, screen.styles).map(besideMark)];
	}

	get #isAmple(): boolean {
		return roomOf(this.#options.screen.rows()).isAmple;
	}

	/** What stands in place of rows where there are none. */
	#instead(): readonly ScreenLine[] {
		const { query, rows } = this.#options.choice;
		const muted = (text: string) => this.#options.screen.styles.fg("muted", text);
		if (rows.length > 0) return [say(`Nothing fits “${printableLine(query, QUERY_CODE_POINTS)}”.`, muted)];
		if (this.state === "failed") return [this.#failure()];
		return this.state === "first" ? [say("Looking for sessions…", muted)] : emptyTexts.map((text) => say(text, muted));
	}

	#failure(): ScreenLine {
		const style = (text: string) => this.#options.screen.styles.fg("error", text);
		return say("The list could not be brought up to date. Trying again.", style);
	}
}

const emptyTexts = [
	"No other session is live, and none worked in this directory before.",
	"Start pi in another terminal: it shows up here by itself.",
];

function say(text: string, style: (text: string) => string): ScreenLine {
	return { fit: "wrap", text, style, indent: 2 };
}

/** Below the titles, not below the mark of the chosen one. */
function besideMark(line: ScreenLine): ScreenLine {
	return { ...line, indent: 2 };
}

function countText({ rows, visible, query }: RowChoice): string {
	if (query.trim() !== "") return `${visible.length} of ${rows.length}`;
	const live = rows.filter(({ status }) => status !== "offline").length;
	return [`${live} live`, `${rows.length - live} earlier`].join(" · ");
}
