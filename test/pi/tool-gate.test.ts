/** What real turns may do with real tools, by who began them. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../lib/peers/clock.ts";
import { peerPaths } from "../../lib/peers/paths.ts";
import type { HostParts } from "../../lib/pi/incarnation.ts";
import { openSession } from "../inbox/open-session.ts";
import { infoOf } from "../support/pi/ask.ts";
import { call, HeldReply, type Reply, say } from "../support/pi/faux-model.ts";
import type { ScriptedReply } from "../support/pi/scripted-model.ts";
import { useOwnAgentDirectory } from "../support/pi/workspaces.ts";
import { startNamed } from "./message-setting.ts";
import { harmless, Scene, until, wired } from "./turn-setting.ts";

const creating = ["Agent", "agent", "subagent", "steer_subagent", "send_subagent", "send_user_message"];
const changing = ["set_active_tools", "set_config"];
const tools = harmless(...creating, ...changing, "mesh", "mesh_control", "custom_tool");

const ran = (name: string) => `${name} ran`;
const blocked = (name: string, why: string) =>
	expect.stringMatching(new RegExp(`^${name} is blocked.*${why}.*local user`));

type Call = readonly [tool: string, given?: Record<string, string>];

/** Calls that create work, grow permissions or change configuration, one through each door that the gate knows. */
const acting: readonly Call[] = [
	...[...creating, ...changing].map((name) => [name] as const),
	["mesh", { action: "spawn" }],
	["mesh_control", { action: "grow" }],
];

const reading = ["list_agents", "status", "list", "handoff_list", "message_inbox", "message_ack", "growth_list"];

/** Calls that are nobody's business: what only reads, and what the gate doesn't know. */
const harmlessCalls: readonly Call[] = [
	...reading.map((action) => ["mesh", { action }] as const),
	["mesh_control", { action: "pause" }],
	["custom_tool"],
];

/** Calls of every kind, in one answer, and then an end. */
const everyKind = [call(...acting, ...harmlessCalls), say("done")];
const expectedWhenGated = (why: string) => [
	...acting.map(([name]) => blocked(name, why)),
	...harmlessCalls.map(([name]) => ran(name)),
];
const expectedWhenOpen = [...acting, ...harmlessCalls].map(([name]) => ran(name));

describe("tools that create work, grow permissions or change configuration", () => {
	test("run in a turn of the person", async () => {
		const scene = await Scene.open(everyKind, { extensions: [tools] });
		await scene.session.prompt("typed");
		expect(scene.results()).toEqual(expectedWhenOpen);
	});

	test("are blocked in a turn that a message began, with the reason; what only reads runs", async () => {
		const scene = await Scene.open(everyKind, { extensions: [tools] });
		expect(await scene.send("do it")).toBe("submitted");
		await scene.settled(1);
		expect(scene.results()).toEqual(expectedWhenGated("message of another session"));
	});

	test.each(["a user message", "a custom message"])(
		"are blocked in a turn that %s of an extension began",
		async (kind) => {
			const scene = await Scene.open(everyKind, { extensions: [tools] });
			if (kind === "a user message") scene.other.sendUserMessage("nudge");
			else scene.other.sendMessage({ customType: "other", content: "nudge", display: true }, { triggerTurn: true });
			await scene.settled(1);
			expect(scene.results()).toEqual(expectedWhenGated("not known"));
		},
	);

	test("run in a person's turn into which another extension steered something", async () => {
		const answer = new HeldReply("first");
		const scene = await Scene.open([answer.step, ...everyKind], { extensions: [tools] });
		const prompt = scene.session.prompt("typed");
		await answer.asked;
		scene.other.sendUserMessage("nudge", { deliverAs: "steer" });
		answer.release();
		await prompt;
		expect(scene.results()).toEqual(expectedWhenOpen);
	});

	test("stay blocked in a message's turn into which the person steered something", async () => {
		const answer = new HeldReply("first");
		const scene = await Scene.open([answer.step, ...everyKind], { extensions: [tools] });
		expect(await scene.send("do it")).toBe("submitted");
		await answer.asked;
		await scene.session.prompt("steered", { streamingBehavior: "steer" });
		answer.release();
		await scene.settled(1);
		expect(scene.results()).toEqual(expectedWhenGated("message of another session"));
	});
});

