/** The blocks of README.md: pictures are what a program or a screen shows, the configuration is read, the code runs. */
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { ExtensionFactory } from "@earendil-works/pi-coding-agent";
import { expect, onTestFinished, test } from "vitest";
import { peerPaths } from "../../lib/peers/paths.ts";
import { CONFIG_FILE_NAME, readConfig } from "../../lib/pi/config.ts";
import { openSession } from "../inbox/open-session.ts";
import { startNamed } from "../pi/message-setting.ts";
import { InProcessPi } from "../support/pi/in-process-pi.ts";
import type { ScriptedReply } from "../support/pi/scripted-model.ts";
import { storeSession } from "../support/pi/stored-session.ts";
import { onBranch, ownedByTest, temporaryDirectory, useOwnAgentDirectory } from "../support/pi/workspaces.ts";
import { KEYS, PiTerminal } from "../support/terminal/pi-terminal.ts";
import { blocksOf, expectPicture, fencedBlocks, pictureWith } from "./fenced-blocks.ts";
import { checkTypes, installContract } from "./installed-contract.ts";

const README = "README.md";

/** By what each picture is known. */
const pictures = {
	peers: "Sessions · ",
	demo: "Two pi sessions work in one directory.",
	look: "peer context",
	cited: "› Cites",
	message: "› Message from",
} as const;

test("every block is a picture that is compared, a command, the configuration or the example", () => {
	const known = fencedBlocks(README).filter(
		({ info, text }) => info !== "" || Object.values(pictures).some((phrase) => text.includes(phrase)),
	);
	expect(known).toEqual(fencedBlocks(README));
	expect(blocksOf(README, "")).toHaveLength(Object.keys(pictures).length);
	// Others compare what the demo prints and how a citing prompt looks; test/package runs the commands, as they stand.
	expect(new Set(fencedBlocks(README).map(({ info }) => info))).toEqual(new Set(["", "sh", "json", "ts file=look.ts"]));
});

async function onTerminal(cwd: string, script: readonly ScriptedReply[], flags: readonly string[] = []) {
	const terminal = await PiTerminal.start({ cwd, script, flags });
	onTestFinished(() => terminal.stop());
	return terminal;
}

/** The session of the pictures, in a workspace of its own. */
function storePictured() {
	useOwnAgentDirectory();
	const cwd = temporaryDirectory("workspace");
	const said = ["Fix the flaky retry test.", "The delay is doubled now; the tests have to be adapted."] as const;
	return { cwd, ...storeSession(cwd, [said], { name: "retry work", calls: ["read", "write"] }) };
}

test("/peers is pictured as the screen shows it", async () => {
	const { cwd } = storePictured();
	onBranch(cwd, "retry");
	const printer = await startNamed("printer", { cwd, script: [{ text: "I print." }] });
	await printer.session.prompt("Print.");
	const terminal = await onTerminal(cwd, []);
	await terminal.submit("/peers");
	expectPicture(await terminal.waitForText("Sessions · 1 live"), pictureWith(README, pictures.peers));
});

test("a look is pictured as the screen shows it, opened", async () => {
	const { cwd, id } = storePictured();
	const look = { calls: [{ name: "get_peer_context", arguments: { sessionId: id } }] };
	const terminal = await onTerminal(cwd, [look, { text: "I have looked." }], ["--cross-session-tool"]);
	await terminal.submit("Look.");
	await terminal.waitForText("I have looked.");
	terminal.press(KEYS.expandTools);
	expectPicture(await terminal.waitForText("tool calls"), pictureWith(README, pictures.look));
});

test("a message is pictured as the screen shows it", async () => {
	const agentDirectory = useOwnAgentDirectory();
	const describe = () => ({ name: "printer", cwd: "/home/place", status: "idle" as const });
	const { presence } = await openSession(peerPaths(agentDirectory), { describe });
	const terminal = await onTerminal(temporaryDirectory("workspace"), [{ text: "I answer my peer." }]);
	const picture = pictureWith(README, pictures.message);
	const [peer] = await presence.directory.list("/");
	const text = picture.slice(picture.indexOf(": ") + 2).trim();
	await presence.outbox.send({ target: peer?.instanceId ?? "", text });
	expectPicture(await terminal.waitForText("I answer my peer."), picture);
});

test("the configuration is read without a word, and each setting in it differs from its default", () => {
	const directory = temporaryDirectory("agent");
	const [text = "", ...more] = blocksOf(README, "json");
	expect(more).toEqual([]);
	const { config: defaults } = readConfig(directory);
	writeFileSync(path.join(directory, CONFIG_FILE_NAME), text);
	const { config, problem } = readConfig(directory);
	expect(problem).toBeNull();
	for (const name of Object.keys(JSON.parse(text))) {
		expect({ [name]: config[name as keyof typeof config] }).not.toEqual({
			[name]: defaults[name as keyof typeof defaults],
		});
	}
});

test("look.ts tells what a session does, its types included", { timeout: 60_000 }, async () => {
	const directory = installContract();
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	const file = path.join(directory, "look.ts");
	writeFileSync(file, blocksOf(README, "ts file=look.ts").join(""));
	checkTypes(directory, ["look.ts"]);
	const { default: look } = (await import(pathToFileURL(file).href)) as { default: ExtensionFactory };
	const { cwd, id } = storePictured();
	const pi = ownedByTest(await InProcessPi.start({ cwd, flags: ["cross-session-rpc"], extensions: [look] }));
	await pi.session.prompt(`/look ${id}`);
	const [{ text = "" } = {}] = pi.told;
	expect(JSON.parse(text)).toMatchObject({
		turn: { endReason: "completed" },
		tools: [{ name: "read" }, { name: "write" }],
	});
	await pi.session.prompt("/look nobody");
	expect(pi.told.at(-1)?.text).toMatch(/^unauthorized: /);
});
