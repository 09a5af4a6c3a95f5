// How the tests run: each file in a process of its own, its types stripped by Node itself (so that what is tested, what
// pi loads and what coverage measures are one and the same text), and nothing is tried twice.
import { defineConfig } from "vitest/config";

const measuringCoverage = process.env.NODE_V8_COVERAGE !== undefined;

export default defineConfig({
	test: {
		include: ["test/**/*.test.ts"],
		exclude: ["**/node_modules/**"],
		setupFiles: [
			...(measuringCoverage ? ["test/support/write-coverage.ts"] : []),
			"test/support/own-agent-directory.ts",
		],
		pool: "forks",
		experimental: { viteModuleRunner: false },
		// Generous, because machines are slow and shared; nothing waits for a timeout to pass.
		testTimeout: 30_000,
		hookTimeout: 30_000,
		retry: 0,
		allowOnly: false,
		passWithNoTests: false,
		reporters: ["default", "./test/support/closing-line.ts"],
	},
});
