// What the matrix runs, and on what.
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { faultsOfLock } from "../check/lock-file.ts";
import { choose } from "../sdk/choice.ts";
import { newestOnly, sdkFacingTests } from "../sdk/sdk-facing.ts";
import { supportedSdks } from "../sdk/supported-sdks.ts";
import { projectDirectory } from "./door.ts";

describe("a test faces the SDK", () => {
	const files: Readonly<Record<string, string>> = {
		"test/itself.test.ts": 'import { VERSION } from "@earendil-works/pi-coding-agent"; VERSION;',
		"test/by-typebox.test.ts": 'import { Type } from "typebox"; Type;',
		"test/by-an-import.test.ts": 'import "./support/a.ts";',
		"test/by-a-late-import.test.ts": 'await import("../lib/b.ts");',
		"test/for-types.test.ts":
			'import type { ExtensionAPI } from "@earendil-works/pi-coding-agent"; export type A = ExtensionAPI;',
		"test/in-a-circle.test.ts": 'import "./support/c.ts";',
		"test/not-at-all.test.ts": 'import "./nowhere.ts"; import "zod";',
		"test/support/a.ts": 'export * from "../../lib/b.ts";',
		"test/support/c.ts": 'import "./c.ts";',
		"lib/b.ts": 'export * from "@earendil-works/pi-tui";',
	};

	it("when what it loads reaches the SDK, and not for its types", async () => {
		const project = await mkdtemp(path.join(tmpdir(), "facing-"));
		for (const [file, text] of Object.entries(files)) {
			await mkdir(path.dirname(path.join(project, file)), { recursive: true });
			await writeFile(path.join(project, file), text);
		}
		expect(sdkFacingTests(project)).toEqual([
			"test/by-a-late-import.test.ts",
			"test/by-an-import.test.ts",
			"test/by-typebox.test.ts",
			"test/itself.test.ts",
		]);
	});

	it("also in this project: what is left out on older SDKs is among them", () => {
		const facing = sdkFacingTests(projectDirectory);
		expect(facing).toEqual(expect.arrayContaining([...Object.keys(newestOnly), "test/pi/sdk-version.test.ts"]));
		expect(facing).not.toContain("test/contract/bridge.test.ts");
	});
});

it("the supported SDKs are the ones that the two package.json files ask for", () => {
	expect(supportedSdks(projectDirectory).map(({ version }) => version)).toEqual(["0.83.0", "0.84.4", "1.6.0"]);
});

describe("the command line", () => {
	const all = { sdks: supportedSdks(projectDirectory), files: ["test/a.test.ts", "test/b.test.ts"] };
	const chosen = (...given: string[]) => {
		const { sdks, files } = choose(given, all);
		return [sdks.map(({ version }) => version), files];
	};

	it("that says nothing chooses every SDK and every file", () => {
		expect(chosen()).toEqual([["0.83.0", "0.84.4", "1.6.0"], all.files]);
	});

	it("chooses SDKs by how their versions begin, all but the newest by one word, and files by a part of their paths", () => {
		expect(chosen("0.84", "1")).toEqual([["0.84.4", "1.6.0"], all.files]);
		expect(chosen("--older", "b.test")).toEqual([["0.83.0", "0.84.4"], ["test/b.test.ts"]]);
		expect(chosen("0.85", "c.test")).toEqual([[], []]);
	});
});

it("the older SDKs are locked without download addresses", () => {
	const read = (name: string) => readFileSync(path.join(projectDirectory, "test/sdk", name), "utf8");
	expect(faultsOfLock(read("package-lock.json"), read("package.json"))).toEqual([]);
});