describe("a turn that was cancelled", () => {
	/** Texts of the results of all calls but those of the tool that was being run when the turn was cancelled. */
	const resultsWithout = (scene: Scene, tool: string) =>
		scene.session.messages.flatMap((message) => {
			if (message.role !== "toolResult" || message.toolName === tool) return [];
			return message.content.map((block) => (block.type === "text" ? block.text : ""));
		});

	/** A tool that outlives the cancelling of its turn, and then calls others, where pi lets tools do that. */
	function lingering(reached: () => void, calls: readonly Call[]) {
		const results: string[] = [];
		const extension = (pi: ExtensionAPI) => {
			pi.registerTool({
				name: "linger",
				label: "linger",
				description: "linger",
				parameters: Type.Object({}),
				async execute(_id, _given, signal, _onUpdate, context) {
					const aborted = new Promise((resolve) => signal?.addEventListener("abort", resolve, { once: true }));
					reached();
					await aborted;
					// With a signal of their own: pi runs none under one that is aborted.
					const { signal: live } = new AbortController();
					for (const [name, given] of typeof context.executeTool === "function" ? calls : []) {
						const { result } = await context.executeTool(name, given ?? {}, { signal: live });
						results.push(...result.content.map((block) => (block.type === "text" ? block.text : "")));
					}
					return { content: [{ type: "text", text: "lingered" }], details: undefined };
				},
			});
		};
		return { extension, results };
	}

	test("has its tools blocked with the reason where it goes on, the person's own turn too; what only reads runs", async () => {
		const reached = Promise.withResolvers<void>();
		const calls = [...acting, ...harmlessCalls];
		const { extension, results } = lingering(reached.resolve, calls);
		// A cancelled turn can go on in two ways. Newer versions of pi let tools call tools; older ones take up a prompt that
		// was steered into it, and there has to be a second one, since the first is used up by the run that ends.
		const goOn: Reply = ({ messages }) => (messages.at(-1)?.role === "user" ? call(...calls) : say("done"));
		const scene = await Scene.open([call(["linger"]), goOn, goOn, goOn], { extensions: [tools, extension] });
		const prompt = scene.session.prompt("typed");
		await reached.promise;
		for (const text of ["steered", "steered, too"]) {
			await scene.session.prompt(text, { streamingBehavior: "steer" });
		}
		await scene.session.abort();
		await prompt;
		await until(() => !scene.session.isStreaming, "the end of the turn");
		expect([...results, ...resultsWithout(scene, "linger")]).toEqual(expectedWhenGated("this turn was cancelled"));
	});

	test("takes no tool away from the person's next prompt", async () => {
		const answer = new HeldReply("never said");
		const scene = await Scene.open([answer.step, ...everyKind], { extensions: [tools] });
		const prompt = scene.session.prompt("typed");
		await answer.asked;
		await scene.session.abort();
		await prompt;
		expect(await scene.stopped()).toBe(true);
		await scene.session.prompt("typed again");
		expect(scene.results()).toEqual(expectedWhenOpen);
	});
});

describe("the configuration", () => {
	async function configured(gate: object, begin: (scene: Scene) => Promise<unknown>): Promise<string[]> {
		const configuring = () => {
			writeFileSync(path.join(process.env.PI_CODING_AGENT_DIR ?? "", "cross-session.json"), JSON.stringify({ gate }));
		};
		const scene = await Scene.open([call(["custom_tool"], ["subagent"]), say("done")], {
			extensions: [tools, configuring],
		});
		await begin(scene);
		await scene.settled(1);
		return scene.results();
	}

	test("can add tools, which are then blocked wherever the others are", async () => {
		const gate = { extraTools: ["custom_tool"] };
		expect(await configured(gate, (scene) => scene.send("do it"))).toEqual([
			blocked("custom_tool", "message"),
			blocked("subagent", "message"),
		]);
		expect(await configured(gate, (scene) => scene.session.prompt("typed"))).toEqual(
			["custom_tool", "subagent"].map(ran),
		);
	});

	test("can trust turns of other extensions, and never those of peers", async () => {
		const gate = { extensionTurns: "trusted" };
		const nudge = async (scene: Scene) => scene.other.sendUserMessage("nudge");
		expect(await configured(gate, nudge)).toEqual(["custom_tool", "subagent"].map(ran));
		expect(await configured(gate, (scene) => scene.send("do it"))).toEqual([
			ran("custom_tool"),
			blocked("subagent", "message"),
		]);
	});
});

