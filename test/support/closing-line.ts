// Ends a test run with one plain line of counts that people and CI read the same way.
import process from "node:process";
import type { Reporter } from "vitest/node";

export default class ClosingLine implements Reporter {
	onTestRunEnd: NonNullable<Reporter["onTestRunEnd"]> = (modules, unhandledErrors) => {
		const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
		for (const module of modules) {
			for (const test of module.children.allTests()) counts[test.result().state] += 1;
			// A file or a group that fails outside of its tests has not proven what they would have.
			const suites = [...module.children.allSuites()].filter((suite) => suite.errors().length > 0).length;
			counts.failed += suites + (module.errors().length > 0 ? 1 : 0);
		}
		// An error that no test caught fails the run too, and so does a test that never ended.
		const failed = counts.failed + counts.pending + unhandledErrors.length;
		const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
		process.stdout.write(`\n${counts.passed} passed, ${failed} failed${skipped}\n`);
	};
}
