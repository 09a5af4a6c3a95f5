// Runs test files on the SDK that PI_SDK_ROOT names, and sends their results to the process that asked for it. A process
// of its own for each SDK, because the choice of an SDK holds for a whole process and for all that it starts.
// Arguments: how many files run at the same time, and the files.
import path from "node:path";
import process from "node:process";
import { startVitest, type TestModule } from "vitest/node";
import type { FileResult } from "./file-result.ts";

const project = path.resolve(import.meta.dirname, "../..");

async function run(maxWorkers: number, files: string[]): Promise<readonly FileResult[]> {
	const vitest = await startVitest(files, {
		root: project,
		watch: false,
		maxWorkers,
		reporters: ["default"],
		setupFiles: ["test/support/own-agent-directory.ts", "test/sdk/loaded-version.ts"],
	});
	const results = vitest.state.getTestModules().map(toResult);
	const unhandled = vitest.state.getUnhandledErrors().length;
	await vitest.close();
	if (unhandled > 0) results.push({ file: "(outside of tests)", passed: 0, failed: unhandled, loaded: null });
	return results;
}

function toResult(module: TestModule): FileResult {
	const states = [...module.children.allTests()].map((test) => test.result().state);
	const faults = module.errors().length + [...module.children.allSuites()].flatMap((suite) => suite.errors()).length;
	const passed = states.filter((state) => state === "passed").length;
	return {
		file: path.relative(project, module.moduleId),
		passed,
		failed: states.length - passed + (faults > 0 ? 1 : 0),
		loaded: module.meta().sdkVersion ?? null,
	};
}

const [maxWorkers = "1", ...files] = process.argv.slice(2);
const results = await run(Number(maxWorkers), files);
// The failures are told by the results; this process did what it was asked for.
process.exitCode = 0;
process.send?.(results);
