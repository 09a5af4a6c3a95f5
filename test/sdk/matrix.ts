// `./run-clean.sh matrix [--older] [VERSION…] [FILE…]`: runs the tests that face the SDK on every supported SDK, on all
// but the newest, or on those that are named, and tells what ran on which. Whether a file ran on the SDK that was meant is
// for that SDK itself to say. SDKs run side by side where there are processors for it.
import { fork } from "node:child_process";
import { once } from "node:events";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { choose } from "./choice.ts";
import type { FileResult } from "./file-result.ts";
import { newestOnly, sdkFacingTests } from "./sdk-facing.ts";
import { type SupportedSdk, supportedSdks } from "./supported-sdks.ts";

const project = path.resolve(import.meta.dirname, "../..");
const processors = os.availableParallelism();

/** Runs files on one SDK, each line of output marked with it. What ends without results has none. */
async function runOn(sdk: SupportedSdk, files: readonly string[], workers: number): Promise<readonly FileResult[]> {
	const child = fork(path.join(import.meta.dirname, "run-files.ts"), [String(workers), ...files], {
		// Its workers inherit the choice, and hand it on to the pi processes that tests start.
		env: { ...process.env, PI_SDK_ROOT: sdk.root },
		stdio: ["ignore", "pipe", "pipe", "ipc"],
	});
	for (const stream of [child.stdout, child.stderr]) {
		if (stream) createInterface(stream).on("line", (line) => console.log(`[${sdk.version}] ${line}`));
	}
	let results: readonly FileResult[] = [];
	child.on("message", (message) => {
		results = message as readonly FileResult[];
	});
	await once(child, "close");
	return results;
}

/** The results and everything that makes them no proof: a file on another SDK, or one that did not run at all. */
function judge(sdk: SupportedSdk, files: readonly string[], results: readonly FileResult[]): FileResult[] {
	const judged = results.map((result) =>
		result.loaded === sdk.version || result.failed > 0 ? result : { ...result, failed: 1 },
	);
	const ran = new Set(results.map(({ file }) => file));
	const missing = files.filter((file) => !ran.has(file));
	return [...judged, ...missing.map((file) => ({ file, passed: 0, failed: 1, loaded: null }))];
}

/** What is known of one SDK when its files have run. */
interface Outcome {
	readonly passed: number;
	readonly failed: number;
	readonly lines: readonly string[];
}

async function runSdk(sdk: SupportedSdk, facing: readonly string[], workers: number): Promise<Outcome> {
	const files = facing.filter((file) => sdk.isNewest || !(file in newestOnly));
	console.log(`\n== pi ${sdk.version}: ${files.length} test files`);
	const results = judge(sdk, files, files.length === 0 ? [] : await runOn(sdk, files, workers));
	const passed = results.reduce((sum, result) => sum + result.passed, 0);
	const failed = results.reduce((sum, result) => sum + result.failed, 0);
	const left = facing.filter((file) => !files.includes(file));
	const lines = [
		`\npi ${sdk.version}`,
		...results.map(resultLine),
		...left.map((file) => `  not here: ${file} ${newestOnly[file]}`),
		`  together: ${passed} passed, ${failed} failed`,
	];
	return { passed, failed, lines };
}

function resultLine({ file, passed, failed, loaded }: FileResult): string {
	const word = failed > 0 ? "FAILED" : "ok    ";
	return `  ${word}  loaded ${loaded ?? "nothing"}  ${passed} passed, ${failed} failed  ${file}`;
}

const all = { sdks: supportedSdks(project), files: sdkFacingTests(project) };
const { sdks, files: facing } = choose(process.argv.slice(2), all);
const atOnce = Math.min(sdks.length, processors);
const waiting = [...sdks];
const outcomes = new Map<SupportedSdk, Outcome>();
await Promise.all(
	Array.from({ length: atOnce }, async () => {
		for (let sdk = waiting.shift(); sdk !== undefined; sdk = waiting.shift()) {
			outcomes.set(sdk, await runSdk(sdk, facing, Math.max(1, Math.floor(processors / atOnce))));
		}
	}),
);
const reports = sdks.flatMap((sdk) => outcomes.get(sdk) ?? []);
for (const { lines } of reports) console.log(lines.join("\n"));
const passed = reports.reduce((sum, report) => sum + report.passed, 0);
const failed = reports.reduce((sum, report) => sum + report.failed, 0);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
