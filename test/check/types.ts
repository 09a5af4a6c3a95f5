// The types of the product, its tests (those of the types themselves included: `*.test-d.ts`) and the examples in the docs.
import type { Step } from "./step.ts";
import { CheckFailure, requireTool } from "./step.ts";

/** Two compilers are installed, because tools that read TypeScript need the API of 6; the one that judges is 7. */
export const compilerVersion: Step = {
	proves: "the compiler is TypeScript 7",
	async run() {
		const version = (await requireTool("tsc", ["-v"])).trim();
		if (!/^Version 7\./.test(version))
			throw new CheckFailure(`tsc -v said "${version}": install what the lock asks for`);
	},
};

export const types: Step = {
	proves: "all types hold",
	async run() {
		await requireTool("tsc", ["-p", ".", "--pretty", "false"]);
	},
};
