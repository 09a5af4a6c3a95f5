/**
 * From samples to what is printed and written: one result a row, a table for people, JSON for programs.
 */
import { median } from "./measures/median.ts";
import type { Row, Sample } from "./rows.ts";

/** What `--json` writes of a row. */
export interface ResultRow {
	readonly name: string;
	/** Median over the rounds. */
	readonly ratio: number;
	readonly bar: number;
	readonly aim: number;
	/** Whether the bar is met. */
	readonly ok: boolean;
}

export interface Result {
	readonly row: Row;
	readonly ratio: number;
	readonly measured: number;
	readonly compared: number;
	/** Smallest and largest ratio of a single round. */
	readonly range: readonly [number, number];
}

/** The medians of a row's rounds. */
export function summarize(row: Row, samples: readonly Sample[]): Result {
	const ratios = samples.map(({ ratio }) => ratio);
	return {
		row,
		ratio: median(ratios),
		measured: median(samples.map(({ measured }) => measured)),
		compared: median(samples.map(({ compared }) => compared)),
		range: [Math.min(...ratios), Math.max(...ratios)],
	};
}

/** Whether a ratio is on the good side of a limit, or on it. */
export function reaches(row: Row, ratio: number, limit: number): boolean {
	return row.better === "higher" ? ratio >= limit : ratio <= limit;
}

export function toJsonRow({ row, ratio }: Result): ResultRow {
	const { name, bar, aim } = row;
	return { name, ratio, bar, aim, ok: reaches(row, ratio, bar) };
}

const HEADINGS = ["measure", "median", "rounds", "bar", "aim", "", "measured", "beside"] as const;

/** One line a row, columns aligned. */
export function renderTable(results: readonly Result[]): string {
	const cells = [HEADINGS, ...results.map(rowCells)];
	const widths = HEADINGS.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
	const lines = cells.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
	return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

function rowCells({ row, ratio, measured, compared, range }: Result): readonly string[] {
	const sign = row.better === "higher" ? "≥" : "≤";
	const limit = (value: number) => `${sign} ${formatNumber(value)} ${row.unit}`;
	return [
		row.name,
		`${formatNumber(ratio)} ${row.unit}`,
		`${formatNumber(range[0])}–${formatNumber(range[1])}`,
		limit(row.bar),
		limit(row.aim),
		verdict(row, ratio),
		`${formatNumber(measured)} ${row.absoluteUnit}`,
		`${row.comparedWith} ${formatNumber(compared)} ${row.absoluteUnit}`,
	];
}

function verdict(row: Row, ratio: number): string {
	if (!reaches(row, ratio, row.bar)) return "FAILED";
	return reaches(row, ratio, row.aim) ? "aim" : "ok";
}

/** Three significant digits; whole numbers from 100 on. */
function formatNumber(value: number): string {
	if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
	return String(Number(value.toPrecision(3)));
}
