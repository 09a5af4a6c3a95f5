/** What a model that runs in the test itself says that an answer took. */
import type { Usage } from "@earendil-works/pi-ai";

export const LOCAL_USAGE: Usage = {
	input: 1,
	output: 1,
	cacheRead: 0,
	cacheWrite: 0,
	totalTokens: 2,
	cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
