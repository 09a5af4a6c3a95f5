// The parts of `./run-clean.sh check` that read npm's files, and what makes them fail.
import { describe, expect, it } from "vitest";
import { faultsOfLock } from "../check/lock-file.ts";
import { faultsOfPackage, type Packed, parsePackReport } from "../check/package-contents.ts";

const manifest = JSON.stringify({
	dependencies: { zod: "4.0.0" },
	exports: {
		".": "./extension.ts",
		"./contract": { types: "./dist/contract/index.d.ts" },
		"./references": { types: "./dist/references/index.d.ts" },
	},
	pi: { extensions: ["./extension.ts"] },
});

describe("the lock file", () => {
	const lockOf = (root: object, zod: object) =>
		JSON.stringify({ packages: { "": root, "node_modules/zod": { version: "4.0.0", ...zod } } });

	it("is right when it fits package.json and names no address", () => {
		expect(faultsOfLock(lockOf({ dependencies: { zod: "4.0.0" } }, {}), manifest)).toEqual([]);
	});

	it("is wrong with a download address", () => {
		const lock = lockOf({ dependencies: { zod: "4.0.0" } }, { resolved: "https://example.org/zod.tgz" });
		expect(faultsOfLock(lock, manifest)).toEqual([expect.stringContaining("node_modules/zod has a download address")]);
	});

	it("is wrong when package.json asks for something else", () => {
		expect(faultsOfLock(lockOf({ dependencies: { zod: "4.0.1" } }, {}), manifest)).toEqual([
			expect.stringContaining("dependencies differ"),
		]);
	});
});

describe("the package", () => {
	const texts = ["package.json", "README.md", "CHANGELOG.md", "LICENSE"];
	const needed = [...texts, "extension.ts", "dist/contract/index.d.ts", "dist/references/index.d.ts"];
	const packedOf = (files: readonly string[], size = 1_000): Packed => ({
		filename: "p.tgz",
		size,
		unpackedSize: size,
		files: files.map((file) => ({ path: file })),
	});

	it("is read from the list that npm 11 prints and from the object that npm 12 prints", () => {
		const packed = packedOf(needed);
		expect(parsePackReport(JSON.stringify([packed]))).toEqual(packed);
		expect(parsePackReport(JSON.stringify({ "pi-cross-session-rpc": packed }))).toEqual(packed);
	});

	it("is right with the published kinds of files", () => {
		const files = [...needed, "lib/wire/frames.ts", "dist/contract/topics.js", "docs/adapters.md", "docs/example.ts"];
		files.push("docs/examples/an-adapter/package.json", "docs/examples/an-adapter/README.md");
		expect(faultsOfPackage(packedOf(files), manifest)).toEqual([]);
	});

	it.for(["test/a.ts", "lib/wire/frames.test.js", ".env", "dist/lib/a.js", "docs/film.mp4", "node_modules/zod/a.ts"])(
		"is wrong with %s in it",
		(file) => {
			expect(faultsOfPackage(packedOf([...needed, file]), manifest)).toEqual([
				`${file} is of no kind that is published`,
			]);
		},
	);

	it.for(needed)("is wrong without %s", (file) => {
		const files = needed.filter((name) => name !== file);
		expect(faultsOfPackage(packedOf(files), manifest)).toEqual([`${file} is missing`]);
	});

	it("is wrong when it is too heavy", () => {
		expect(faultsOfPackage(packedOf(needed, 5_000_000), manifest)).toHaveLength(2);
	});
});
