/** The example adapter as pi loads it: a package of its own beside this one, in two pi processes, with its own contract. */
import { readFileSync, rmSync } from "node:fs";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { peerPaths } from "../../lib/peers/paths.ts";
import { openSession } from "../inbox/open-session.ts";
import { command, start } from "../pi/message-setting.ts";
import { PATIENT } from "../support/patience.ts";
import { PiProcess } from "../support/pi/pi-process.ts";
import { registrations, temporaryDirectory, useOwnAgentDirectory } from "../support/pi/workspaces.ts";
import { copyAdapter, installContract } from "./installed-contract.ts";

let directory: string;
let adapter: string;

beforeAll(() => {
	directory = installContract();
	adapter = copyAdapter(directory);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A colleague's session in a process of its own: it has said something, and its adapter takes hand-offs. */
async function openColleague(agentDirectory: string, cwd: string) {
	const pi = new PiProcess({
		cwd,
		script: [{ text: "The parser is half done." }],
		flags: ["--cross-session-rpc"],
		extensions: [adapter],
	});
	onTestFinished(() => pi.stop());
	await pi.start();
	await pi.prompt("Port the parser.");
	const { sessionId, sessionFile = "" } = await pi.client.getState();
	const registration = registrations(agentDirectory).find(({ id }) => id === sessionId);
	const ref = String(registration?.instanceId).slice(0, 8);
	/** Runs a command and returns what its person was told. */
	const told = async (text: string): Promise<string[]> => {
		const before = pi.notifications.length;
		await pi.command(text);
		await vi.waitFor(() => expect(pi.notifications.length).toBeGreaterThan(before), PATIENT);
		return pi.notifications.slice(before);
	};
	return { told, ref, sessionFile };
}

it("looks at a peer, hands over, and claims what is handed to it; pi and the models get nothing of it", async () => {
	const agentDirectory = useOwnAgentDirectory();
	const cwd = temporaryDirectory("workspace");
	const colleague = await openColleague(agentDirectory, cwd);
	const asked: string[] = [];
	const confirm = async (title: string, text: string) => {
		asked.push(title, text);
		return true;
	};
	const flags = ["cross-session-rpc"];
	const script = [{ text: "Noted." }];
	const here = await start({ cwd, flags, script, packages: [adapter], userInterface: { confirm } });

	expect(await command(here, "/hand-off")).toEqual([`${colleague.ref} idle ${cwd}`]);

	const [handedOver = ""] = await command(here, `/hand-off ${colleague.ref} Review the parser`);
	expect(asked).toEqual(['Hand over "Review the parser"?', expect.stringContaining("The parser is half done.")]);
	expect(handedOver).toContain("accepted by the other adapter: yes");
	const [id = ""] = handedOver.split(" ");

	expect(await colleague.told("/mailbox")).toEqual([expect.stringMatching(`^${id} from .*: Review the parser$`)]);
	await vi.waitFor(async () => {
		expect(await command(here, "/hand-offs")).toEqual([expect.stringContaining("stored there: yes, it says")]);
	}, PATIENT);
	expect(await colleague.told(`/mailbox ${id} Tomorrow.`)).toEqual(["Answered."]);
	expect(await command(here, "/hand-offs")).toEqual([expect.stringContaining("answered: Tomorrow.")]);

	await here.session.prompt("Anything new?");
	const logs = [readFileSync(colleague.sessionFile, "utf8"), JSON.stringify(here.session.sessionManager.getEntries())];
	for (const log of logs) expect(log).not.toMatch(/cross-session:bridge|Review the parser|Tomorrow/);
	expect([here.arrivals(), here.session.getLastAssistantText()]).toEqual([[], "Noted."]);
	expect(here.extensionErrors).toEqual([]);
});

it("leaves other messages to pi, and without the RPC says what is missing", async () => {
	const agentDirectory = useOwnAgentDirectory();
	const { presence } = await openSession(peerPaths(agentDirectory));
	const loud = await start({ flags: ["cross-session-rpc"], script: [{ text: "Seen." }], packages: [adapter] });
	const [registration] = registrations(agentDirectory).filter(({ id }) => id === loud.sessionId);
	const { receipt } = await presence.outbox.send({ target: String(registration?.instanceId), text: "Hello." });
	expect(receipt.code).toBe("submitted");
	await vi.waitFor(() => expect(loud.session.getLastAssistantText()).toBe("Seen."), PATIENT);
	expect(loud.arrivals()).toHaveLength(1);

	const quiet = await start({ packages: [adapter] });
	expect(await command(quiet, "/hand-off")).toEqual([expect.stringContaining("start it with --cross-session-rpc")]);
});
