/** What package.json says to npm, to pi and to the gallery of pi's packages. */
import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const project = path.resolve(import.meta.dirname, "../..");
const manifest = JSON.parse(readFileSync(path.join(project, "package.json"), "utf8"));

/** What pi brings along: a second copy in an extension would break it. */
const broughtByPi = /^(@earendil-works\/pi-|typebox$)/;

test("the gallery finds it by its keyword and shows one sentence that fits a card", () => {
	expect(manifest.keywords).toContain("pi-package");
	expect(manifest.description).toMatch(/^[A-Z][^.]{20,140}\.$/);
	expect(manifest).toMatchObject({ license: "MIT", private: false });
});

test("pi loads its one extension, and its changelog from where pi looks for it", () => {
	expect(manifest.pi.extensions).toEqual(["./extension.ts"]);
	expect(manifest.pi.changelogPath).toBeUndefined();
	expect(existsSync(path.join(project, "CHANGELOG.md"))).toBe(true);
});

test("it brings what its sources import and pi does not, and asks for no more", () => {
	const imported = [...importedPackages()].sort();
	const isBroughtByPi = (name: string) => broughtByPi.test(name);
	expect(Object.keys(manifest.dependencies).sort()).toEqual(imported.filter((name) => !isBroughtByPi(name)));
	const peers = imported.filter(isBroughtByPi).map((name) => [name, "*"]);
	expect(Object.entries(manifest.peerDependencies).sort()).toEqual(peers);
});

/** Names of the packages that the published sources load, types included. */
function importedPackages(): Set<string> {
	const files = ["extension.ts", ...globSync("lib/**/*.ts", { cwd: project })];
	const found = files.flatMap((file) => [
		...readFileSync(path.join(project, file), "utf8").matchAll(
			/\b(?:from|import)\s*\(?\s*"((?!node:)[^.".\n][^"\n]*)"/g,
		),
	]);
	return new Set(found.map(([, name = ""]) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? ""));
}
