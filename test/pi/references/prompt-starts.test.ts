/** Which input a turn belongs to that starts. */
import { describe, expect, test } from "vitest";
import { PromptStarts } from "../../../lib/pi/references/prompt-starts.ts";

type Input = readonly [text: string, prepared?: string];

/** What the turn of `prompt` takes after these inputs, and what the same turn takes once more. */
function taken(inputs: readonly Input[], ...prompts: string[]): (string | null)[] {
	const starts = new PromptStarts<string>();
	for (const [index, [text, prepared]] of inputs.entries())
		starts.open(text, prepared ?? null, { at: index, typed: false });
	return prompts.map((prompt) => starts.start(prompt));
}

const skill = '<skill name="review" location="/s/SKILL.md">\nLook closely.\n</skill>\n\n@a';

describe("what was prepared for a prompt", () => {
	const cases: [name: string, inputs: Input[], prompts: string[], expected: (string | null)[]][] = [
		["goes with that prompt, once", [["see @a", "A"]], ["see @a", "see @a"], ["A", null]],
		["stays behind when another prompt starts", [["see @a", "A"], ["hello"]], ["hello", "see @a"], [null, null]],
		["goes with the prompt before another one", [["see @a", "A"], ["hello"]], ["see @a", "hello"], ["A", null]],
		[
			"goes with its own of two",
			[
				["see @a", "A"],
				["see @b", "B"],
			],
			["see @a", "see @b"],
			["A", "B"],
		],
		["goes with the newest of two equal texts", [["see @a", "A"], ["see @a"]], ["see @a"], [null]],
		["goes with what a skill made of it", [["/skill:review @a", "A"], ["hello"]], [skill], ["A"]],
		["does not go with another skill", [["/skill:test @a", "A"], ["/skill:review @a"]], [skill], [null]],
		["goes with what a template made of it", [["/greet @a", "A"]], ["Say hello to @a."], ["A"]],
		["does not go with a later prompt that was changed", [["see @a", "A"], ["hello"]], ["HELLO"], [null]],
		["goes with nothing where nothing was let through", [], ["hello"], [null]],
	];

	test.each(cases)("%s", (_name, inputs, prompts, expected) => {
		expect(taken(inputs, ...prompts)).toEqual(expected);
	});

	test("is forgotten when too many inputs came to nothing", () => {
		const inputs = Array.from({ length: 17 }, (_, index): Input => [`prompt ${index}`, String(index)]);
		const starts = new PromptStarts<string>();
		for (const [text, prepared = null] of inputs) starts.open(text, prepared, { at: 1, typed: false });
		expect(starts.start("prompt 1")).toBe("1");
		expect(starts.isOpen(0, 9)).toBe(true);
		starts.clear();
		expect([starts.isOpen(0, 9), starts.start("prompt 16")]).toEqual([false, null]);
	});
});

test("an input is open until its turn or a later one starts; what is typed later starts later", () => {
	const starts = new PromptStarts<string>();
	const open = () => [starts.isOpen(5, 9), starts.isOpen(5, 6), starts.isOpen(5, 5)];
	starts.open("old", null, { at: 5, typed: false });
	expect(open()).toEqual([false, false, false]);
	starts.open("typed", null, { at: 6, typed: true });
	expect(open()).toEqual([true, true, false]);
	starts.open("sent", null, { at: 7, typed: false });
	expect(open()).toEqual([true, true, true]);
	starts.start("sent");
	expect(open()).toEqual([false, false, false]);
});
