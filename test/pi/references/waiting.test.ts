/** Prompts that cite sessions while pi is at work: they wait, go in order with their snapshots, or come back. */
import { rmSync } from "node:fs";
import type { ExtensionAPI, PromptOptions } from "@earendil-works/pi-coding-agent";
import { describe, expect, test, vi } from "vitest";
import type { InProcessOptions, InProcessPi } from "../../support/pi/in-process-pi.ts";
import { type StoredSession, storeSession } from "../../support/pi/stored-session.ts";
import { temporaryDirectory, useOwnAgentDirectory } from "../../support/pi/workspaces.ts";
import { Gate } from "../message-setting.ts";
import { harmless } from "../turn-setting.ts";
import { CitingPerson, citing, conversation, kinds, loggedKinds, sentToModel } from "./citing-person.ts";

/** What the first run leaves: it calls a tool that waits in front of the gate. */
const firstRun = [{ calls: [{ name: "wait", arguments: {} }] }, { text: "Waited." }];
const firstRunKinds = ["user", "assistant", "toolResult", "assistant"];

class BusySession {
	readonly person = new CitingPerson();
	readonly gate = new Gate();
	readonly cwd = temporaryDirectory("workspace");
	readonly other: StoredSession;
	#pi: InProcessPi | undefined;
	#running: Promise<void> | undefined;

	constructor() {
		useOwnAgentDirectory();
		this.other = storeSession(this.cwd, [["Fix the retry.", "It doubles the delay now."]], { name: "Retry work" });
	}

