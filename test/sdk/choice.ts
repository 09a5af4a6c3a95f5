// What the command line of the matrix chooses: SDKs and test files.
import type { SupportedSdk } from "./supported-sdks.ts";

export interface Choice {
	readonly sdks: readonly SupportedSdk[];
	readonly files: readonly string[];
}

/** `--older` leaves out the newest SDK; words that begin with a digit choose SDKs, all others files by a part of the path. */
export function choose(given: readonly string[], all: Choice): Choice {
	const older = given.includes("--older");
	const versions = given.filter((word) => /^\d/.test(word));
	const parts = given.filter((word) => word !== "--older" && !versions.includes(word));
	const chosenVersion = ({ version }: SupportedSdk) =>
		versions.length === 0 || versions.some((start) => version.startsWith(start));
	return {
		sdks: all.sdks.filter((sdk) => chosenVersion(sdk) && !(older && sdk.isNewest)),
		files: all.files.filter((file) => parts.length === 0 || parts.some((part) => file.includes(part))),
	};
}
