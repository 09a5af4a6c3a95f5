/**
 * The benchmark: ratios within one run, against fixed bars. Exit code 1 when a bar is missed.
 *
 * FRESH is the first read of a new process, its baselines' too. WARM is a read after five reads of another file, without
 * an index of this one. Every figure is the median over interleaved rounds of the ratio within the round.
 *
 * Options: `--json FILE` writes the rows, `--quick` takes 3 rounds instead of 7, `--only PART` takes the rows whose
 * name contains PART (and those that share their measurements).
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { LogFiles } from "./log-files.ts";
import { type Result, renderTable, summarize, toJsonRow } from "./report.ts";
import { type Experiment, experiments, type Sample } from "./rows.ts";

const ROUNDS = 7;
const QUICK_ROUNDS = 3;

interface BenchOptions {
	readonly json?: string | undefined;
	readonly only?: string | undefined;
	readonly rounds: number;
}

function readOptions(): BenchOptions {
	const { values } = parseArgs({
		options: { json: { type: "string" }, only: { type: "string" }, quick: { type: "boolean", default: false } },
	});
	return { json: values.json, only: values.only, rounds: values.quick ? QUICK_ROUNDS : ROUNDS };
}

function selectExperiments(only: string | undefined): readonly Experiment[] {
	if (only === undefined) return experiments;
	const selected = experiments.filter(({ rows }) => rows.some(({ name }) => name.includes(only)));
	if (selected.length === 0) throw new Error(`No row's name contains ${JSON.stringify(only)}.`);
	return selected;
}

async function runExperiment(experiment: Experiment, files: LogFiles, rounds: number): Promise<Result[]> {
	const samples: Sample[][] = experiment.rows.map(() => []);
	for (let round = 0; round < rounds; round += 1) {
		showProgress(`${experiment.rows[0]?.name ?? ""}: round ${round + 1} of ${rounds}`);
		const measured = await experiment.measure(files, round);
		for (const [index, sample] of measured.entries()) samples[index]?.push(sample);
	}
	showProgress("");
	return experiment.rows.map((row, index) => summarize(row, samples[index] ?? []));
}

/** One line that replaces itself, where there is a terminal. */
function showProgress(text: string): void {
	if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

async function main(): Promise<void> {
	const options = readOptions();
	const selected = selectExperiments(options.only);
	const files = new LogFiles();
	process.once("exit", () => files.remove());
	for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
	const results: Result[] = [];
	for (const experiment of selected) results.push(...(await runExperiment(experiment, files, options.rounds)));
	process.stdout.write(renderTable(results));
	const rows = results.map(toJsonRow);
	if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(rows, null, "\t")}\n`);
	if (rows.some(({ ok }) => !ok)) process.exitCode = 1;
}

await main();
