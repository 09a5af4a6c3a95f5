/**
 * `./run-clean.sh torture`: fuzzes every parser and soaks four real sessions, for as long as one likes.
 *
 * Options: `--minutes N` (default 5) is shared out among what runs, in rounds, each with a seed of its own; `--target T`
 * takes one parser, `--soak` the soak alone; `--seed S` makes a run that is the same each time; `--case N`, with a target
 * and its seed, checks one case again. Ends with a line of counts; the exit code is 1 when something failed.
 */
import { checkInputs } from "./fuzz/fuzzer.ts";
import { SEED_BOUND } from "./fuzz/inputs.ts";
import type { FuzzTarget } from "./fuzz/target.ts";
import { readOptions, type TortureOptions, UsageError } from "./options.ts";
import { runSoak } from "./soak/soak.ts";

/** The longest that a parser is fuzzed before the next one's turn, in ms. */
const FUZZ_TURN_MS = 20_000;
/** The longest that the script of one soak goes on, in ms: then all sessions end and what is left is looked at. */
const SOAK_TURN_MS = 120_000;
/** A share of the time that the soak gets when parsers are fuzzed too. */
const SOAK_SHARE = 0.4;

/** What runs by turns, and what has failed so far. */
interface Contender {
	readonly name: string;
	/** Its part of the whole time. */
	readonly share: number;
	readonly longestTurn: number;
	/** Runs for so long; resolves with what failed, in words, or null. */
	readonly run: (seed: number, milliseconds: number) => Promise<string | null>;
}

function contendersOf({ targets: chosen, soak }: TortureOptions): Contender[] {
	const soakShare = !soak ? 0 : chosen.length === 0 ? 1 : SOAK_SHARE;
	const fuzzing = chosen.map((target) => ({
		name: target.name,
		share: (1 - soakShare) / chosen.length,
		longestTurn: FUZZ_TURN_MS,
		run: (seed: number, milliseconds: number) => fuzz(target, seed, milliseconds),
	}));
	return soak ? [...fuzzing, { name: "soak", share: soakShare, longestTurn: SOAK_TURN_MS, run: soakOnce }] : fuzzing;
}

async function fuzz(target: FuzzTarget, seed: number, milliseconds: number): Promise<string | null> {
	const { checked, finding } = await checkInputs(target, { kind: "cases", seed, from: 0, milliseconds });
	tell(`${target.name}: seed ${seed}, ${checked.toLocaleString("en")} cases, ${finding === null ? "ok" : "FAILED"}`);
	return finding;
}

async function soakOnce(seed: number, milliseconds: number): Promise<string | null> {
	tell(`soak: seed ${seed}, ${Math.round(milliseconds / 1000)} s`);
	const { actions, messages, broken } = await runSoak({ seed, milliseconds, onProgress: tell });
	const did = Object.entries(actions).map(([name, count]) => `${count} × ${name}`);
	const codes = Object.entries(messages.codes).map(([code, count]) => `${code} ${count}`);
	tell(`soak: ${did.join(", ")}`);
	tell(`soak: ${messages.sent} messages (${codes.join(", ")}); ${messages.stored} had to be in a log, and are`);
	if (broken.length === 0) return null;
	const again = `Again: ./run-clean.sh torture --soak --seed ${seed} --minutes ${(milliseconds / 60_000).toFixed(1)}`;
	return [`soak: seed ${seed} breaks promises:`, ...broken.map((what) => `- ${what}`), again].join("\n");
}

/** Turns until the time is over; whoever has failed gets no further one. */
async function runAll(contenders: readonly Contender[], { milliseconds, seed }: TortureOptions): Promise<string[]> {
	const failures = new Map<Contender, string>();
	const left = new Map(contenders.map((contender) => [contender, contender.share * milliseconds]));
	for (let round = 0; [...left.values()].some((rest) => rest > 0); round += 1) {
		for (const [contender, rest] of left) {
			const turn = Math.min(rest, contender.longestTurn);
			if (turn <= 0) continue;
			left.set(contender, rest - turn);
			const failure = await runTurn(contender, (seed + round) % SEED_BOUND, turn);
			if (failure === null) continue;
			failures.set(contender, failure);
			left.set(contender, 0);
			tell(failure);
		}
	}
	return [...failures.values()];
}

/** What could not even run has failed too. */
async function runTurn({ name, run }: Contender, seed: number, milliseconds: number): Promise<string | null> {
	try {
		return await run(seed, milliseconds);
	} catch (error) {
		return `${name}: seed ${seed} stopped: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
	}
}

function tell(line: string): void {
	process.stdout.write(`${line}\n`);
}

/** One case, or everything by turns; resolves with the counts. */
async function torture(options: TortureOptions): Promise<{ passed: number; failed: number }> {
	const [target] = options.targets;
	if (options.only !== null && target !== undefined) {
		const alone = { kind: "cases", seed: options.seed, from: options.only, milliseconds: 0 } as const;
		const { finding } = await checkInputs(target, alone);
		tell(finding ?? `${target.name}: case ${options.only} of seed ${options.seed} is ok`);
		return { passed: finding === null ? 1 : 0, failed: finding === null ? 0 : 1 };
	}
	const contenders = contendersOf(options);
	const failures = await runAll(contenders, options);
	return { passed: contenders.length - failures.length, failed: failures.length };
}

try {
	const { passed, failed } = await torture(readOptions(process.argv.slice(2)));
	tell(`\n${passed} passed, ${failed} failed`);
	process.exitCode = failed > 0 ? 1 : 0;
} catch (error) {
	// parseArgs tells of an unknown option by an error of its own.
	const isUsage = error instanceof UsageError || (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS");
	if (!isUsage) throw error;
	process.stderr.write(`torture: ${(error as Error).message}\n`);
	process.exitCode = 2;
}
