/**
 * Waiting for conditions.
 */
import { setTimeout } from "node:timers/promises";

/** Resolves with the first answer that is not undefined; undefined when there is none in time. */
export async function untilDefined<Answer>(
	ask: () => Answer | undefined | Promise<Answer | undefined>,
	milliseconds: number,
	pause = 50,
): Promise<Answer | undefined> {
	const until = performance.now() + milliseconds;
	for (;;) {
		const answer = await ask();
		if (answer !== undefined || performance.now() >= until) return answer;
		await setTimeout(pause);
	}
}

/** Whether the condition came to hold in time. */
export async function untilTrue(
	holds: () => boolean | Promise<boolean>,
	milliseconds: number,
	pause?: number,
): Promise<boolean> {
	return (await untilDefined(async () => ((await holds()) ? true : undefined), milliseconds, pause)) === true;
}
