// `./run-clean.sh check`: runs every step, prints a line for each and what a failed one found, and ends with the counts.
import process from "node:process";
import { codeStyle } from "./code-style.ts";
import { directions, plantedViolations } from "./directions.ts";
import { lockFile } from "./lock-file.ts";
import { compiledDoors, packageContents } from "./package-contents.ts";
import { releaseTexts } from "./release-texts.ts";
import type { Step } from "./step.ts";
import { CheckFailure } from "./step.ts";
import { compilerVersion, types } from "./types.ts";

const steps: readonly Step[] = [
	codeStyle,
	compilerVersion,
	types,
	directions,
	plantedViolations,
	lockFile,
	releaseTexts,
	packageContents,
	compiledDoors,
];

let failed = 0;
for (const { proves, run } of steps) {
	try {
		await run();
		console.log(`ok      ${proves}`);
	} catch (error) {
		failed += 1;
		console.log(`FAILED  ${proves}`);
		// Of a fault in the check itself the stack is what helps.
		const finding =
			error instanceof CheckFailure ? error.message : error instanceof Error ? error.stack : String(error);
		console.log(`        ${(finding ?? "").trim().replaceAll("\n", "\n        ")}`);
	}
}
console.log(`\n${steps.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