	get pi(): InProcessPi {
		if (!this.#pi) throw new Error("The session has not started.");
		return this.#pi;
	}

	/** Starts a session whose first run is under way. */
	async start(answers: readonly string[] = [], options: Partial<InProcessOptions> = {}): Promise<void> {
		const script = [...firstRun, ...answers.map((text) => ({ text }))];
		const { cwd, gate } = this;
		const extensions = [gate.tool, ...(options.extensions ?? [])];
		this.#pi = await this.person.start({ cwd, script, ...options, extensions });
		this.#running = this.pi.session.prompt("Wait.");
		await gate.reached;
	}

	/** The person sends a prompt while the agent runs. */
	async type(text: string, given: Pick<PromptOptions, "streamingBehavior" | "images"> = {}): Promise<void> {
		await this.pi.session.prompt(text, { streamingBehavior: "steer", ...given });
	}

	/** Lets the first run end, and waits for its end. */
	async finish(): Promise<void> {
		this.gate.open();
		await this.#running;
	}

	/** Resolves when the model has given this answer and pi is idle. */
	async answered(text: string): Promise<void> {
		await vi.waitFor(() => {
			const last = conversation(this.pi).at(-1);
			expect([last, this.pi.session.isIdle]).toEqual([["assistant", text], true]);
		});
	}

	get waits(): string | undefined {
		return this.pi.statusLine.get("cross-session-waiting");
	}
}

describe("a prompt that cites, typed while the agent runs", () => {
	test.each(["steer", "followUp"] as const)(
		"as %s waits where the person sees it, then goes with its snapshot in a turn of its own",
		async (how) => {
			const busy = new BusySession();
			await busy.start(["I have read it."]);
			await busy.type(`Compare with ${citing(busy.other.id, "Retry work")}.`, { streamingBehavior: how });
			expect(busy.waits).toBe('1 prompt waits: "Compare with @Retry work." (/take-back)');
			expect(busy.pi.told.at(-1)?.text).toMatch(/^pi is at work, so this prompt waits/);
			expect(busy.pi.session.pendingMessageCount).toBe(0);
			await busy.finish();
			await busy.answered("I have read it.");
			expect(loggedKinds(busy.pi)).toEqual([...firstRunKinds, "session-reference", "user", "assistant"]);
			expect(kinds(busy.pi)).toEqual(loggedKinds(busy.pi));
			expect(sentToModel(busy.pi).slice(-2)).toEqual([
				["user", expect.stringContaining("doubles the delay")],
				["user", "Compare with @Retry work."],
			]);
			expect(busy.waits).toBeUndefined();
			expect(busy.pi.editor).toBe("");
		},
	);

	test("goes after the one before it, each with its own snapshot", async () => {
		const busy = new BusySession();
		const second = storeSession(busy.cwd, [["About the second.", "Yes."]]);
		await busy.start(["First.", "Second."]);
		await busy.type(`One: ${citing(busy.other.id, "a")}`);
		await busy.type(`Two: ${citing(second.id, "b")}`);
		expect(busy.waits).toMatch(/^2 prompts wait, first "One: @a"/);
		await busy.finish();
		await busy.answered("Second.");
		const turn = ["session-reference", "user", "assistant"];
		expect(loggedKinds(busy.pi)).toEqual([...firstRunKinds, ...turn, ...turn]);
		const texts = conversation(busy.pi).map(([, text]) => text);
		expect(texts.slice(4)).toEqual([
			expect.stringContaining("doubles the delay"),
			"One: @a",
			"First.",
			expect.stringContaining("About the second"),
			"Two: @b",
			"Second.",
		]);
		expect(sentToModel(busy.pi).map(([, text]) => text)).toEqual(texts.slice(0, -1));
	});

	test("takes its images along", async () => {
		const busy = new BusySession();
		await busy.start(["I see."]);
		const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
		await busy.type(`Look: ${citing(busy.other.id)}`, {
			images: [{ type: "image", data: pixel, mimeType: "image/png" }],
		});
		await busy.finish();
		await busy.answered("I see.");
		expect(conversation(busy.pi).at(-2)?.[1]).toBe("Look: @the other[image]");
	});

	test("lets prompts that cite nothing steer as ever", async () => {
		const busy = new BusySession();
		await busy.start(["I have read it."]);
		await busy.type(citing(busy.other.id));
		await busy.type("Hurry.");
		await busy.finish();
		await busy.answered("I have read it.");
		expect(loggedKinds(busy.pi)).toEqual([
			...["user", "assistant", "toolResult", "user", "assistant"],
			...["session-reference", "user", "assistant"],
		]);
	});

	test("is asked about other workspaces when it is typed, and not again", async () => {
		const busy = new BusySession();
		const far = storeSession(temporaryDirectory("elsewhere"), [["Far.", "Away."]]);
		await busy.start(["I have read it."]);
		await busy.type(citing(far.id, "far"));
		expect(busy.person.asked).toHaveLength(1);
		await busy.finish();
		await busy.answered("I have read it.");
		expect(busy.person.asked).toHaveLength(1);
	});
});

describe("a prompt that waits comes back", () => {
	test("by /take-back, below what is being typed, with its mentions", async () => {
		const busy = new BusySession();
		await busy.start();
		const typed = ["One", "Two"].map((word) => `${word}: ${citing(busy.other.id)}`);
		for (const text of typed) await busy.type(text);
		busy.pi.editor = "half a thought";
		await busy.pi.session.prompt("/take-back");
		expect(busy.pi.editor).toBe(["half a thought", ...typed].join("\n\n"));
		expect(busy.waits).toBeUndefined();
		await busy.pi.session.prompt("/take-back");
		expect(busy.pi.told.at(-1)?.text).toBe("No prompt waits.");
		await busy.finish();
		expect(loggedKinds(busy.pi)).toEqual(firstRunKinds);
	});

	test("after an abort, and starts no turn", async () => {
		const busy = new BusySession();
		await busy.start();
		const typed = `Compare with ${citing(busy.other.id)}.`;
		await busy.type(typed);
		const aborted = busy.pi.session.abort();
		await busy.finish();
		await aborted;
		expect(busy.pi.editor).toBe(typed);
		const told = busy.pi.told.map(({ text }) => text);
		expect(told).toContainEqual(expect.stringMatching(/^The run was cancelled, .* back in the editor\.$/));
		await busy.pi.session.prompt("/take-back");
		expect(loggedKinds(busy.pi)).not.toContain("session-reference");
	});

	test("after a run that failed", async () => {
		const busy = new BusySession();
		await busy.start([], { script: [...firstRun.slice(0, 1), { error: "invalid request" }] });
		await busy.type(citing(busy.other.id));
		await busy.finish();
		await vi.waitFor(() => expect(busy.pi.editor).toBe(citing(busy.other.id)));
		expect(busy.pi.told.map(({ text }) => text)).toContainEqual(expect.stringMatching(/^The run failed, /));
	});

	test("at a new session, and goes into no turn of it", async () => {
		const busy = new BusySession();
		await busy.start();
		const typed = `Compare with ${citing(busy.other.id)}.`;
		await busy.type(typed);
		const next = busy.pi.runtime.newSession();
		await busy.finish();
		await next;
		expect(busy.pi.editor).toBe(typed);
		expect(busy.waits).toBeUndefined();
		await busy.pi.session.prompt("/take-back");
		expect(busy.pi.told.at(-1)?.text).toBe("No prompt waits.");
		expect(loggedKinds(busy.pi)).toEqual([]);
	});

	test("at a reload while the person is still being asked", async () => {
		const busy = new BusySession();
		const far = storeSession(temporaryDirectory("elsewhere"), [["Far.", "Away."]]);
		const { promise, resolve } = Promise.withResolvers<boolean>();
		busy.person.answer = promise;
		await busy.start();
		await busy.finish();
		const prompted = busy.pi.session.prompt(citing(far.id));
		await vi.waitFor(() => expect(busy.person.asked).toHaveLength(1));
		await busy.pi.session.reload();
		expect(busy.pi.editor).toBe(citing(far.id));
		resolve(true);
		await prompted;
		expect(busy.pi.editor).toBe(citing(far.id));
		expect(loggedKinds(busy.pi)).toEqual(firstRunKinds);
	});

	test("when what it cites is gone at its turn, and the next one goes", async () => {
		const busy = new BusySession();
		const gone = storeSession(busy.cwd, [["q", "a"]]);
		await busy.start(["I have read it."]);
		await busy.type(citing(gone.id, "gone"));
		await busy.type(citing(busy.other.id, "there"));
		rmSync(gone.file);
		await busy.finish();
		await busy.answered("I have read it.");
		expect(busy.pi.editor).toBe(citing(gone.id, "gone"));
		expect(busy.pi.told.at(-1)?.text).toMatch(/@gone: The cited session cannot be read/);
		expect(loggedKinds(busy.pi)).toEqual([...firstRunKinds, "session-reference", "user", "assistant"]);
	});

	test("when another extension swallows it at its turn, and leaves no snapshot behind", async () => {
		const swallow = (pi: ExtensionAPI) => {
			pi.on("input", ({ text }) => ({ action: text.includes("swallow") ? "handled" : "continue" }));
		};
		const busy = new BusySession();
		await busy.start(["Something else."], { late: [swallow] });
		const typed = `Please swallow ${citing(busy.other.id)}.`;
		await busy.type(typed);
		await busy.finish();
		// pi says nothing of it, so it counts as not taken after some seconds of quiet.
		await vi.waitFor(() => expect(busy.pi.editor).toBe(typed), 15_000);
		expect([busy.waits, busy.pi.told.at(-1)?.text]).toEqual([undefined, expect.stringMatching(/did not start a turn/)]);
		await busy.pi.session.prompt("Go on.");
		expect(loggedKinds(busy.pi)).toEqual([...firstRunKinds, "user", "assistant"]);
	});

	test("at once when it can't go at all", async () => {
		const busy = new BusySession();
		await busy.start();
		await busy.type(citing("nobody", "gone"));
		expect(busy.pi.editor).toBe(citing("nobody", "gone"));
		expect(busy.waits).toBeUndefined();
		await busy.finish();
	});
});

describe("a prompt that cites is the person's own", () => {
	/** Who wrote the user messages, by the marks in the session's own log. */
	const sources = ({ session }: InProcessPi) =>
		session.sessionManager.getEntries().flatMap((entry) => {
			if (entry.type !== "custom" || entry.customType !== "cross-session") return [];
			return [(entry.data as { source?: unknown }).source];
		});

	test("whether it waited or not: it is attested, and its turn may use all tools", async () => {
		const busy = new BusySession();
		const subagent = { calls: [{ name: "subagent", arguments: {} }] };
		const script = [...firstRun, subagent, { text: "Waited for." }, subagent, { text: "Typed." }];
		await busy.start([], { script, extensions: [harmless("subagent")] });
		await busy.type(citing(busy.other.id));
		await busy.finish();
		await busy.answered("Waited for.");
		await busy.pi.session.prompt(citing(busy.other.id));
		expect(busy.pi.toolResults().map(({ text }) => text)).toEqual(["waited", "subagent ran", "subagent ran"]);
		expect(sources(busy.pi)).toEqual(["user", "user", "user"]);
		expect(busy.pi.extensionErrors).toEqual([]);
	});
});

describe("another run that begins first", () => {
	test("goes first, and the prompt follows it", async () => {
		const busy = new BusySession();
		const greedy = (pi: ExtensionAPI) => {
			let runs = 0;
			pi.on("agent_settled", () => {
				runs += 1;
				if (runs === 1) pi.sendMessage({ customType: "greedy", content: "Me!", display: true }, { triggerTurn: true });
			});
		};
		await busy.start(["Greedy.", "I have read it."], { extensions: [greedy] });
		await busy.type(citing(busy.other.id));
		await busy.finish();
		await busy.answered("I have read it.");
		expect(loggedKinds(busy.pi)).toEqual([
			...firstRunKinds,
			...["greedy", "assistant"],
			...["session-reference", "user", "assistant"],
		]);
	});
});