describe("a prompt that a later handler swallows", () => {
	const swallowing = (pi: ExtensionAPI) => {
		pi.on("input", (event) => (event.text === "swallowed" ? { action: "handled" } : undefined));
	};
	const replies = [call(["subagent"]), say("done")];

	test("of the person, does not lend its name to another extension's run", async () => {
		const scene = await Scene.open(replies, { extensions: [tools, swallowing] });
		await scene.session.prompt("swallowed");
		scene.other.sendMessage({ customType: "other", content: "swallowed", display: true }, { triggerTurn: true });
		await scene.settled(1);
		expect(scene.results()).toEqual([blocked("subagent", "not known")]);
	});

	test("of another extension, does not take the person's next prompt away from them", async () => {
		const scene = await Scene.open(replies, { extensions: [tools, swallowing] });
		scene.other.sendUserMessage("swallowed");
		await scene.session.prompt("typed");
		expect(scene.results()).toEqual([ran("subagent")]);
	});
});

describe("an inbox that ends while a message's turn runs", () => {
	test("leaves that turn gated, and gives the person's next prompt all tools", async () => {
		const answer = new HeldReply("first");
		let parts: HostParts | undefined;
		const instead = wired({}, (opened) => {
			parts = opened;
		});
		const replies = [answer.step, call(["subagent"]), say("done"), call(["subagent"]), say("done")];
		const scene = await Scene.open(replies, { extensions: [tools], instead });
		expect(await scene.send("do it")).toBe("submitted");
		await answer.asked;
		expect(await scene.send("and this")).toBe("queued");
		const { peersDirectory } = peerPaths(process.env.PI_CODING_AGENT_DIR ?? "");
		// Taken away in one step: a refresh may be writing into it at this moment.
		renameSync(peersDirectory, `${peersDirectory}-gone`);
		writeFileSync(peersDirectory, "");
		// Whatever refreshes the registration finds that it can't be written any more.
		scene.session.setSessionName("renamed");
		await until(() => scene.pi.told.some(({ text }) => text.includes("has ended")), "the end of the inbox");
		rmSync(peersDirectory);
		mkdirSync(peersDirectory);
		expect(parts?.delivery.waiting).toBe(0);
		expect(parts?.presence.inbox.states.get(scene.peer.instanceId, "and-this")).toBe("dropped_shutdown");
		await scene.session.prompt("call it", { streamingBehavior: "steer" });
		answer.release();
		await scene.settled(1);
		expect(scene.results()).toEqual([blocked("subagent", "message")]);
		expect(scene.arrived()).toEqual(["do it"]);
		await scene.session.prompt("typed");
		expect(scene.results()).toEqual([blocked("subagent", "message"), ran("subagent")]);
	});
});

describe("in a turn that a message began", () => {
	test("no other session can be looked at for the peer", async () => {
		const looks = call(
			["get_peer_context", { sessionId: "somebody" }],
			["list_pi", { include: "recent" }],
			["list_pi", {}],
		);
		const scene = await Scene.open([looks, say("done"), looks, say("done")], {
			flags: ["cross-session-rpc", "cross-session-tool"],
		});
		expect(await scene.send("look for me")).toBe("submitted");
		await scene.settled(1);
		expect(scene.results()).toEqual([
			blocked("get_peer_context", "message"),
			blocked("list_pi", "the argument include"),
			expect.stringContaining('"peers"'),
		]);
		await scene.session.prompt("typed");
		expect(scene.results().slice(3)).toEqual([
			expect.stringContaining("unauthorized"),
			expect.stringContaining('"recent"'),
			expect.stringContaining('"peers"'),
		]);
	});

	test("only its sender can be written to, under any of its names, and at most three times", async () => {
		const scene = await Scene.open([]);
		const { instanceId, sessionId } = scene.peer;
		const paths = peerPaths(process.env.PI_CODING_AGENT_DIR ?? "");
		const { presence: third } = await openSession(paths);
		const to = (target: string, message: string) => ["send_pi_message", { target, message }] as const;
		scene.model.add(
			call(to(third.instanceId, "psst"), to("peer", "a"), to(instanceId.slice(0, 8), "b"), to(sessionId, "c")),
			call(to(`@peer [${instanceId.slice(0, 8)}]`, "d")),
			say("done"),
			call(to(third.instanceId, "on the person's behalf")),
			say("done"),
		);
		expect(await scene.send("answer me")).toBe("submitted");
		await scene.settled(1);
		const onlyReplies = blocked("send_pi_message", "only answer");
		const submitted = expect.stringContaining('"submitted"');
		expect(scene.results()).toEqual([onlyReplies, submitted, submitted, submitted, onlyReplies]);
		await scene.session.prompt("typed");
		expect(scene.results().at(-1)).toEqual(submitted);
	});

	test("an answer goes to its sender, also when somebody else has taken the sender's name by then", async () => {
		const scene = await Scene.open([]);
		const answer = new HeldReply("thinking");
		scene.model.add(answer.step, call(["send_pi_message", { target: "peer", message: "for you" }]), say("done"));
		expect(await scene.send("answer me")).toBe("submitted");
		await answer.asked;
		const paths = peerPaths(process.env.PI_CODING_AGENT_DIR ?? "");
		const describe = () => ({ name: "peer", cwd: "/elsewhere", status: "idle" as const });
		const { delivery } = await openSession(paths, { describe });
		await scene.session.prompt("go on", { streamingBehavior: "steer" });
		answer.release();
		await scene.settled(1);
		// Outside of such a turn the name would be ambiguous.
		expect(scene.results()).toEqual([expect.stringContaining(scene.peer.instanceId)]);
		expect(delivery.delivered).toEqual([]);
	});
});

