/** Prompts that cite sessions while pi is idle: what goes, in which order, and what happens when it can't. */
import { rmSync } from "node:fs";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { INFO_TOPIC } from "../../../lib/contract/index.ts";
import { SessionRecords } from "../../../lib/sessions/session-records.ts";
import { CountingBus } from "../../support/pi/counting-bus.ts";
import { storeSession } from "../../support/pi/stored-session.ts";
import { temporaryDirectory, useOwnAgentDirectory } from "../../support/pi/workspaces.ts";
import { answered, startNamed } from "../message-setting.ts";
import { CitingPerson, citing, conversation, kinds, loggedKinds, sentToModel } from "./citing-person.ts";

interface Setting {
	readonly agentDirectory: string;
	readonly cwd: string;
	readonly person: CitingPerson;
	/** A session of the same workspace. */
	readonly other: ReturnType<typeof storeSession>;
}

function setting(): Setting {
	const agentDirectory = useOwnAgentDirectory();
	const cwd = temporaryDirectory("workspace");
	const other = storeSession(cwd, [["Fix the retry.", "It doubles the delay now. <done>"]], { name: "Retry work" });
	return { agentDirectory, cwd, person: new CitingPerson(), other };
}

const answer = { text: "I have read it." };

describe("a prompt that cites a session", () => {
	test("goes with one frozen snapshot right before it, and says @label", async () => {
		const { cwd, person, other } = setting();
		const pi = await person.start({ cwd, script: [answer] });
		await pi.session.prompt(`Go on with ${citing(other.id, "Retry [work]")} please.`);
		expect(loggedKinds(pi)).toEqual(["session-reference", "user", "assistant"]);
		const [[, snapshot], [, prompt]] = conversation(pi) as [[string, string], [string, string]];
		expect(prompt).toBe("Go on with @Retry [work] please.");
		expect(snapshot).toContain("## Referenced sessions");
		expect(snapshot).toContain('{"role":"assistant","text":"It doubles the delay now. \\u003cdone>"}');
		expect(pi.session.messages.find(({ role }) => role === "custom")).toMatchObject({
			details: { kind: "session-reference", version: 1, references: [{ sessionId: other.id, retainedMessages: 2 }] },
		});
		expect(sentToModel(pi)).toEqual([
			["user", snapshot],
			["user", prompt],
		]);
		expect(pi.told).toEqual([]);
	});

	test("keeps what it cited when the source grows or goes", async () => {
		const { cwd, person, other } = setting();
		const pi = await person.start({ cwd, script: [answer, answer] });
		await pi.session.prompt(`See ${citing(other.id)}.`);
		const before = conversation(pi)[0];
		rmSync(other.file);
		await pi.session.prompt("And now?");
		expect(conversation(pi)[0]).toEqual(before);
		expect(kinds(pi)).toEqual(["session-reference", "user", "assistant", "user", "assistant"]);
	});

	test("never carries on the snapshots that a cited session holds", async () => {
		const { cwd, person, other } = setting();
		const middle = await startNamed("middle", { cwd, script: [answer], userInterface: person.userInterface });
		await middle.session.prompt(`Sum up ${citing(other.id, "Retry work")}.`);
		const pi = await person.start({ cwd, script: [answer] });
		await pi.session.prompt(`See ${citing(middle.sessionId)}.`);
		const [, snapshot] = conversation(pi)[0] ?? [];
		expect(snapshot).toContain("Sum up @Retry work.");
		expect(snapshot).not.toMatch(/doubles the delay|dsh-session|Fix the retry/);
	});

	test("cites three sessions at once, the same one twice counting once", async () => {
		const { cwd, person, other } = setting();
		const more = ["one", "two"].map((name) => storeSession(cwd, [[`About ${name}.`, "Yes."]], { name }));
		const pi = await person.start({ cwd, script: [answer] });
		const mentions = [other, other, ...more].map(({ id }) => citing(id));
		await pi.session.prompt(mentions.join(" "));
		expect(pi.session.messages.find(({ role }) => role === "custom")).toMatchObject({
			details: { references: [{ inputIndex: 0 }, { inputIndex: 2 }, { inputIndex: 3 }] },
		});
	});

	test("says nothing of a bare address, which is text", async () => {
		const { cwd, person, other } = setting();
		const pi = await person.start({ cwd, script: [answer] });
		const address = citing(other.id).slice("@[the other](".length, -1);
		await pi.session.prompt(`What is ${address}?`);
		expect(conversation(pi)[0]).toEqual(["user", `What is ${address}?`]);
	});
});

