// While coverage is measured: writes a test file's counts when its last hook has run. V8 would write them when the process
// ends, but vitest gives a process half a second to end, and kills it, counts and all, where that is not enough.
import { stopCoverage, takeCoverage } from "node:v8";
import { afterAll } from "vitest";

// Hooks run in reverse order of their registration: this one, registered by the first set-up file, comes last.
afterAll(() => {
	takeCoverage();
	stopCoverage();
});
