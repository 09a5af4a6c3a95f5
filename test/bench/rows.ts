/**
 * The rows of the benchmark: what each measures, what it must reach, and what it should.
 */

import type { LogFiles, LogName } from "./log-files.ts";
import { runChild } from "./run-child.ts";

/** One figure of one round, beside what it was compared with. */
export interface Sample {
	/** In the sense of the row's bar. */
	readonly ratio: number;
	readonly measured: number;
	readonly compared: number;
}

export interface Row {
	readonly name: string;
	readonly bar: number;
	readonly aim: number;
	/** Which side of the bar is good. */
	readonly better: "higher" | "lower";
	/** Of the ratio: a factor, or a figure above or beside an idle one. */
	readonly unit: "×" | "MiB" | "ms";
	/** Of the two absolute figures. */
	readonly absoluteUnit: "ms" | "µs" | "MiB";
	readonly comparedWith: "SDK" | "scan" | "idle" | "100 MB" | "bare" | "4,000";
}

/** Rows that share measurements. */
export interface Experiment {
	readonly rows: readonly Row[];
	/** Measures once; one sample for each row, in their order. `round` counts from 0. */
	readonly measure: (files: LogFiles, round: number) => Promise<readonly Sample[]>;
}

/** Runs the measurements one after the other, in turned order in every second round. */
async function interleave<Results extends Record<string, unknown>>(
	round: number,
	actions: { readonly [Name in keyof Results]: () => Promise<Results[Name]> },
): Promise<Results> {
	const names: (keyof Results)[] = Object.keys(actions);
	const results: Partial<Results> = {};
	for (const name of round % 2 === 0 ? names : names.toReversed()) results[name] = await actions[name]();
	return results as Results;
}

/** How many times faster than the baseline. */
function fasterThan(baseline: number, measured: number): Sample {
	return { ratio: baseline / measured, measured, compared: baseline };
}

/** How many times the baseline. */
function timesOf(baseline: number, measured: number): Sample {
	return { ratio: measured / baseline, measured, compared: baseline };
}

const faster = { better: "higher", unit: "×", absoluteUnit: "ms", comparedWith: "SDK" } as const;
const againstScan = { better: "lower", unit: "×", absoluteUnit: "ms", comparedWith: "scan" } as const;

/**
 * Cold overviews of 100 MB. The SDK's cold open stands against both: it does not get faster by opening other files
 * before.
 */
const everyday: Experiment = {
	rows: [
		{ name: "overview of 100 MB, FRESH: faster than the SDK", bar: 8, aim: 12, ...faster },
		{ name: "overview of 100 MB, WARM: faster than the SDK", bar: 15, aim: 25, ...faster },
		{ name: "overview of 100 MB, FRESH: times the newline scan", bar: 4, aim: 2.8, ...againstScan },
		{ name: "overview of 100 MB, WARM: times the newline scan", bar: 2.5, aim: 1.5, ...againstScan },
	],
	async measure(files, round) {
		const { file } = files.get("everyday");
		const warmUpFile = files.get("other").file;
		const { fresh, scanFresh, sdk, warm, scanWarm } = await interleave(round, {
			fresh: () => runChild("overview-time", { file }),
			scanFresh: () => runChild("scan-time", { file }),
			sdk: () => runChild("sdk-time", { file }),
			warm: () => runChild("overview-time", { file, warmUpFile }),
			scanWarm: () => runChild("scan-time", { file, warmUpFile }),
		});
		return [fasterThan(sdk, fresh), fasterThan(sdk, warm), timesOf(scanFresh, fresh), timesOf(scanWarm, warm)];
	},
};

async function warmAgainstScan(files: LogFiles, name: LogName, round: number): Promise<Sample> {
	const { file } = files.get(name);
	const warmUpFile = files.get("other").file;
	const { overview, scan } = await interleave(round, {
		overview: () => runChild("overview-time", { file, warmUpFile }),
		scan: () => runChild("scan-time", { file, warmUpFile }),
	});
	return timesOf(scan, overview);
}

const assistant: Experiment = {
	rows: [{ name: "60 % assistant bytes, WARM: times the newline scan", bar: 4, aim: 2, ...againstScan }],
	measure: async (files, round) => [await warmAgainstScan(files, "assistant", round)],
};

const images: Experiment = {
	rows: [{ name: "1 MiB image lines, WARM: times the newline scan", bar: 2.5, aim: 1.4, ...againstScan }],
	measure: async (files, round) => [await warmAgainstScan(files, "images", round)],
};

