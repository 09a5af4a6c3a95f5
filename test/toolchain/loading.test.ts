// pi, adapters and tests load the sources as they stand, with the types taken away and nothing compiled.
import { globSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { projectDirectory } from "./door.ts";

const files = globSync("{extension.ts,lib/**/*.ts}", { cwd: projectDirectory });

it.for(files)("Node loads %s alone", async (file) => {
	expect(await import(pathToFileURL(path.join(projectDirectory, file)).href)).toBeTypeOf("object");
});
