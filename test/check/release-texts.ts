// The texts that go with every release: a licence that is the one package.json names, and a changelog with an entry for it.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type { Step } from "./step.ts";
import { CheckFailure, projectDirectory } from "./step.ts";

const manifestSchema = z.looseObject({ version: z.string(), license: z.string() });

export const releaseTexts: Step = {
	proves: "licence and changelog are there and fit package.json",
	async run() {
		const read = (name: string) =>
			readFile(path.join(projectDirectory, name), "utf8").catch(() => {
				throw new CheckFailure(`there is no ${name}`);
			});
		const { version, license } = manifestSchema.parse(JSON.parse(await read("package.json")));
		if (!(await read("LICENSE")).startsWith(`${license} License`)) {
			throw new CheckFailure(`LICENSE does not begin with "${license} License", which package.json names`);
		}
		const headings = (await read("CHANGELOG.md")).split("\n").filter((line) => line.startsWith("## ["));
		if (!headings.some((line) => line.startsWith("## [Unreleased]") || line.startsWith(`## [${version}]`))) {
			throw new CheckFailure(`CHANGELOG.md has no heading for [Unreleased] or [${version}]`);
		}
	},
};
