/** The example and the numbers of docs/references.md: compiled and run as they stand, against the compiled package. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
	DEFAULT_CANDIDATES,
	MAX_CANDIDATES,
	MAX_REFERENCE_BYTES,
	MAX_REFERENCES,
	type SessionQuery,
} from "../../lib/references/index.ts";
import { assistant, InMemorySessions, storedSession, user, WORKSPACE } from "../references/in-memory-sessions.ts";
import { checkTypes, installContract, project } from "./installed-contract.ts";

const read = (file: string) => readFileSync(path.join(project, file), "utf8");
const document = read("docs/references.md");
const examples = [...document.matchAll(/^```ts file=(\S+)\n(.*?)^```$/gms)].map(([, file = "", text = ""]) => ({
	file,
	text,
}));

let directory: string;
beforeAll(() => {
	directory = installContract();
	for (const { file, text } of examples) writeFileSync(path.join(directory, file), text);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("every block of code in the text is one of them", () => {
	expect(document.match(/^```\w.*/gm)).toEqual(["```ts file=citing.ts"]);
});

test("its types hold", () => {
	checkTypes(
		directory,
		examples.map(({ file }) => file),
	);
});

interface Citing {
	find(words: string): Promise<{ readonly mention: string }[]>;
	toModel(typed: string): Promise<readonly string[]>;
}
type CitingIn = (harness: {
	readonly sessions: SessionQuery;
	readonly caller: { readonly sessionId: string; readonly cwd: string };
	readonly askThePerson: (question: string) => Promise<boolean>;
}) => Citing;

test("citing.ts finds a session, and gives the model its snapshot right before the prompt", async () => {
	const { citingIn }: { citingIn: CitingIn } = await import(pathToFileURL(path.join(directory, "citing.ts")).href);
	const messages = [user("Fix the retry."), assistant("It doubles the delay now.")];
	const sessions = new InMemorySessions(
		storedSession("here", { title: "Retry work", messages }),
		storedSession("far", { title: "Lexer", cwd: "/elsewhere", messages }),
	);
	const asked: string[] = [];
	let agrees = true;
	const askThePerson = async (question: string) => {
		asked.push(question);
		return agrees;
	};
	const citing = citingIn({ sessions, caller: { sessionId: "me", cwd: WORKSPACE }, askThePerson });
	const [here] = await citing.find("retry");
	const [far] = await citing.find("lexer");
	expect(await citing.toModel(`See ${here?.mention}.`)).toEqual([
		expect.stringContaining("It doubles the delay now."),
		"See @Retry work.",
	]);
	expect(await citing.toModel("Go on.")).toEqual(["Go on."]);
	expect(asked).toEqual([]);
	await citing.toModel(`See ${far?.mention}.`);
	expect(asked).toEqual([expect.stringContaining("/elsewhere")]);
	agrees = false;
	await expect(citing.toModel(`See ${far?.mention}.`)).rejects.toMatchObject({ label: "Lexer" });
});

test("the bounds in the texts are those of the code", () => {
	const number = (value: number) => value.toLocaleString("en");
	expect(document).toContain(`| sessions in one prompt | ${MAX_REFERENCES} different ones`);
	expect(document).toContain(`| JSON of one session | ${number(MAX_REFERENCE_BYTES)} bytes`);
	expect(document).toContain(`| sessions listed when no number is asked for | ${DEFAULT_CANDIDATES} `);
	const configuration = read("README.md");
	expect(configuration).toContain(
		`| \`references.maxReferences\` | sessions cited in one prompt | ${MAX_REFERENCES} |`,
	);
	expect(configuration).toContain(`bytes of one session's snapshot | ${number(MAX_REFERENCE_BYTES)} |`);
	expect(configuration).toContain(`asked for | ${DEFAULT_CANDIDATES}, up to ${number(MAX_CANDIDATES)} |`);
});
