/** Four real sessions by a seeded script, for some seconds; `./run-clean.sh torture --soak` goes on for minutes. */
import { expect, test } from "vitest";
import { drawSeed } from "./fuzz/inputs.ts";
import { runSoak } from "./soak/soak.ts";

/** How long the script goes on, in ms. The starts, the measures and the ends take longer than that. */
const MOMENT_MS = 5000;
/** Nine starts of pi or so on a machine that is busy, in ms. */
const PATIENCE_MS = 240_000;

test(
	"four sessions that talk, reload, abort, compact and die lose no message, show no secret and leave nothing",
	async () => {
		const seed = drawSeed();
		const told: string[] = [];
		const onProgress = (line: string) => told.push(line);
		const { broken, messages, actions } = await runSoak({ seed, milliseconds: MOMENT_MS, onProgress });
		console.log(`soak: seed ${seed}, ${JSON.stringify(actions)}, ${JSON.stringify(messages)}`);
		expect(broken, `./run-clean.sh torture --soak --seed ${seed}`).toEqual([]);
		// The last round alone: one of each to each.
		expect(messages.stored).toBeGreaterThanOrEqual(12);
	},
	PATIENCE_MS,
);