describe("a prompt that can't go", () => {
	const failures: [name: string, mention: (given: Setting, self: string) => string, told: RegExp][] = [
		["a damaged mention", () => "@[it](dsh-session:AAAA)", /@it: This is not a valid session reference/],
		["the session itself", (_given, self) => citing(self, "me"), /@me: A session cannot cite itself/],
		["a session that is not there", () => citing("nobody", "gone"), /@gone: The cited session cannot be read/],
		[
			"a private session",
			({ agentDirectory, other }) => {
				new SessionRecords(agentDirectory).setPrivate(other.id, true);
				return citing(other.id, "secret");
			},
			/@secret: The cited session cannot be read/,
		],
		[
			"a subagent's session",
			({ agentDirectory, other }) => {
				new SessionRecords(agentDirectory).setSubagent(other.id);
				return citing(other.id, "child");
			},
			/@child: The cited session cannot be read/,
		],
		["four sessions", () => ["a", "b", "c", "d"].map((id) => citing(id, id)).join(" "), /@d: Too many sessions/],
		["one good session and a bad one", ({ other }) => `${citing(other.id)} ${citing("nobody", "gone")}`, /@gone: /],
	];

	test.each(failures)("because of %s leaves nothing behind and is back in the editor", async (_name, mention, told) => {
		const given = setting();
		const pi = await given.person.start({ cwd: given.cwd, script: [answer] });
		pi.editor = "half a thought";
		const typed = `Go on with ${mention(given, pi.sessionId)}.`;
		await pi.session.prompt(typed);
		expect(kinds(pi)).toEqual([]);
		expect(pi.editor).toBe(`half a thought\n\n${typed}`);
		expect(pi.told).toEqual([{ text: expect.stringMatching(told), severity: "error" }]);
		expect(pi.told[0]?.text).toMatch(/^The prompt was not sent\. .* The prompt is back in the editor\.$/);
		await pi.session.prompt("Something else.");
		expect(kinds(pi)).toEqual(["user", "assistant"]);
	});

	test("names the images that have to be attached again", async () => {
		const { cwd, person } = setting();
		const pi = await person.start({ cwd });
		const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
		await pi.session.prompt(citing("nobody"), { images: [image, image] });
		expect(pi.told[0]?.text).toMatch(/back in the editor\. Attach its 2 images again\.$/);
	});

	test("because another extension swallows it leaves nothing behind for the next prompt", async () => {
		const { cwd, person, other } = setting();
		const swallow = (pi: ExtensionAPI) => {
			pi.on("input", ({ text }) => ({ action: text.includes("swallow") ? "handled" : "continue" }));
		};
		const pi = await person.start({ cwd, script: [answer], late: [swallow] });
		await pi.session.prompt(`Please swallow ${citing(other.id)}.`);
		await pi.session.prompt("Something else.");
		expect(loggedKinds(pi)).toEqual(["user", "assistant"]);
	});

	test("for want of a model leaves nothing behind", async () => {
		const { cwd, person, other } = setting();
		const pi = await person.start({ cwd, script: [answer] });
		const lost = pi.session.modelRuntime;
		lost.unregisterProvider("scripted");
		await expect(pi.session.prompt(`See ${citing(other.id)}.`)).rejects.toThrow();
		expect(loggedKinds(pi)).toEqual([]);
	});
});

