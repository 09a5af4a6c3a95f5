/**
 * The thread that has one target check its inputs. It tells the number of the input in hand through shared memory, so
 * that one that never ends, or takes all memory, is known to whoever started the thread.
 */
import { parentPort, workerData } from "node:worker_threads";
import { faultOf, SlowError } from "./check-input.ts";
import { type Inputs, inputAt } from "./inputs.ts";
import { shrink } from "./shrink.ts";
import type { FuzzTarget, OpenTarget } from "./target.ts";

/** What the thread is started with. */
export interface FuzzJob {
	/** The module whose `targets` hold it, by its address. */
	readonly module: string;
	readonly target: string;
	readonly inputs: Inputs;
	/** The number of the input in hand. */
	readonly progress: Int32Array<SharedArrayBuffer>;
}

/** What it tells at its end. */
export interface FuzzResult {
	/** Inputs that were checked. */
	readonly checked: number;
	readonly finding: Finding | null;
}

export interface Finding {
	readonly number: number;
	/** Made small, unless it is slow. */
	readonly bytes: Uint8Array;
	readonly error: string;
}

async function fuzz({ module, target: name, inputs, progress }: FuzzJob): Promise<FuzzResult> {
	const { targets } = (await import(module)) as { targets: readonly FuzzTarget[] };
	const target = targets.find((candidate) => candidate.name === name);
	if (target === undefined) throw new Error(`There is no target ${name}.`);
	const open = target.open();
	try {
		const next = inputAt(target, inputs);
		for (let number = inputs.from; ; number += 1) {
			Atomics.store(progress, 0, number);
			const bytes = next(number);
			if (bytes === null) return { checked: number - inputs.from, finding: null };
			const fault = await faultOf(open, bytes);
			if (fault !== null) {
				return { checked: number - inputs.from + 1, finding: await smallFinding(open, number, bytes, fault) };
			}
		}
	} finally {
		open.close();
	}
}

async function smallFinding(open: OpenTarget, number: number, bytes: Buffer, fault: Error): Promise<Finding> {
	if (fault instanceof SlowError) return { number, bytes, error: fault.message };
	const small = await shrink(bytes, async (part) => (await faultOf(open, part)) !== null);
	const error = (await faultOf(open, small)) ?? fault;
	return { number, bytes: small, error: error.stack ?? error.message };
}

parentPort?.postMessage(await fuzz(workerData as FuzzJob));
