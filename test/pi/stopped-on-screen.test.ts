/** A session that takes no messages any more, as the person sees it: pi on a real terminal of 80 columns. */
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory, useOwnAgentDirectory } from "../support/pi/workspaces.ts";
import { PiTerminal } from "../support/terminal/pi-terminal.ts";

const statusLine = "messages stopped: /cross-session-resume";

/** How often the screen says it; long lines are broken somewhere. */
function timesTold(rows: readonly string[]): number {
	const text = rows.join(" ").replaceAll(/\s+/g, " ");
	return text.split("so this session takes no more messages").length - 1;
}

test("it is told once, stands in the status line, and goes with /cross-session-resume", async () => {
	useOwnAgentDirectory();
	const script = [{ error: "Out of order." }, { text: "In order again." }];
	const terminal = await PiTerminal.start({ cwd: temporaryDirectory("workspace"), script });
	onTestFinished(() => terminal.stop());
	await terminal.submit("hello");
	expect(timesTold(await terminal.waitForText(statusLine))).toBe(1);
	await terminal.submit("hello again");
	await terminal.waitForText("In order again.");
	await terminal.waitForText(statusLine);
	await terminal.submit("/cross-session-resume");
	expect(timesTold(await terminal.waitForText("come in again"))).toBe(1);
	await terminal.waitFor((rows) => !rows.some((row) => row.includes(statusLine)), "the status line to clear");
});
