// `./run-clean.sh matrix [VERSION…] [FILE…]`: runs the tests that face the SDK on every supported SDK, or on those that
// are named, and tells what ran on which. Whether a file ran on the SDK that was meant is for that SDK itself to say.
import path from "node:path";
import process from "node:process";
import { startVitest, type TestModule } from "vitest/node";
import { newestOnly, sdkFacingTests } from "./sdk-facing.ts";
import { type SupportedSdk, supportedSdks } from "./supported-sdks.ts";

const project = path.resolve(import.meta.dirname, "../..");

/** What one test file came to on one SDK. */
interface FileResult {
	readonly file: string;
	readonly passed: number;
	readonly failed: number;
	/** What the SDK that was loaded calls itself; null when the file ended before it could be asked. */
	readonly loaded: string | null;
}

async function runOn(sdk: SupportedSdk, files: readonly string[]): Promise<readonly FileResult[]> {
	// Worker processes inherit it, and they hand it on to the pi processes that tests start.
	process.env.PI_SDK_ROOT = sdk.root;
	const vitest = await startVitest([...files], {
		root: project,
		watch: false,
		reporters: ["default"],
		setupFiles: ["test/support/own-agent-directory.ts", "test/sdk/loaded-version.ts"],
	});
	const results = vitest.state.getTestModules().map(toResult);
	const unhandled = vitest.state.getUnhandledErrors().length;
	await vitest.close();
	return unhandled === 0
		? results
		: [...results, { file: "(outside of tests)", passed: 0, failed: unhandled, loaded: sdk.version }];
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

/** The results and everything that makes them no proof: a file on another SDK, or one that did not run at all. */
function judge(sdk: SupportedSdk, files: readonly string[], results: readonly FileResult[]): FileResult[] {
	const judged = results.map((result) =>
		result.loaded === sdk.version ? result : { ...result, failed: result.failed + 1 },
	);
	const ran = new Set(results.map(({ file }) => file));
	const missing = files.filter((file) => !ran.has(file));
	return [...judged, ...missing.map((file) => ({ file, passed: 0, failed: 1, loaded: null }))];
}

const given = process.argv.slice(2);
const versions = given.filter((word) => /^\d/.test(word));
const filters = given.filter((word) => !versions.includes(word));
const chosen = supportedSdks(project).filter(
	({ version }) => versions.length === 0 || versions.some((start) => version.startsWith(start)),
);
const facing = sdkFacingTests(project).filter(
	(file) => filters.length === 0 || filters.some((filter) => file.includes(filter)),
);

const report: string[] = [];
const total = { passed: 0, failed: 0 };
for (const sdk of chosen) {
	const files = facing.filter((file) => sdk.isNewest || !(file in newestOnly));
	console.log(`\n== pi ${sdk.version}: ${files.length} test files`);
	const results = judge(sdk, files, files.length === 0 ? [] : await runOn(sdk, files));
	const sum = { passed: 0, failed: 0 };
	report.push(`\npi ${sdk.version}`);
	for (const { file, passed, failed, loaded } of results) {
		sum.passed += passed;
		sum.failed += failed;
		report.push(
			`  ${failed > 0 ? "FAILED" : "ok    "}  loaded ${loaded ?? "nothing"}  ${passed} passed, ${failed} failed  ${file}`,
		);
	}
	for (const file of facing) {
		if (!files.includes(file)) report.push(`  not here: ${file} ${newestOnly[file]}`);
	}
	report.push(`  together: ${sum.passed} passed, ${sum.failed} failed`);
	total.passed += sum.passed;
	total.failed += sum.failed;
}
console.log(report.join("\n"));
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
