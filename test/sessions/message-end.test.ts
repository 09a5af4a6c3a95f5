/** How messages end: what is read as it stands, and what is left to a parse. */
import { describe, expect, test } from "vitest";
import { outcomes } from "../../lib/sessions/log/line-facts.ts";
import { readMessageEnd } from "../../lib/sessions/log/message-end.ts";

/** The outcome's name, or "parse" where the end is left to one. */
function read(end: string): string {
	const bytes = Buffer.from(end);
	const outcome = readMessageEnd(bytes, 0, bytes.length);
	return outcome < 0 ? "parse" : (outcomes[outcome] ?? "no outcome");
}

const cost = '{"input":0.001,"output":0.2,"total":0.201}';
const usage = `{"input":120,"output":34,"cacheRead":0,"totalTokens":154,"cost":${cost}}`;

test.each([
	[
		"pi's own",
		`,"api":"a","provider":"p","model":"m","usage":${usage},"stopReason":"toolUse","timestamp":17}}`,
		"toolUse",
	],
	["keys behind the reason", ',"stopReason":"error","errorMessage":"a \\"quoted\\" \\u0041 }} ü","x":null}}', "error"],
	["an unknown reason", ',"stopReason":"tired"}}', "unknown"],
	["no reason", ',"timestamp":0}}', "unknown"],
	["nothing", "}}", "unknown"],
	[
		"what looks like a reason in a string",
		',"errorMessage":",\\"stopReason\\":\\"stop\\"","stopReason":"aborted"}}',
		"aborted",
	],
	["what looks like a reason in an object", ',"usage":{"stopReason":"stop"},"stopReason":"length"}}', "length"],
])("of %s the outcome is read", (_name, end, outcome) => {
	expect(read(end)).toBe(outcome);
});

describe("left to a parse", () => {
	test.each([
		["a reason that stands twice", ',"stopReason":"stop","stopReason":"error"}}'],
		["a reason that is no plain string", ',"stopReason":"st\\u006fp"}}'],
		["a reason that is no string", ',"stopReason":null}}'],
		["another role", ',"role":"user"}}'],
		["another content", ',"content":[]}}'],
		["a key with an escape", ',"r\\u006fle":"user"}}'],
		["an array", ',"x":[1]}}'],
		["a fraction", ',"x":1.5}}'],
		["a number that is none", ',"x":01}}'],
		["an escape that is none", ',"x":"\\q"}}'],
		["a raw line break in a string", ',"x":"a\nb"}}'],
		["an open string", ',"x":"a}}'],
		["objects deeper than pi's", ',"x":{"a":{"b":{}}}}}'],
		["a comma too many", ',"x":1,}}'],
		["a brace too many", ',"x":1}}}'],
		["a brace too few", ',"x":1}'],
		["an end of thousands of bytes", `,"errorMessage":"${"x".repeat(2048)}"}}`],
	])("%s", (_name, end) => {
		expect(read(end)).toBe("parse");
	});
});
