/** Messages and peers as a person sees them: pi on a real terminal of 80 columns. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, onTestFinished, test } from "vitest";
import { peerPaths } from "../../lib/peers/paths.ts";
import { openSession, type Session } from "../inbox/open-session.ts";
import { temporaryDirectory, useOwnAgentDirectory } from "../support/pi/workspaces.ts";
import { KEYS, PiTerminal, type PiTerminalOptions } from "../support/terminal/pi-terminal.ts";

/** A named peer in the test's own process, beside pi on a terminal. */
async function setting(name: string, options: Partial<PiTerminalOptions> = {}) {
	const agentDirectory = useOwnAgentDirectory();
	const describe = () => ({ name, cwd: "/home/place", status: "idle" as const });
	const session = await openSession(peerPaths(agentDirectory), { describe });
	const terminal = await PiTerminal.start({ cwd: temporaryDirectory("workspace"), ...options });
	onTestFinished(() => terminal.stop());
	return { session, terminal };
}

/** Sends to the one session on the terminal. */
async function sendThere({ presence }: Session, text: string): Promise<string> {
	const [peer] = await presence.directory.list("/");
	const { receipt } = await presence.outbox.send({ target: peer?.instanceId ?? "", text });
	return receipt.code;
}

test("a message is one folded line that says who and what about, opens with a key, and rings no bell", async () => {
	const { session, terminal } = await setting("parser 解析", { script: [{ text: "I answer my peer." }] });
	const hostile = "\u001b]0;owned\u0007\u0007\u001b]52;c;b3duZWQ=\u0007";
	const text = `Who has the lexer? ${hostile}${"長い".repeat(40)}\nsecond line\n${"word ".repeat(40)}last`;
	expect(await sendThere(session, text)).toBe("submitted");
	const folded = await terminal.waitForText("I answer my peer.");
	const line = folded.find((row) => row.includes("›")) ?? "";
	expect(line).toMatch(/› Message from @parser 解析: Who has the lexer\? /);
	expect(visibleWidth(line)).toBeLessThanOrEqual(80);
	expect(folded.join("\n")).not.toContain("second line");
	terminal.press(KEYS.expandTools);
	const expanded = await terminal.waitForText("second line");
	expect(expanded.join("\n")).toContain(`session ${session.presence.sessionId}`);
	expect(expanded.join("\n")).toContain("last");
	for (const row of expanded) expect(visibleWidth(row)).toBeLessThanOrEqual(80);
	expect([terminal.bells, terminal.clipboard]).toEqual([0, []]);
	expect(terminal.titles.filter((title) => title.includes("owned"))).toEqual([]);
	terminal.press(KEYS.expandTools);
	await terminal.waitFor((rows) => !rows.some((row) => row.includes("second line")), "the message to fold");
});

test("a message that is only shown starts no turn", async () => {
	const { session, terminal } = await setting("parser", { flags: ["--cross-session-inbound=show"] });
	expect(await sendThere(session, "For your information.")).toBe("submitted");
	const screen = await terminal.waitForText("› Message from @parser: For your information.");
	expect(screen.join("\n")).not.toContain("Working");
	// A turn would have asked the model, which has nothing to say.
	await terminal.submit("/cross-session-status");
	const status = await terminal.waitForText("submitted");
	expect(status.join("\n")).not.toContain("The script has no more replies");
});

test("an @ completes live peers beside files, and what is chosen is a target", async () => {
	const { session, terminal } = await setting("parser");
	const label = `@parser [${session.presence.instanceId.slice(0, 8)}]`;
	terminal.press("ask @pars");
	await terminal.waitForText(label);
	terminal.press("\t");
	await terminal.waitForText(`ask ${label}`);
});
