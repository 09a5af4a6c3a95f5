/**
 * Has one target check inputs, in a thread of its own under watch: an input may neither hang nor take all memory.
 */
import { Worker } from "node:worker_threads";
import { saveFinding } from "./corpus.ts";
import { type Inputs, inputAt } from "./inputs.ts";
import type { FuzzTarget } from "./target.ts";
import type { Finding, FuzzJob, FuzzResult } from "./worker.ts";

/** An input that takes longer hangs, however busy the machine is; in ms. */
const HANG_MS = 30_000;
/** How often is looked whether it does. */
const LOOK_MS = 100;
/** Heap of the thread, in MiB: the parsers' own bounds are far below. */
const HEAP_MEGABYTES = 512;

export interface FuzzOptions {
	/** The module whose `targets` hold the target, by its address; the project's own unless a test says otherwise. */
	readonly module?: string;
	/** The longest that an input may be in hand, in ms. */
	readonly hangMilliseconds?: number;
	/** Where findings are kept: the project's corpus unless a test says otherwise. */
	readonly corpus?: string;
}

const ownTargets = new URL("../targets/index.ts", import.meta.url).href;

/** What came of it. */
export interface FuzzOutcome {
	readonly checked: number;
	/** All that a person needs to see the finding again; null without one. */
	readonly finding: string | null;
}

export async function checkInputs(
	target: FuzzTarget,
	inputs: Inputs,
	{ module = ownTargets, hangMilliseconds = HANG_MS, corpus }: FuzzOptions = {},
): Promise<FuzzOutcome> {
	const progress = new Int32Array(new SharedArrayBuffer(4));
	const ended = await watch({ module, target: target.name, inputs, progress }, hangMilliseconds);
	if (typeof ended === "object") {
		const { checked, finding } = ended;
		return { checked, finding: finding && describe(target, inputs, finding, corpus) };
	}
	const number = Atomics.load(progress, 0);
	const bytes = inputAt(target, inputs)(number) ?? Buffer.alloc(0);
	const finding = describe(target, inputs, { number, bytes, error: ended }, corpus);
	return { checked: number - inputs.from, finding };
}

/** The thread's result, or in words why there is none. */
async function watch(job: FuzzJob, hangMilliseconds: number): Promise<FuzzResult | string> {
	const worker = new Worker(new URL("./worker.ts", import.meta.url), {
		workerData: job,
		resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
	});
	const { promise, resolve } = Promise.withResolvers<FuzzResult | string>();
	worker.once("message", resolve);
	worker.once("error", (error) => resolve(error instanceof Error ? (error.stack ?? error.message) : String(error)));
	worker.once("exit", (code) => resolve(`The thread ended with exit code ${code}.`));
	const stopWatching = afterStandstill(job.progress, hangMilliseconds, () =>
		resolve(`No end after ${hangMilliseconds} ms.`),
	);
	try {
		return await promise;
	} finally {
		stopWatching();
		await worker.terminate();
	}
}

/** Calls `tell` when the same input has been in hand for too long. */
function afterStandstill(
	progress: Int32Array<SharedArrayBuffer>,
	hangMilliseconds: number,
	tell: () => void,
): () => void {
	let seen = -1;
	let since = performance.now();
	const timer = setInterval(() => {
		const current = Atomics.load(progress, 0);
		if (current !== seen) since = performance.now();
		seen = current;
		if (performance.now() - since >= hangMilliseconds) tell();
	}, LOOK_MS);
	return () => clearInterval(timer);
}

function describe(target: FuzzTarget, inputs: Inputs, { number, bytes, error }: Finding, corpus?: string): string {
	const input = Buffer.from(bytes);
	const shown = JSON.stringify(input.toString("latin1").slice(0, 400));
	const lines = [error.trim(), `The input, ${input.length} bytes, begins: ${shown}`];
	if (inputs.kind === "corpus") {
		return [`${target.name}: input ${number} of the corpus breaks a promise.`, ...lines].join("\n");
	}
	const file = saveFinding(target, input, corpus);
	return [
		`${target.name}: case ${number} of seed ${inputs.seed} breaks a promise.`,
		...lines,
		file === null ? "It could not be kept in the corpus." : `Kept as ${file}: every test run tries it from now on.`,
		`Again: ./run-clean.sh torture --target ${target.name} --seed ${inputs.seed} --case ${number}`,
	].join("\n");
}