const memory: Experiment = {
	rows: [
		{
			name: "memory above idle, 100 MB",
			...{ bar: 24, aim: 14, better: "lower", unit: "MiB", absoluteUnit: "MiB", comparedWith: "idle" },
		},
		{
			name: "memory above idle, 200 MB minus 100 MB",
			...{ bar: 10, aim: 3, better: "lower", unit: "MiB", absoluteUnit: "MiB", comparedWith: "100 MB" },
		},
	],
	async measure(files, round) {
		const { once, twice } = await interleave(round, {
			once: () => runChild("overview-memory", { file: files.get("everyday").file }),
			twice: () => runChild("overview-memory", { file: files.get("everydayTwice").file }),
		});
		return [
			{ ratio: once.above, measured: once.above, compared: once.idle },
			{ ratio: twice.above - once.above, measured: twice.above, compared: once.above },
		];
	},
};

const block: Experiment = {
	rows: [
		{
			name: "longest event-loop block, 200 MB with a 12 MB line of odd key order, FRESH",
			...{ bar: 15, aim: 6, better: "lower", unit: "ms", absoluteUnit: "ms", comparedWith: "idle" },
		},
	],
	async measure(files) {
		const { longest, idle } = await runChild("overview-block", { file: files.get("oddLine").file });
		return [{ ratio: longest, measured: longest, compared: idle }];
	},
};

const secondRead: Experiment = {
	rows: [
		{ name: "second read, nothing changed: faster than the SDK", bar: 5000, aim: 25_000, ...faster },
		{ name: "second read, 10 new entries: faster than the SDK", bar: 1000, aim: 4000, ...faster },
	],
	async measure(files, round) {
		const log = files.get("everyday");
		const { again, sdk } = await interleave(round, {
			again: () =>
				runChild("second-read-time", { ...log, warmUpFile: files.get("other").file, copy: files.copyPath() }),
			sdk: () => runChild("sdk-time", { file: log.file }),
		});
		return [fasterThan(sdk, again.unchanged), fasterThan(sdk, again.grown)];
	},
};

const compacted: Experiment = {
	rows: [
		{ name: "surface in the last 2 MB of 100, FRESH: times the newline scan", bar: 2.5, aim: 1.7, ...againstScan },
		{ name: "surface in the last 2 MB of 100, WARM: times the newline scan", bar: 1.5, aim: 1.15, ...againstScan },
	],
	async measure(files, round) {
		const { file } = files.get("compacted");
		const { fresh, scan } = await interleave(round, {
			fresh: () => runChild("overview-time", { file }),
			scan: () => runChild("scan-time", { file }),
		});
		return [timesOf(scan, fresh), await warmAgainstScan(files, "compacted", round)];
	},
};

const rpc: Experiment = {
	rows: [
		{
			name: "requestRpc on pi.events: times a bare request",
			...{ bar: 4, aim: 2, better: "lower", unit: "×", absoluteUnit: "µs", comparedWith: "bare" },
		},
	],
	async measure() {
		const figures = await runChild("request-time", {});
		return [timesOf(figures.bare, figures.rpc)];
	},
};

const send: Experiment = {
	rows: [
		{
			name: "send to an idle peer, p50: times a bare two-round-trip exchange",
			...{ bar: 3, aim: 1.5, better: "lower", unit: "×", absoluteUnit: "µs", comparedWith: "bare" },
		},
	],
	async measure() {
		const figures = await runChild("send-time", {});
		return [timesOf(figures.bare, figures.send)];
	},
};

const candidates: Experiment = {
	rows: [{ name: "@ candidates of 1,000 sessions, no index, FRESH: faster than the SDK", bar: 12, aim: 25, ...faster }],
	async measure(files, round) {
		const many = files.manySessions();
		const { listed, sdk } = await interleave(round, {
			listed: () => runChild("candidates-time", many),
			sdk: () => runChild("sdk-list-time", many),
		});
		return [fasterThan(sdk, listed)];
	},
};

const snapshots: Experiment = {
	rows: [
		{
			name: "snapshot of 40,000 messages of 1 KB, WARM: times that of 4,000",
			...{ bar: 12, aim: 10, better: "lower", unit: "×", absoluteUnit: "ms", comparedWith: "4,000" },
		},
	],
	async measure(files) {
		const cwd = "/srv/app";
		const job = { few: files.plainLog(4000, cwd), many: files.plainLog(40_000, cwd), cwd };
		const { few, many } = await runChild("snapshot-time", job);
		return [timesOf(few, many)];
	},
};

export const experiments: readonly Experiment[] = [
	everyday,
	assistant,
	images,
	memory,
	block,
	secondRead,
	compacted,
	candidates,
	snapshots,
	rpc,
	send,
];
