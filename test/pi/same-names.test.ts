/** Another extension in the same pi that gives the same names to its tools or flags. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { describe, expect, test } from "vitest";
import { call, say } from "../support/pi/faux-model.ts";
import { extensionPath, piCommand } from "../support/pi/pi-process.ts";
import { presenceFiles, temporaryDirectory, useOwnAgentDirectory } from "../support/pi/workspaces.ts";
import { harmless, Scene, wired } from "./turn-setting.ts";

describe("tools of the same names", () => {
	const names = ["list_pi", "get_peer_context", "send_pi_message"];
	const calls = call(...names.map((name) => [name, { sessionId: "s", target: "somebody", message: "hello" }] as const));
	const flags = ["cross-session-rpc", "cross-session-tool"];

	test("belong to whoever was loaded first, and the gate holds for them as for its own", async () => {
		const scene = await Scene.open([calls, say("done"), calls, say("done")], {
			flags,
			extensions: [harmless(...names)],
			instead: wired({}),
		});
		expect(await scene.send("look for me")).toBe("submitted");
		await scene.settled(1);
		const blocked = (name: string) => expect.stringMatching(`^${name} is blocked`);
		expect(scene.results()).toEqual(["list_pi ran", blocked("get_peer_context"), blocked("send_pi_message")]);
		await scene.session.prompt("typed");
		expect(scene.results().slice(3)).toEqual(names.map((name) => `${name} ran`));
		expect(scene.pi.extensionErrors).toEqual([]);
	});

	test("that come later take nothing away, when they come with the start of the session too", async () => {
		const late = (pi: ExtensionAPI) => {
			pi.on("session_start", () => harmless(...names)(pi));
		};
		const scene = await Scene.open([calls, say("done")], { flags, instead: wired({}), late: [late] });
		await scene.session.prompt("typed");
		expect(scene.results()).toEqual(
			['"peers"', "unauthorized", '"not_found"'].map((own) => expect.stringContaining(own)),
		);
	});
});

describe("a flag of the same name", () => {
	test.each(["before", "after"])("loaded %s it keeps pi from starting, with a word of who collides", (order) => {
		const agentDirectory = useOwnAgentDirectory();
		const other = path.join(temporaryDirectory("other"), "other.ts");
		writeFileSync(other, 'export default (pi) => pi.registerFlag("cross-session-rpc", { type: "boolean" });');
		const extensions = order === "before" ? [other, extensionPath] : [extensionPath, other];
		const given = [piCommand(), ...extensions.flatMap((file) => ["-e", file]), "--no-session", "-p", "hello"];
		const { status, stdout, stderr } = spawnSync(process.execPath, given, {
			cwd: temporaryDirectory("workspace"),
			encoding: "utf8",
		});
		expect([status, stdout]).toEqual([1, ""]);
		for (const word of ["--cross-session-rpc", ...extensions]) expect(stderr).toContain(word);
		expect(presenceFiles(agentDirectory)).toEqual([]);
	});
});
