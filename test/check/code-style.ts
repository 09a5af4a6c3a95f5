// One formatter and one linter for every file of the project; a warning is as good as an error.
import type { Step } from "./step.ts";
import { requireTool } from "./step.ts";

export const codeStyle: Step = {
	proves: "every file is formatted, and the linter finds nothing",
	async run() {
		await requireTool("biome", ["check", "--error-on-warnings", "--diagnostic-level=warn", "--colors=off", "."]);
	},
};
