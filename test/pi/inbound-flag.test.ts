/** What may come in, by flag and configuration. */
import { expect, test } from "vitest";
import type { InboundMode } from "../../lib/inbox/inbox.ts";
import { chooseInbound } from "../../lib/pi/flags.ts";

const rows: [flag: string | boolean | undefined, configured: InboundMode, mode: InboundMode, hasProblem: boolean][] = [
	[undefined, "accept", "accept", false],
	[undefined, "refuse", "refuse", false],
	["accept", "refuse", "accept", false],
	["show", "accept", "show", false],
	["refuse", "accept", "refuse", false],
	["Accept", "accept", "refuse", true],
	["", "accept", "refuse", true],
	["accept ", "accept", "refuse", true],
	[true, "accept", "refuse", true],
	["__proto__", "accept", "refuse", true],
];

test.each(rows)("%j on the command line and %s in the file: %s", (flag, configured, mode, hasProblem) => {
	const chosen = chooseInbound(flag, configured);
	expect([chosen.mode, chosen.problem !== null]).toEqual([mode, hasProblem]);
});

test("what was wrong with the flag is said without repeating it, and with what to do", () => {
	const { problem } = chooseInbound("\u001b[2Jopen", "accept");
	expect(problem).toMatch(/accept, show or refuse.*\/cross-session-inbound/);
	expect(problem).not.toContain("open");
});
