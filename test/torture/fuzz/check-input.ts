/**
 * One input, checked: beside what the target promises, what every parser here promises. It leaves the language's own
 * objects alone, and it ends soon.
 */
import type { OpenTarget } from "./target.ts";

/** Processor time that the longest input may take, in ms. An input of a hundred kilobytes takes a few. */
const SLOW_MS = 1000;

/** An input took too long; trying parts of it would take long too. */
export class SlowError extends Error {}

/** Returns what broke a promise, or null. */
export async function faultOf(target: OpenTarget, bytes: Buffer): Promise<Error | null> {
	const start = performance.now();
	const fault = await thrownBy(target, bytes);
	if (fault !== null || performance.now() - start < SLOW_MS) return fault;
	// Once more by the processor's time: on a busy machine it may have been somebody else's turn.
	const before = process.cpuUsage();
	await thrownBy(target, bytes);
	const { user, system } = process.cpuUsage(before);
	const milliseconds = Math.round((user + system) / 1000);
	return milliseconds < SLOW_MS ? null : new SlowError(`It took ${milliseconds} ms of processor time.`);
}

async function thrownBy(target: OpenTarget, bytes: Buffer): Promise<Error | null> {
	try {
		await target.check(bytes);
		return Object.keys(Object.prototype).length > 0 ? new Error("Every object has a new property.") : null;
	} catch (error) {
		return error instanceof Error ? error : new Error(`Thrown: ${String(error)}`);
	} finally {
		for (const key of Object.keys(Object.prototype)) Reflect.deleteProperty(Object.prototype, key);
	}
}
