/** `/cross-session-private on|off` in real sessions. */
import { chmodSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { lookAt } from "../support/pi/ask.ts";
import { InProcessPi } from "../support/pi/in-process-pi.ts";
import { ownedByTest, temporaryDirectory, useOwnAgentDirectory } from "../support/pi/workspaces.ts";

const PRIVATE = "This session is private: no other session can read or cite it.";
const SHOWN = "Other sessions of this workspace can read and cite this session.";
const refused = { ok: false, code: "unauthorized" };

const start = async (cwd: string) =>
	ownedByTest(await InProcessPi.start({ cwd, flags: ["cross-session-rpc"], script: [{ text: "Hello." }] }));

/** A session that is asked about, and one that asks. */
async function startTwo() {
	const agentDirectory = useOwnAgentDirectory();
	const cwd = temporaryDirectory("workspace");
	const pi = await start(cwd);
	const other = await start(cwd);
	return { agentDirectory, pi, look: (sessionId = pi.sessionId) => lookAt(other.bus, sessionId) };
}

/** Runs the command and gives what the person was told by it. */
async function command(pi: InProcessPi, argument: string) {
	const before = pi.told.length;
	await pi.session.prompt(`/cross-session-private ${argument}`);
	expect(pi.extensionErrors).toEqual([]);
	return pi.told.slice(before);
}

test("a session that was made private is refused as a target, and one that is shown again is not", async () => {
	const { pi, look } = await startTwo();
	await pi.session.prompt("Hello.");
	expect(await look()).toMatchObject({ ok: true });
	expect(await command(pi, "on")).toEqual([{ text: expect.stringContaining(PRIVATE), severity: "info" }]);
	expect(await look()).toMatchObject(refused);
	expect(await command(pi, "off")).toEqual([{ text: SHOWN, severity: "info" }]);
	expect(await look()).toMatchObject({ ok: true });
});

test("the choice can be made before the first message, and holds when the session has ended", async () => {
	const { pi, look } = await startTwo();
	await command(pi, "on");
	await pi.session.prompt("Hello.");
	expect(await look()).toMatchObject(refused);
	const { sessionId } = pi;
	await pi.dispose();
	expect(await look(sessionId)).toMatchObject(refused);
});

test("it survives a reload and a way back to the session", async () => {
	const { pi, look } = await startTwo();
	await pi.session.prompt("Hello.");
	await command(pi, "on");
	const { sessionFile, sessionId } = pi;
	await pi.session.reload();
	await pi.runtime.newSession();
	await pi.runtime.switchSession(sessionFile);
	expect(await look(sessionId)).toMatchObject(refused);
	expect(await command(pi, "")).toEqual([{ text: expect.stringContaining(PRIVATE), severity: "info" }]);
});

describe("a fork", () => {
	test("of a private session is private too and says so, once", async () => {
		const { pi, look } = await startTwo();
		await pi.session.prompt("Hello.");
		await command(pi, "on");
		const parentId = pi.sessionId;
		await fork(pi);
		expect(pi.sessionId).not.toBe(parentId);
		expect(pi.told.at(-1)).toEqual({ text: expect.stringContaining("This fork is private"), severity: "warning" });
		expect(await look()).toMatchObject(refused);
		const told = pi.told.length;
		await pi.session.reload();
		expect(pi.told.length).toBe(told);
	});

	test("can be shown again, which leaves the session it came from private", async () => {
		const { pi, look } = await startTwo();
		await pi.session.prompt("Hello.");
		await command(pi, "on");
		const parentId = pi.sessionId;
		await fork(pi);
		await command(pi, "off");
		await pi.session.reload();
		expect(await look()).toMatchObject({ ok: true });
		expect(await look(parentId)).toMatchObject(refused);
	});

	test("whose own record can't be read is private as it is, and nothing is written over it", async () => {
		const { agentDirectory, pi, look } = await startTwo();
		await pi.session.prompt("Hello.");
		await command(pi, "on");
		const before = recordsIn(agentDirectory);
		await fork(pi);
		const [own = ""] = recordsIn(agentDirectory).filter((file) => !before.includes(file));
		chmodSync(own, 0o644);
		const told = pi.told.length;
		await pi.session.reload();
		expect(pi.told.slice(told)).toEqual([]);
		expect(statSync(own).mode & 0o777).toBe(0o644);
		expect(await look()).toMatchObject(refused);
	});

	test("of a session that is shown is shown, and nobody is told anything", async () => {
		const { pi, look } = await startTwo();
		await pi.session.prompt("Hello.");
		await fork(pi);
		expect(pi.told).toEqual([]);
		expect(await look()).toMatchObject({ ok: true });
	});
});

/** Paths of all records. */
function recordsIn(agentDirectory: string): string[] {
	const directory = path.join(agentDirectory, "cross-session", "sessions");
	return readdirSync(directory).map((name) => path.join(directory, name));
}

/** Forks the session at its end. */
async function fork(pi: InProcessPi): Promise<void> {
	const { cancelled } = await pi.runtime.fork(pi.session.sessionManager.getLeafId() ?? "", { position: "at" });
	expect(cancelled).toBe(false);
}

describe("the command", () => {
	test("without an argument tells how things are and changes nothing", async () => {
		const { pi } = await startTwo();
		expect(await command(pi, "")).toEqual([{ text: SHOWN, severity: "info" }]);
		await command(pi, "on");
		expect(await command(pi, " ")).toEqual([{ text: expect.stringContaining(PRIVATE), severity: "info" }]);
	});

	test("takes its argument in any case and with spaces around it", async () => {
		const { pi } = await startTwo();
		expect(await command(pi, "  ON ")).toEqual([{ text: expect.stringContaining(PRIVATE), severity: "info" }]);
	});

	test("with anything else says what can be said and changes nothing", async () => {
		const { pi } = await startTwo();
		await command(pi, "on");
		for (const argument of ["yes", "on off", "\u001b[2J"]) {
			expect(await command(pi, argument)).toEqual([
				{ text: "Use /cross-session-private on or /cross-session-private off.", severity: "warning" },
			]);
		}
		expect(await command(pi, "")).toMatchObject([{ text: expect.stringContaining(PRIVATE) }]);
	});

	test("says so when the choice could not be stored", async () => {
		const { agentDirectory, pi } = await startTwo();
		// A file where the records' directory would be.
		writeFileSync(path.join(agentDirectory, "cross-session"), "");
		expect(await command(pi, "on")).toEqual([
			{ text: expect.stringContaining("Nothing was changed"), severity: "error" },
		]);
	});

	test.each(["on", "off"])(
		"with %s leaves a record that can't be read as it is, and says what to do",
		async (choice) => {
			const { agentDirectory, pi, look } = await startTwo();
			await pi.session.prompt("Hello.");
			await command(pi, "off");
			const [record = ""] = recordsIn(agentDirectory);
			chmodSync(record, 0o644);
			const [told, ...others] = await command(pi, choice);
			expect(others).toEqual([]);
			expect(told).toMatchObject({ severity: "error" });
			expect(told?.text).toContain("Nothing was changed. What is kept about this session can't be read or trusted");
			expect(told?.text).toContain(`cross-session/sessions/${path.basename(record)}`);
			expect(await look()).toMatchObject(refused);
		},
	);

	test("completes its argument", async () => {
		const { pi } = await startTwo();
		const registered = pi.session.extensionRunner.getCommand("cross-session-private");
		const values = async (prefix: string) =>
			(await registered?.getArgumentCompletions?.(prefix))?.map(({ value }) => value);
		expect(await Promise.all(["", "o", "of", "x"].map(values))).toEqual([["on", "off"], ["on", "off"], ["off"], []]);
	});
});
