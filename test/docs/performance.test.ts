/** The table of docs/performance.md is one that the benchmark of today prints: its rows, its bars, and what they say. */
import { expect, test } from "vitest";
import { renderTable } from "../bench/report.ts";
import { experiments } from "../bench/rows.ts";
import { blocksOf, readText } from "./fenced-blocks.ts";

const file = "docs/performance.md";
const rows = experiments.flatMap((experiment) => experiment.rows);
const linesOf = (table: string) => table.trimEnd().split("\n").slice(1);
/** Of a line of the table: name, median, rounds, bar, aim, verdict, both figures. */
const cellsOf = (line: string) => line.split(/ {2,}/);
const printed = blocksOf(file, "").flatMap(linesOf).map(cellsOf);

test("its rows are the benchmark's, each with its bar, its aim and the verdict that its figure deserves", () => {
	const results = rows.map((row, index) => {
		const ratio = Number.parseFloat((printed[index]?.[1] ?? "").replaceAll(",", ""));
		return { row, ratio, measured: 0, compared: 0, range: [0, 0] as const };
	});
	const expected = linesOf(renderTable(results)).map(cellsOf);
	// A figure that was rounded to its bar or its aim no longer tells on which side of it it was.
	const isOnLimit = (index: number) => [rows[index]?.bar, rows[index]?.aim].includes(results[index]?.ratio);
	const compared = ([name, median, , bar, aim, verdict]: readonly string[], index: number) => {
		return [name, median, bar, aim, isOnLimit(index) ? "" : verdict];
	};
	expect(printed.map(compared)).toEqual(expected.map(compared));
});

test("what is missed is told, and nothing else", () => {
	const [, missed = ""] = /^## What is missed, and why$([\s\S]*?)^Tried/m.exec(readText(file)) ?? [];
	expect(missed.match(/^- \*\*/gm)).toHaveLength(printed.filter((line) => line[5] === "FAILED").length);
});
