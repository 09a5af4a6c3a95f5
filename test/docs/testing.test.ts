/** The commands of the text on fuzzing and the soak. */
import { expect, test } from "vitest";
import { readOptions } from "../torture/options.ts";
import { fencedBlocks } from "./fenced-blocks.ts";

const lines = fencedBlocks("docs/testing.md").flatMap(({ text }) => text.trimEnd().split("\n"));
const argumentsOf = (line: string) =>
	/^\.\/run-clean\.sh torture (.*?) +#/.exec(line)?.[1]?.split(" ") ?? ["not a command of torture"];

test.each(lines)("%s: is a command that torture takes", (line) => {
	expect(readOptions(argumentsOf(line)).milliseconds).toBeGreaterThan(0);
});

test("an option that torture does not have is refused", () => {
	expect(() => readOptions(["--minuets", "3"])).toThrow("--minuets");
});
