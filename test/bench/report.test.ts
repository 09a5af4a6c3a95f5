/** What the benchmark's result means: which side of a bar is good, what the median is of, what the JSON holds. */
import { describe, expect, test } from "vitest";
import { median } from "./measures/median.ts";
import { reaches, renderTable, summarize, toJsonRow } from "./report.ts";
import { experiments, type Row, type Sample } from "./rows.ts";

const faster: Row = {
	name: "faster than before",
	bar: 8,
	aim: 12,
	better: "higher",
	unit: "×",
	absoluteUnit: "ms",
	comparedWith: "SDK",
};
const smaller: Row = { ...faster, name: "smaller than before", bar: 4, aim: 2, better: "lower" };

function samples(...ratios: number[]): Sample[] {
	return ratios.map((ratio) => ({ ratio, measured: 1, compared: ratio }));
}

describe("a result", () => {
	test("is the median of the rounds' ratios, with the smallest and the largest beside it", () => {
		const result = summarize(faster, samples(9, 100, 1));
		expect([result.ratio, result.range]).toEqual([9, [1, 100]]);
	});

	test.each([
		{ row: faster, ratio: 8, ok: true },
		{ row: faster, ratio: 7.99, ok: false },
		{ row: smaller, ratio: 4, ok: true },
		{ row: smaller, ratio: 4.01, ok: false },
	])("of $ratio for $row.name is ok: $ok", ({ row, ratio, ok }) => {
		expect(reaches(row, ratio, row.bar)).toBe(ok);
		expect(toJsonRow(summarize(row, samples(ratio)))).toEqual({
			name: row.name,
			ratio,
			bar: row.bar,
			aim: row.aim,
			ok,
		});
	});

	test("that misses its bar is called so in the table", () => {
		const table = renderTable([summarize(faster, samples(10)), summarize(smaller, samples(5))]);
		expect(table.split("\n").map((line) => line.includes("FAILED"))).toEqual([false, false, true, false]);
	});
});

test("the median of an even number of values lies between the two middle ones", () => {
	expect(median([4, 1, 3, 2])).toBe(2.5);
});

test("every row has a name of its own and an aim that lies beyond its bar", () => {
	const rows = experiments.flatMap((experiment) => experiment.rows);
	expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
	for (const row of rows) expect([row.name, reaches(row, row.aim, row.bar)]).toEqual([row.name, true]);
});
