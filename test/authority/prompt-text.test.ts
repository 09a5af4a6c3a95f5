import { describe, expect, it } from "vitest";
import { matchPrompt } from "../../lib/authority/prompt-text.ts";

const skill = (name: string, body = "Do it.") =>
	`<skill name="${name}" location="/s/${name}/SKILL.md">\nReferences are relative to /s/${name}.\n\n${body}\n</skill>`;
const resized =
	"[Image: original 4000x3000, displayed at 2000x1500. Multiply coordinates by 2.00 to map to original image.]";

describe("a prompt and the message it became", () => {
	it.each([
		["the same text", "hello", "hello", "same"],
		["another text", "hello", "Hello", "other"],
		["an empty input", "", "", "same"],
		["a skill without arguments", "/skill:review", skill("review"), "same"],
		["a skill with arguments", "/skill:review  the diff ", `${skill("review")}\n\nthe diff`, "same"],
		["a skill with other arguments", "/skill:review x", `${skill("review")}\n\nthe diff`, "possible"],
		["another skill", "/skill:review", skill("revise"), "possible"],
		["a skill with a longer name", "/skill:reviews", skill("review"), "possible"],
		["a template", "/fix it", "Fix the bug: it", "possible"],
		["a skill block that nobody asked for", "review", skill("review"), "other"],
	] as const)("%s", (_title, input, message, expected) => {
		expect(matchPrompt({ text: input, images: false }, message)).toBe(expected);
	});

	it("allows the hints about images only when images came with the input", () => {
		const message = `look\n\n${resized}\n[Image converted from image/bmp to image/png.]`;
		expect(matchPrompt({ text: "look", images: true }, message)).toBe("same");
		expect(matchPrompt({ text: "look", images: false }, message)).toBe("other");
		expect(matchPrompt({ text: "look", images: true }, "look\n\n[Image of a cat] do more")).toBe("other");
		expect(matchPrompt({ text: "/skill:a", images: true }, `${skill("a")}\n\n${resized}`)).toBe("same");
	});

	it("stays quick for long texts that almost match", () => {
		const text = `<skill name="a" location="b">\n${"\n</skill>\n\n".repeat(100_000)}`;
		const started = performance.now();
		expect(matchPrompt({ text: "/skill:a x", images: true }, text)).toBe("possible");
		expect(performance.now() - started).toBeLessThan(500);
	});
});