describe("whose input counts", () => {
	test("another extension's text with a mention stays text", async () => {
		const { cwd, person, other } = setting();
		let say = (_text: string) => {};
		const speaker = (pi: ExtensionAPI) => {
			say = (text) => pi.sendUserMessage(text);
		};
		const pi = await person.start({ cwd, script: [answer], extensions: [speaker] });
		const text = `See ${citing(other.id)}.`;
		const settled = new Promise<void>((resolve) => {
			pi.session.subscribe((event) => {
				if (event.type === "agent_settled") resolve();
			});
		});
		say(text);
		await settled;
		expect(conversation(pi)[0]).toEqual(["user", text]);
	});

	test("another session's message with a mention stays text", async () => {
		const { cwd, person, other } = setting();
		const pi = await person.start({ cwd, script: [answer] });
		pi.session.setSessionName("receiver");
		const text = `See ${citing(other.id)}.`;
		const call = { name: "send_pi_message", arguments: { target: "receiver", message: text } };
		const sender = await startNamed("sender", { cwd, script: [{ calls: [call] }, { text: "Sent." }] });
		await sender.session.prompt("Tell them.");
		await answered(pi, answer.text);
		expect(loggedKinds(pi)).toEqual(["cross-session", "assistant"]);
		expect(pi.arrivals()[0]?.content).toContain(text);
		expect(pi.told).toEqual([]);
	});

	test("a subagent's prompt, which a model has written, stays text", async () => {
		const { cwd, person, other } = setting();
		vi.stubEnv("PI_SUBAGENT_CHILD", "1");
		onTestFinished(() => void vi.unstubAllEnvs());
		const pi = await person.start({ cwd, script: [answer] });
		const text = `See ${citing(other.id)}.`;
		await pi.session.prompt(text);
		expect(conversation(pi)[0]).toEqual(["user", text]);
	});

	test("where this package could not start, a prompt that cites comes back, and others go", async () => {
		const { cwd, person, other } = setting();
		const bus = new CountingBus();
		bus.refuse(INFO_TOPIC);
		const pi = await person.start({ cwd, script: [answer], bus, flags: ["cross-session-rpc"] });
		expect(bus.refusals).toBeGreaterThan(0);
		const text = `See ${citing(other.id)}.`;
		await pi.session.prompt(text);
		expect([kinds(pi), pi.editor]).toEqual([[], text]);
		expect(pi.told.at(-1)?.text).toMatch(/could not start in this session, so nothing can be cited/);
		await pi.session.prompt("Something else.");
		expect(kinds(pi)).toEqual(["user", "assistant"]);
	});

	test("a prompt that another extension has changed after us takes its snapshot along", async () => {
		const { cwd, person, other } = setting();
		const shout = (pi: ExtensionAPI) => {
			pi.on("input", ({ text }) => ({ action: "transform", text: text.toUpperCase() }));
		};
		const pi = await person.start({ cwd, script: [answer], late: [shout] });
		await pi.session.prompt(`See ${citing(other.id)}.`);
		expect(kinds(pi)).toEqual(["session-reference", "user", "assistant"]);
		expect(conversation(pi)[1]?.[1]).toBe("SEE @THE OTHER.");
	});
});

describe("a session of another workspace", () => {
	test("is cited when the person agrees, once for the prompt", async () => {
		const { person, other } = setting();
		const pi = await person.start({ script: [answer] });
		await pi.session.prompt(`See ${citing(other.id, "far")}.`);
		expect(person.asked).toEqual([expect.stringMatching(/other workspaces\?\n.*\n@far · \//)]);
		expect(kinds(pi)).toEqual(["session-reference", "user", "assistant"]);
	});

	test("is not cited when the person does not agree", async () => {
		const { person, other } = setting();
		person.answer = false;
		const pi = await person.start();
		const typed = `See ${citing(other.id, "far")}.`;
		await pi.session.prompt(typed);
		expect(kinds(pi)).toEqual([]);
		expect(pi.editor).toBe(typed);
		expect(pi.told[0]?.text).toMatch(/@far: This session belongs to another workspace/);
	});
});

describe("/reference", () => {
	test("puts the mention of a session that it finds behind what stands in the editor", async () => {
		const { cwd, person, other } = setting();
		const pi = await person.start({ cwd });
		pi.editor = "Compare with";
		await pi.session.prompt("/reference retry WORK");
		expect(pi.editor).toBe(`Compare with ${citing(other.id, "Retry work")} `);
	});

	test("says so when it finds none, and does nothing when none is chosen", async () => {
		const { cwd, person } = setting();
		const pi = await person.start({ cwd });
		await pi.session.prompt("/reference no such thing");
		expect(pi.told.at(-1)?.text).toMatch(/^No session matches/);
		person.choose = () => undefined;
		await pi.session.prompt("/reference");
		expect(pi.editor).toBe("");
	});
});
