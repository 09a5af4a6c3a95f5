/** The options of `./run-clean.sh torture`, as torture.ts describes them. */
import { parseArgs } from "node:util";
import { drawSeed, SEED_BOUND } from "./fuzz/inputs.ts";
import type { FuzzTarget } from "./fuzz/target.ts";
import { targets } from "./targets/index.ts";

const DEFAULT_MINUTES = 5;
const MAX_MINUTES = 24 * 60;

/** What a run of torture does. */
export interface TortureOptions {
	readonly milliseconds: number;
	readonly seed: number;
	readonly targets: readonly FuzzTarget[];
	readonly soak: boolean;
	/** One case of one target. */
	readonly only: number | null;
}

/** Told to whoever typed the command, without a stack. */
export class UsageError extends Error {}

/** Reads the command's arguments. @throws UsageError and the errors of parseArgs */
export function readOptions(args: readonly string[]): TortureOptions {
	const { values } = parseArgs({
		args: [...args],
		options: {
			minutes: { type: "string" },
			seed: { type: "string" },
			target: { type: "string" },
			case: { type: "string" },
			soak: { type: "boolean", default: false },
		},
	});
	const { target, soak } = values;
	const chosen = targets.filter(({ name }) => target === undefined || name === target);
	if (chosen.length === 0) throw new UsageError(`--target is one of ${targets.map(({ name }) => name).join(", ")}`);
	if (values.case !== undefined && (target === undefined || values.seed === undefined)) {
		throw new UsageError("--case needs the --target and the --seed that it belongs to");
	}
	return {
		milliseconds: numberOf("minutes", values.minutes ?? String(DEFAULT_MINUTES), MAX_MINUTES) * 60_000,
		seed: values.seed === undefined ? drawSeed() : wholeNumberOf("seed", values.seed),
		targets: soak && target === undefined ? [] : chosen,
		soak: soak || target === undefined,
		only: values.case === undefined ? null : wholeNumberOf("case", values.case),
	};
}

function numberOf(name: string, text: string, most: number): number {
	const value = Number(text);
	if (!(value > 0 && value <= most)) throw new UsageError(`--${name} is a number above 0, at most ${most}`);
	return value;
}

function wholeNumberOf(name: string, text: string): number {
	const value = Number(text);
	if (text.trim() === "" || !Number.isInteger(value) || value < 0 || value >= SEED_BOUND) {
		throw new UsageError(`--${name} is a whole number from 0 to ${SEED_BOUND - 1}`);
	}
	return value;
}
