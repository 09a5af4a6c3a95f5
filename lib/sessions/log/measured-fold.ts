/**
 * A fold in which everything that matters is measured, also what nobody expected to be on the surface.
 */
import { BranchFold } from "./branch-fold.ts";
import { nothingElided, readEntryFacts } from "./entry-facts.ts";
import { DamagedRowError } from "./entry-loader.ts";
import { parseObject } from "./json-object.ts";
import { LineFacts } from "./line-facts.ts";
import { LineStructure } from "./line-structure.ts";
import type { LogFile } from "./log-file.ts";
import type { LogIndex } from "./log-index.ts";
import type { Stretch } from "./stretch.ts";

/** Folds the current branch, after measuring what was left unmeasured on it. @throws DamagedRowError */
export function foldMeasured(file: LogFile, index: LogIndex, stretch: Stretch): Promise<BranchFold> {
	return BranchFold.of(index, stretch, (rows) => measureRows(file, index, rows, stretch));
}

/** Measures the rows, which all have lines short enough to be read at once. */
async function measureRows(file: LogFile, index: LogIndex, rows: readonly number[], stretch: Stretch) {
	const structure = new LineStructure(index.ids);
	const facts = new LineFacts();
	for (const row of rows) {
		facts.reset();
		file.lookAt(index.offset(row), index.length(row), (line) => {
			if (!structure.read(line, 0, line.length, facts)) readWhole(line, row, index, facts);
		});
		index.measure(row, facts);
		if (stretch.isOver) await stretch.giveWay();
	}
}

function readWhole(line: Buffer, row: number, index: LogIndex, facts: LineFacts): void {
	facts.reset();
	const value = parseObject(line.toString("utf8"));
	if (value === null || !readEntryFacts(value, nothingElided, index.ids, facts, false)) throw new DamagedRowError(row);
}
