// A set-up file of the matrix: has each test file say which SDK it runs on, in the SDK's own word.
import { VERSION } from "@earendil-works/pi-coding-agent";
import { beforeAll } from "vitest";

declare module "vitest" {
	interface TaskMeta {
		sdkVersion?: string;
	}
}

// biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of wanted fixtures there
beforeAll(({}, file) => {
	file.meta.sdkVersion = VERSION;
});
