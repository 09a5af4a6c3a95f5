/** How old a list behind an @ may be, and what the configuration lowers in a real session. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { BriefMemory } from "../../../lib/pi/references/brief-memory.ts";
import { InMemorySessions, storedSession } from "../../references/in-memory-sessions.ts";
import { storeSession } from "../../support/pi/stored-session.ts";
import { temporaryDirectory, useOwnAgentDirectory } from "../../support/pi/workspaces.ts";
import { CitingPerson, citing, kinds } from "./citing-person.ts";

describe("a list of sessions for what is typed", () => {
	test("serves for three seconds from when it was there, whoever asks", async () => {
		let now = 0;
		const sessions = new InMemorySessions(storedSession("a"));
		let lists = 0;
		const { promise, resolve } = Promise.withResolvers<void>();
		sessions.listSessions = async () => {
			lists += 1;
			await promise;
			return [storedSession(`of list ${lists}`)];
		};
		const memory = new BriefMemory(sessions, () => now);
		const asked = [memory.listSessions()];
		now = 10_000;
		asked.push(memory.listSessions());
		resolve();
		expect(await Promise.all(asked)).toMatchObject([[{ id: "of list 1" }], [{ id: "of list 1" }]]);
		now = 12_999;
		expect(await memory.listSessions()).toMatchObject([{ id: "of list 1" }]);
		now = 13_000;
		expect(await memory.listSessions()).toMatchObject([{ id: "of list 2" }]);
	});

	test("is asked for again after a failure", async () => {
		const sessions = new InMemorySessions(storedSession("a"));
		const list = sessions.listSessions.bind(sessions);
		sessions.listSessions = () => Promise.reject(new Error("no catalogue"));
		const memory = new BriefMemory(sessions);
		await expect(memory.listSessions()).rejects.toThrow("no catalogue");
		sessions.listSessions = list;
		expect(await memory.listSessions()).toHaveLength(1);
	});
});

describe("the configuration", () => {
	async function sessionWith(references: object) {
		const directory = useOwnAgentDirectory();
		writeFileSync(path.join(directory, "cross-session.json"), JSON.stringify({ references }));
		const cwd = temporaryDirectory("workspace");
		const ids = ["a", "b"].map((name) => storeSession(cwd, [[`About ${name}.`, "x".repeat(2000)]], { name }).id);
		const person = new CitingPerson();
		return { person, pi: await person.start({ cwd, script: [{ text: "Yes." }] }), ids };
	}

	test("lowers the number of sessions in one prompt", async () => {
		const { pi, ids } = await sessionWith({ maxReferences: 1 });
		await pi.session.prompt(ids.map((id) => citing(id)).join(" "));
		expect(kinds(pi)).toEqual([]);
		expect(pi.told[0]?.text).toMatch(/Too many sessions .* At most 1 /);
	});

	test("lowers the size of a snapshot", async () => {
		const { pi, ids } = await sessionWith({ maxReferenceBytes: 1024 });
		await pi.session.prompt(citing(ids[0] ?? ""));
		const source = pi.session.messages.find(({ role }) => role === "custom");
		expect(source).toMatchObject({ details: { references: [{ truncated: true, retainedMessages: 1 }] } });
	});

	test("lowers the number of sessions to choose from", async () => {
		const { person, pi } = await sessionWith({ candidateLimit: 1 });
		let offered: readonly string[] = [];
		person.choose = (options) => {
			offered = options;
			return undefined;
		};
		await pi.session.prompt("/reference");
		expect(offered).toHaveLength(1);
	});
});