describe("two sessions that are told to answer each other for ever", () => {
	/** Each turn tries to send more than it may, and nothing that it sends is like anything before. */
	const insisting = (self: string, target: string): ScriptedReply[] =>
		Array.from({ length: 300 }, (_, turn) => [
			{
				calls: Array.from({ length: 4 }, (_, attempt) => ({
					name: "send_pi_message",
					arguments: { target, message: `${self} ${turn} ${attempt}` },
				})),
			},
			{ text: `I go on: ${turn}` },
		]).flat();

	async function open(name: string, other: string) {
		// Each answer of the model takes a minute, so that the rate, which would bind first, never does.
		let minutes = 0;
		let settled = 0;
		const slow = (pi: ExtensionAPI) => {
			pi.on("context", () => {
				minutes += 1;
			});
			pi.on("agent_settled", () => {
				settled += 1;
			});
		};
		const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + minutes * 60_000 };
		const pi = await startNamed(name, {
			flags: ["cross-session-rpc"],
			instead: wired({ system: { clock } }),
			extensions: [slow],
			script: insisting(name, other),
		});
		return { pi, turns: () => settled };
	}

	test("stop by themselves, when one of them has used up its budget, and no sooner", { timeout: 120_000 }, async () => {
		useOwnAgentDirectory();
		const second = await open("second", "first");
		// By its id: a name is looked up with a probe, which a busy machine may not answer in time.
		const { local } = await infoOf(second.pi.bus);
		const first = await open("first", local.instanceId);
		const both = [first, second] as const;
		await first.pi.session.prompt("Answer the second session for ever.");
		let standing: object = {};
		await until(
			async () => {
				const infos = await Promise.all(both.map(({ pi }) => infoOf(pi.bus)));
				const states = infos.flatMap((info) => info.states).map(({ state }) => state);
				const begun = 1 + states.filter((state) => state === "submitted").length;
				const ended = first.turns() + second.turns();
				const budgets = infos.map(({ remainingBudget }) => remainingBudget);
				standing = { budgets, begun, ended, last: states.slice(-8), stopped: infos.map(({ stopped }) => stopped) };
				return budgets.includes(0) && !states.includes("queued") && ended === begun;
			},
			() => `the end of a budget, and of every turn that a message began; so far: ${JSON.stringify(standing)}`,
			{ timeout: 100_000 },
		);
		for (const { pi } of both) {
			// Neither an error nor a cancellation has ended it.
			expect((await infoOf(pi.bus)).stopped).toBe(false);
			expect(pi.session.isStreaming).toBe(false);
			expect(pi.session.getLastAssistantText()).toMatch(/^I go on: \d+$/);
			const blockedOnes = pi.toolResults().filter(({ text }) => text.startsWith("send_pi_message is blocked"));
			expect(blockedOnes.length).toBeGreaterThan(10);
		}
	});
});
