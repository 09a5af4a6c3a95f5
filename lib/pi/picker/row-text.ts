/**
 * A row as one line: title, status, age, and where there is room for them the branch and the directory.
 *
 * Every cell is cut and filled to its column before it is styled: columns stand in line whatever the texts hold, and no
 * line is wider than it was laid out for.
 */
import path from "node:path";
import { visibleWidth } from "@earendil-works/pi-tui";
import { type CutLine, cutText, formatAge } from "../foreign-text.ts";
import type { Styles } from "../styles.ts";
import type { PickerRow, RowStatus } from "./rows.ts";

/** Columns between two cells. */
const GAP = 2;

/** Where there is less room, this much of the title stays before anything else is shown. */
const LEAST_TITLE = 32;
/** A cell that is cut to less tells nothing. */
const LEAST_CELL = 8;

type CellName = "title" | "status" | "age" | "branch" | "place";

interface Cell {
	readonly text: (row: PickerRow, now: number) => string;
	readonly most: number;
	/** Columns that it has whatever is in it, so that nothing moves when an age goes on. */
	readonly least?: number;
	/** Whether it is left out where a title would become too short for it. */
	readonly optional?: boolean;
}

/** In the order in which they stand. */
const cells: Readonly<Record<CellName, Cell>> = {
	title: { text: ({ title }) => title, most: 64 },
	status: { text: ({ status }) => status, most: 7 },
	age: { text: ({ changedAt }, now) => (changedAt === null ? "" : formatAge(now - changedAt)), most: 9, least: 7 },
	branch: { text: ({ branch }) => branch ?? "", most: 24, optional: true },
	place: {
		text: ({ elsewhere }) => (elsewhere === null ? "" : `in ${path.basename(elsewhere)}`),
		most: 24,
		optional: true,
	},
};
const CELL_NAMES: readonly CellName[] = ["title", "status", "age", "branch", "place"];

/** Columns of each cell; 0 for one that is not shown. */
export type RowColumns = Readonly<Record<CellName, number>>;

/**
 * How many columns each cell gets in a list that is `width` columns wide. Made of all rows, those that are filtered out
 * too, so that columns stay where they are while a person types.
 */
export function layOutRows(rows: readonly PickerRow[], width: number, now: number): RowColumns {
	const wanted = (name: CellName) => {
		const { text, most, least = 0 } = cells[name];
		return Math.min(most, Math.max(least, ...rows.map((row) => visibleWidth(text(row, now)))));
	};
	const columns = { title: 0, status: 0, age: 0, branch: 0, place: 0 };
	const title = wanted("title");
	let room = width;
	for (const name of CELL_NAMES.slice(1)) {
		const most = wanted(name);
		const given = cells[name].optional ? Math.min(most, room - GAP - Math.min(title, LEAST_TITLE)) : most;
		if (most === 0 || given < Math.min(most, LEAST_CELL)) continue;
		columns[name] = given;
		room -= given + GAP;
	}
	columns.title = Math.max(1, Math.min(title, room));
	return columns;
}

/** One row in its columns. `styles`: none for the chosen row, which has one style as a whole. */
export function rowText(row: PickerRow, columns: RowColumns, now: number, styles: Styles | null): string {
	const shown = CELL_NAMES.filter((name) => columns[name] > 0).map((name) => {
		const text = fill(cutText(cells[name].text(row, now), columns[name]), columns[name]);
		return styles === null ? text : styleCell(row, name, text, styles);
	});
	return shown.join(" ".repeat(GAP));
}

const statusColours = { busy: "warning", idle: "success", offline: "dim" } as const satisfies Record<RowStatus, string>;

function styleCell(row: PickerRow, cell: CellName, text: string, styles: Styles): string {
	if (cell === "title") return text;
	return styles.fg(cell === "status" ? statusColours[row.status] : "muted", text);
}

function fill(text: string, columns: number): string {
	return text + " ".repeat(Math.max(0, columns - visibleWidth(text)));
}

/** What there is to know of a row, also where the list has no room for it: always three lines. */
export function rowLines(row: PickerRow, styles: Styles): CutLine[] {
	const muted = (text: string) => styles.fg("muted", text);
	const facts = [
		row.isPrivate ? "private" : "",
		row.refusesMessages ? "takes no messages" : "",
		row.branch === null ? "" : `on ${row.branch}`,
		row.elsewhere ?? "this directory",
	];
	return [
		{
			fit: "cut",
			parts: [{ text: row.title, style: (text) => styles.bold(text) }],
			tail: { text: row.ref === null ? "" : ` [${row.ref}]`, style: muted },
		},
		{ fit: "cut", parts: [{ text: facts.filter((fact) => fact !== "").join(" · "), style: muted }] },
		{ fit: "cut", parts: [{ text: row.shownId, style: muted }] },
	];
}
