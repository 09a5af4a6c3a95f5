import { describe, expect, it } from "vitest";
import { type Dialect, dialects, PiScript } from "./pi-script.ts";

/** A prompt that died of a 503, in the pause before the next attempt. */
function inBackoff(dialect: Dialect): PiScript {
	return new PiScript(dialect).begin().assistant("error").end();
}

describe.each(dialects)("the logical turn on pi %s", (dialect) => {
	const pi = () => new PiScript(dialect);

	describe("phase", () => {
		it("is idle after registration, and a message may be submitted", () => {
			const script = pi();
			expect(script.turn.view.phase).toBe("idle");
			expect(script.decide()).toBe("submit");
		});

		it("goes from an input through preflight and busy back to idle", () => {
			const script = pi();
			const phase = () => script.turn.view.phase;
			expect(script.input("hello") && phase()).toBe("preflight");
			expect(script.announce("hello") && phase()).toBe("preflight");
			expect(script.start() && phase()).toBe("busy");
			expect(script.system().user("hello").assistant("stop") && phase()).toBe("busy");
			expect(script.end() && phase()).toBe("busy");
			expect(script.settle() && phase()).toBe("idle");
			expect(script.effects).toEqual([{ type: "settled", safe: true }]);
		});

		it("stays busy through a retry and the pause before it", () => {
			const script = inBackoff(dialect);
			expect(script.turn.view.phase).toBe("busy");
			script.start();
			expect(script.turn.view).toMatchObject({ phase: "busy", source: "user" });
			script.assistant("stop").end().settle();
			expect(script.effects).toEqual([{ type: "settled", safe: true }]);
		});

		it("refuses messages in preflight, whatever the sender can do", () => {
			const script = pi().input("hello");
			expect(script.decide(true)).toBe("busy");
			expect(script.announce("hello").decide(true)).toBe("busy");
		});

		it("refuses messages between the agent's start and the first message, when the source is not known", () => {
			expect(pi().input("hello").announce("hello").start().decide(true)).toBe("busy");
		});

		it("refuses messages while pi works on something it did not tell of", () => {
			const script = pi();
			script.idle = false;
			expect(script.decide()).toBe("busy");
		});

		it("refuses messages while a live signal shows work, even when pi says it is idle", () => {
			const script = pi();
			script.signal = "active";
			expect(script.decide()).toBe("busy");
		});

		it("submits nothing beside prompts that pi still holds", () => {
			const script = pi();
			script.pendingMessages = true;
			expect(script.decide()).toBe("busy");
		});

		it("leaves a preflight that came to nothing after 5 s of idleness", () => {
			const script = pi().input("swallowed");
			expect(script.pass(4_990).turn.view.phase).toBe("preflight");
			expect(script.pass(20).turn.view.phase).toBe("idle");
			expect(script.effects).toEqual([{ type: "look_again" }]);
			expect(script.decide()).toBe("submit");
		});

		it("counts the 5 s of a preflight anew when pi was not idle in between", () => {
			const script = pi().input("slow");
			script.pass(3_000).idle = false;
			script.emit({ type: "tick" }).idle = true;
			script.emit({ type: "tick" });
			expect(script.pass(4_900).turn.view.phase).toBe("preflight");
			expect(script.pass(200).turn.view.phase).toBe("idle");
		});

		it("waits as long as it takes for a run that pi has announced", () => {
			const script = pi().input("held").announce("held").pass(60_000);
			expect(script.turn.view.phase).toBe("preflight");
			expect(script.turn.nextDeadline).toBeNull();
			script.start().system().user("held").assistant("stop").end().settle();
			expect(script.effects).toEqual([{ type: "settled", safe: true }]);
		});

		it("keeps an announced run announced when another input comes", () => {
			const script = pi().input("held").announce("held").input("another").pass(60_000);
			expect(script.turn.view.phase).toBe("preflight");
		});

		it("does not count a compaction as the quiet of a preflight", () => {
			const script = pi().input("typed").emit({ type: "session_before_compact" }).pass(60_000);
			expect(script.turn.view.phase).toBe("preflight");
			expect(script.emit({ type: "session_compact" }).pass(4_900).turn.view.phase).toBe("preflight");
			expect(script.pass(5_200).turn.view.phase).toBe("idle");
		});

		it("is not moved by a settlement when nothing was going on", () => {
			expect(pi().settle().effects).toEqual([]);
		});

		it("lets the person end a preflight that never starts", () => {
			const script = pi().input("held").announce("held");
			script.idle = true;
			expect(script.turn.resume(script.now)).toEqual({ resumed: true });
			expect(script.turn.view.phase).toBe("idle");
		});
	});

	describe("compaction", () => {
		/** A manual compaction: only 1.6 says that it is not idle. */
		const compacting = () => {
			const script = pi();
			script.idle = dialect !== "1.6";
			return script.emit({ type: "session_before_compact" });
		};

		it("submits and queues nothing until it ends, and then asks to look again", () => {
			const script = compacting();
			expect(script.decide()).toBe("busy");
			script.emit({ type: "session_compact" }).idle = true;
			expect(script.effects).toEqual([{ type: "look_again" }]);
			expect(script.decide()).toBe("submit");
		});

		it("ends when the agent starts", () => {
			expect(compacting().start().turn.view.compacting).toBe(false);
		});

		it("ends with an input that the terminal lets through, and not with any other", () => {
			expect(compacting().input("x", "extension").turn.view.compacting).toBe(true);
			expect(compacting().input("x", "user").turn.view.compacting).toBe(true);
			expect(compacting().input("x", "user", { terminal: true }).turn.view.compacting).toBe(false);
		});

		it("ends after 2 minutes of idleness when no event tells", () => {
			const script = compacting();
			script.idle = true;
			script.emit({ type: "tick" });
			expect(script.pass(119_900).turn.view.compacting).toBe(true);
			expect(script.pass(200).turn.view.compacting).toBe(false);
			expect(script.seen("look_again")).toHaveLength(1);
		});

		it("lasts when pi was at work within the 2 minutes", () => {
			const script = compacting();
			script.idle = true;
			script.emit({ type: "tick" }).pass(60_000).idle = false;
			script.emit({ type: "tick" }).idle = true;
			script.emit({ type: "tick" });
			expect(script.pass(119_000).turn.view.compacting).toBe(true);
			expect(script.pass(2_000).turn.view.compacting).toBe(false);
		});

		it("within a run is no end of the run", () => {
			const script = pi().begin().assistant("stop").end();
			script.emit({ type: "session_before_compact" });
			expect(script.decide()).toBe("busy");
			script.emit({ type: "session_compact" });
			expect(script.turn.view).toMatchObject({ phase: "busy", source: "user" });
			script.settle();
			expect(script.seen("settled")).toEqual([{ type: "settled", safe: true }]);
		});
	});

	describe("provenance", () => {
		const sourceAfter = (script: PiScript) => script.turn.view.source;

		it("is the user's for a prompt that a person gave", () => {
			expect(sourceAfter(pi().begin())).toBe("user");
		});

		it("is the peer's for our own submission, which the turn names", () => {
			const script = pi().submit("m1");
			expect(script.turn.view).toMatchObject({ source: "peer", submission: "m1" });
		});

		it("is unknown for another extension's user message and for its custom message", () => {
			expect(sourceAfter(pi().begin("nudge", "extension"))).toBe("unknown");
			expect(sourceAfter(pi().otherCustom())).toBe("unknown");
		});

		it("is unknown for a user message without any input", () => {
			expect(sourceAfter(pi().announce("typed").start().user("typed"))).toBe("unknown");
		});

		it("is not touched by what is steered into a run before its first message", () => {
			const script = pi().input("go").announce("go").start().input("go", "extension", { steering: true });
			expect(sourceAfter(script.system().user("go"))).toBe("user");
		});

		it("does not take an older input for swallowed while our submission is in flight", () => {
			const script = pi().input("go", "extension").emit({ type: "submission", submission: "m1" });
			expect(sourceAfter(script.input("go").announce("go").start().system().user("go"))).toBe("unknown");
		});

		it("is the user's when another handler changed the text of the only input", () => {
			const script = pi().input("hello").announce("HELLO").start().system().user("HELLO");
			expect(sourceAfter(script)).toBe("user");
		});

		it("is not the user's when another extension's run comes instead of the prompt", () => {
			expect(sourceAfter(pi().input("swallowed").otherCustom())).toBe("unknown");
			expect(
				sourceAfter(pi().input("swallowed").input("nudge", "extension").announce("nudge").start().user("nudge")),
			).toBe("unknown");
		});

		it("is the user's when an earlier input of an extension was swallowed, even with the same text", () => {
			const script = pi().input("go", "extension").input("go").announce("go").start().system().user("go");
			expect(sourceAfter(script)).toBe("user");
		});

		it("is unknown when two inputs of different authors could be the message", () => {
			const script = pi().input("go", "extension").announce("go");
			expect(sourceAfter(script.input("go").start().system().user("go"))).toBe("unknown");
		});

		it("is unknown when one of two authors' inputs was changed by another handler", () => {
			const script = pi()
				.input("nudge", "extension")
				.input("hello")
				.announce("CHANGED")
				.start()
				.system()
				.user("CHANGED");
			expect(sourceAfter(script)).toBe("unknown");
		});

		it("is unknown when only a swallowed command could have become the message", () => {
			const script = pi().input("/fix").input("nudge", "extension").announce("NUDGE").start().system().user("NUDGE");
			expect(sourceAfter(script)).toBe("unknown");
		});

		it("stays the peer's when the person types into the preflight or the run of a submission", () => {
			const script = pi();
			script.emit({ type: "submission", submission: "m1" }).announce(null);
			if (dialect !== "1.6") script.start();
			script.input("typed").announce("typed");
			if (dialect === "1.6") script.start();
			script.system().message({ role: "submission", submission: "m1" });
			expect(script.turn.view).toMatchObject({ source: "peer", submission: "m1" });
			script.input("more", "user", { steering: true }).user("more");
			expect(sourceAfter(script)).toBe("peer");
		});

		it("is inherited by retries and continuations", () => {
			const script = pi().submit("m1").assistant("error").end().start().assistant("stop").end();
			script.start().message({ role: "other" }).assistant("stop");
			expect(sourceAfter(script)).toBe("peer");
		});

		it("takes nothing from the turn before", () => {
			const script = pi().prompt("hello");
			expect(sourceAfter(script.otherCustom())).toBe("unknown");
		});

		it("takes nothing from the session before", () => {
			const script = pi().input("hello").emit({ type: "session_start" });
			expect(script.turn.view).toMatchObject({ source: "unknown", observed: false, phase: "idle" });
			expect(sourceAfter(script.announce("hello").start().user("hello"))).toBe("unknown");
		});
	});

	describe("cancellation", () => {
		it("comes at once with an aborted signal, and the person is told once", () => {
			const script = pi().begin().abort();
			expect(script.turn.view).toMatchObject({ cancelled: true, stopped: "aborted" });
			script.assistant("aborted").end().settle(true);
			expect(script.effects).toEqual([
				{ type: "stopped", cause: "aborted" },
				{ type: "settled", safe: false },
			]);
		});

		it("comes with an assistant message that was aborted, when no signal told", () => {
			expect(pi().begin().assistant("aborted").turn.view.stopped).toBe("aborted");
		});

		it("comes with an aborted signal at any event", () => {
			const script = pi().begin();
			script.signal = "aborted";
			expect(script.decide()).toBe("stopped");
			expect(script.toolResult("c1").turn.view.stopped).toBe("aborted");
		});

		it("holds for good when pi goes on with a steered prompt in the same turn", () => {
			const script = pi().begin().input("more", "user", { steering: true }).abort().assistant("aborted").end();
			script.start().user("more").assistant("stop").end();
			expect(script.turn.view.cancelled).toBe(true);
			script.settle();
			expect(script.seen("settled")).toEqual([{ type: "settled", safe: false }]);
			expect(script.turn.view.stopped).toBe("aborted");
		});

		it("comes with a bare end in the pause before a retry", () => {
			const script = inBackoff(dialect).settle(true);
			expect(script.seen("settled")).toEqual([{ type: "settled", safe: false }]);
			expect(script.turn.view.stopped).not.toBeNull();
		});

		it("comes when an answer is cut off by a bare end", () => {
			const script = pi().begin().assistant("toolUse", ["c1"]).toolResult("c1");
			script.emit({ type: "message_start", message: { role: "assistant", stopReason: "pending", calls: [] } });
			expect(script.settle().turn.view.stopped).toBe("no_good_end");
		});

		it.each([
			["error", []],
			["length", []],
			["toolUse", ["unanswered"]],
			["toolUse", []],
			["deferred", []],
		])("comes at the end of an answer that stopped with %s %j", (stopReason, calls) => {
			const script = pi().begin().assistant(stopReason, calls).end().settle();
			expect(script.turn.view.stopped).toBe("no_good_end");
		});

		it("does not come when a tool ends the turn with all its calls answered", () => {
			const script = pi().begin().assistant("toolUse", ["c1", "c2"]).toolResult("c2").toolResult("c1").end().settle();
			expect(script.effects).toEqual([{ type: "settled", safe: true }]);
		});

		it("comes when a call that reuses an earlier id has no result", () => {
			const script = pi().begin().assistant("toolUse", ["c1"]).toolResult("c1").assistant("toolUse", ["c1"]);
			expect(script.end().settle().turn.view.stopped).toBe("no_good_end");
		});

		it("does not come from the signal of a turn that is over", () => {
			const script = pi().prompt().emit({ type: "abort" });
			expect(script.turn.view).toMatchObject({ cancelled: false, stopped: null });
		});

		it("comes at the end of a turn from an unknown source", () => {
			expect(pi().prompt("nudge", "extension").turn.view.stopped).toBe("unknown_source");
		});

		it("comes at the end of a turn in which no signal was ever seen", () => {
			const script = pi().input("hello").announce("hello");
			script.idle = false;
			script.emit({ type: "agent_start" }).user("hello").assistant("stop").settle();
			expect(script.turn.view.stopped).toBe("no_signal");
		});

		it("does not reach the next prompt: only receiving is stopped", () => {
			const script = pi().begin().abort().assistant("aborted").end().settle(true).begin("again");
			expect(script.turn.view).toMatchObject({ source: "user", cancelled: false, stopped: "aborted" });
			expect(script.decide()).toBe("stopped");
		});

		it("notes a model error at the submission that began the turn", () => {
			const script = pi().submit("m1").assistant("error");
			expect(script.effects).toEqual([{ type: "assistant_error", submission: "m1" }]);
		});
	});

	describe("the latch", () => {
		const stopped = () => pi().begin().abort().assistant("aborted").end().settle(true);

		it("stops every message until the person resumes", () => {
			const script = stopped();
			expect(script.decide()).toBe("stopped");
			script.prompt("again").pass(600_000);
			expect(script.decide()).toBe("stopped");
			expect(script.turn.resume(script.now)).toEqual({ resumed: true });
			expect(script.decide()).toBe("submit");
		});

		it("opens only when pi is idle without a live signal", () => {
			const script = stopped().begin("again");
			expect(script.turn.resume(script.now)).toEqual({ resumed: false, reason: "not_idle" });
			script.assistant("error").end();
			expect(script.turn.resume(script.now)).toEqual({ resumed: false, reason: "not_idle" });
			expect(script.turn.view.stopped).toBe("aborted");
		});

		it("does not close for a session that was never registered and got nothing", () => {
			const script = pi().emit({ type: "session_start" }).begin().abort();
			expect(script.turn.view).toMatchObject({ observed: false, stopped: null, cancelled: true });
		});

		it("closes for a session that got a message without being registered", () => {
			const script = pi().emit({ type: "session_start" }).submit("m1").abort();
			expect(script.turn.view.stopped).toBe("aborted");
		});

		it("is open in a new session", () => {
			expect(stopped().emit({ type: "session_start" }).turn.view.stopped).toBeNull();
		});

		it("outlives a shutdown: what pi works on is still gated", () => {
			const script = pi().submit("m1").emit({ type: "session_shutdown" });
			expect(script.turn.view).toMatchObject({ observed: true, source: "peer", phase: "busy" });
		});
	});

	describe("messages that arrive while the agent is busy", () => {
		it("are queued with a live signal and a known source", () => {
			expect(pi().begin().decide(true)).toBe("queue");
			expect(pi().submit("m1").decide(true)).toBe("queue");
		});

		it("are queued in the pause before a retry, where the captured signal counts", () => {
			expect(inBackoff(dialect).decide(true)).toBe("queue");
		});

		it("are refused when their sender does not know of queues", () => {
			expect(pi().begin().decide(false)).toBe("busy");
		});

		it("are refused in a turn from an unknown source", () => {
			expect(pi().begin("nudge", "extension").decide(true)).toBe("busy");
		});

		it("are refused when no signal is known", () => {
			const script = pi().input("hello").announce("hello");
			script.idle = false;
			script.emit({ type: "agent_start" }).user("hello");
			expect(script.decide(true)).toBe("busy");
		});
	});

	describe("a submission", () => {
		it("is alone: until its own message ended, nothing else is submitted", () => {
			const script = pi().emit({ type: "submission", submission: "m1" });
			expect(script.decide()).toBe("busy");
			script.announce(null).start().system();
			expect(script.decide()).toBe("busy");
			script.message({ role: "submission", submission: "m1" });
			expect(script.decide(true)).toBe("queue");
		});

		it("that another run overtook is still alone after that run", () => {
			const script = pi().input("typed").announce("typed");
			script.emit({ type: "submission", submission: "m1" }).start().system().user("typed");
			script.assistant("stop").end().settle();
			expect(script.seen("settled")).toEqual([{ type: "settled", safe: true }]);
			expect(script.decide()).toBe("busy");
		});

		it("is not confirmed by the message of another one", () => {
			const script = pi().emit({ type: "submission", submission: "m2" }).announce(null).start().system();
			script.message({ role: "submission", submission: "m1" });
			expect(script.turn.nextDeadline).not.toBeNull();
		});

		it("is forgotten with its session", () => {
			const script = pi().emit({ type: "submission", submission: "m1" }).emit({ type: "session_start" });
			expect(script.decide()).toBe("submit");
		});

		it("that pi refuses leaves everything as it was", () => {
			const script = pi().emit({ type: "submission", submission: "m1" });
			script.emit({ type: "submission_failed", submission: "m1" });
			expect(script.turn.view.phase).toBe("idle");
			expect(script.decide()).toBe("submit");
		});

		it("that never starts the agent is unconfirmed after 5 s, and the latch closes", () => {
			const script = pi().emit({ type: "submission", submission: "m1" }).pass(5_100);
			expect(script.seen("unconfirmed")).toEqual([{ type: "unconfirmed", submission: "m1", started: false }]);
			expect(script.turn.view.stopped).toBe("not_started");
		});

		it("whose message does not end is unconfirmed, but an agent that started closes no latch", () => {
			const script = pi().emit({ type: "submission", submission: "m1" }).announce(null).start().pass(60_000);
			expect(script.effects).toEqual([{ type: "unconfirmed", submission: "m1", started: true }]);
			script.system().message({ role: "submission", submission: "m1" }).assistant("stop").end().settle();
			expect(script.seen("settled")).toEqual([{ type: "settled", safe: true }]);
		});

		it("gets its 5 s anew from an announced run and from a compaction", () => {
			const script = pi().emit({ type: "submission", submission: "m1" }).pass(4_000);
			script.idle = false;
			script.emit({ type: "session_before_compact" }).pass(60_000);
			script.emit({ type: "session_compact" }).pass(4_000);
			script.emit({ type: "before_agent_start", prompt: null }).pass(4_000);
			expect(script.seen("unconfirmed")).toEqual([]);
			expect(script.pass(1_100).seen("unconfirmed")).toHaveLength(1);
		});

		it("that pi lost with a bare end stops the session until the person resumes", () => {
			const script = pi().emit({ type: "submission", submission: "m1" }).settle();
			expect(script.turn.view.stopped).not.toBeNull();
			expect(script.turn.resume(script.now)).toEqual({ resumed: true });
			expect(script.decide()).toBe("submit");
		});
	});
});

describe("what only some versions of pi do", () => {
	it.each(["0.83", "0.84"] as const)("%s: a run started from another settlement handler is its own turn", (dialect) => {
		const script = new PiScript(dialect).begin().assistant("stop").end();
		// The other handler ran first: its run has started when our own word of the settlement comes.
		script.start().emit({ type: "agent_settled", aborted: false });
		expect(script.effects).toEqual([{ type: "settled", safe: true }]);
		expect(script.turn.view).toMatchObject({ phase: "busy", source: "unknown" });
		script.message({ role: "other" }).assistant("stop").end();
		expect(script.decide(true)).toBe("busy");
		script.settle();
		expect(script.turn.view.stopped).toBe("unknown_source");
	});

	it.each(["0.83", "0.84"] as const)(
		"%s: an input from another settlement handler ends the turn before it",
		(dialect) => {
			const script = new PiScript(dialect).begin().assistant("stop").end();
			script.idle = true;
			script.input("nudge", "extension").emit({ type: "agent_settled", aborted: false });
			expect(script.effects).toEqual([{ type: "settled", safe: true }]);
			script.announce("nudge").start().user("nudge");
			expect(script.turn.view).toMatchObject({ phase: "busy", source: "unknown" });
			script.assistant("stop").end().settle();
			expect(script.seen("settled")).toEqual([
				{ type: "settled", safe: true },
				{ type: "settled", safe: false },
			]);
		},
	);

	it.each(["0.83", "0.84"] as const)("%s: a late word of an end changes nothing any more", (dialect) => {
		const script = new PiScript(dialect).begin().assistant("stop").end();
		script.idle = true;
		script.prompt("nudge", "extension");
		const before = script.effects.length;
		script.settle();
		expect(script.effects).toHaveLength(before);
		expect(script.turn.view.phase).toBe("idle");
	});

	it.each(["0.83", "0.84"] as const)(
		"%s: a prompt that was announced before another run came is still the user's",
		(dialect) => {
			const script = new PiScript(dialect).input("typed").announce("typed").otherCustom();
			expect(script.turn.view.source).toBe("unknown");
			script.assistant("stop").end().settle();
			expect(script.turn.view.phase).toBe("preflight");
			script.start().user("typed");
			expect(script.turn.view.source).toBe("user");
		},
	);

	it.each(["0.83", "0.84"] as const)("%s: a late word of an end after a resume changes nothing", (dialect) => {
		const script = new PiScript(dialect).begin().assistant("stop").end();
		script.idle = true;
		expect(script.turn.resume(script.now)).toEqual({ resumed: true });
		script.input("next").emit({ type: "agent_settled", aborted: false });
		expect(script.turn.view).toMatchObject({ phase: "preflight", stopped: null });
	});

	it.each(["0.83", "0.84"] as const)("%s: a run that is split off keeps its own beginning", (dialect) => {
		const script = new PiScript(dialect).input("typed").announce("typed").otherCustom().assistant("stop").end();
		script.start().message({ role: "other" }).emit({ type: "agent_settled", aborted: false }).user("typed");
		expect(script.turn.view).toMatchObject({ phase: "busy", source: "unknown" });
	});

	it("0.83: a prompt that pi lost after it was announced outlives one turn and no more", () => {
		const script = new PiScript("0.83").input("lost").announce("lost").otherCustom().assistant("stop").end().settle();
		expect(script.turn.view.phase).toBe("preflight");
		expect(script.prompt("next").turn.view.phase).toBe("idle");
	});

	it("0.83: compacting during a run ends it with a bare settlement", () => {
		const script = new PiScript("0.83").begin();
		script.emit({ type: "message_start", message: { role: "assistant", stopReason: "pending", calls: [] } });
		script.abort().settle();
		expect(script.turn.view.stopped).toBe("aborted");
	});

	it("0.84: an abort in a tool may show as an error, and the signal tells the truth", () => {
		const script = new PiScript("0.84").begin().assistant("toolUse", ["c1"]).abort().toolResult("c1");
		script.assistant("error").end().settle();
		expect(script.seen("stopped")).toEqual([{ type: "stopped", cause: "aborted" }]);
	});

	it("1.6: what pi says about an abort at the end only adds to what was seen", () => {
		const script = new PiScript("1.6").begin().assistant("stop").end().settle(true);
		expect(script.turn.view.stopped).toBe("aborted");
		const unsaid = new PiScript("1.6").begin().abort().assistant("stop").end().settle(false);
		expect(unsaid.turn.view.stopped).toBe("aborted");
	});

	it.each(["0.84", "1.6"] as const)("%s: a compaction that failed or was cancelled is over", (dialect) => {
		const script = new PiScript(dialect);
		script.idle = dialect === "0.84";
		script.emit({ type: "session_before_compact" }).emit({ type: "session_compact_failed" });
		expect(script.turn.view.compacting).toBe(false);
		expect(script.seen("look_again")).toHaveLength(1);
	});

	it("1.6: a run inside a compaction settles before pi is idle, and nothing goes on until it is", () => {
		const script = new PiScript("1.6");
		script.idle = false;
		script.emit({ type: "session_before_compact" }).otherCustom().assistant("stop").end();
		script.emit({ type: "agent_settled", aborted: false });
		expect(script.turn.view).toMatchObject({ phase: "idle", stopped: "unknown_source" });
		expect(script.turn.resume(script.now)).toEqual({ resumed: false, reason: "not_idle" });
		script.idle = true;
		expect(script.turn.resume(script.now)).toEqual({ resumed: true });
		expect(script.decide()).toBe("submit");
	});

	it("1.6: a prompt typed while our submission starts would be refused by pi, so it collides", () => {
		const script = new PiScript("1.6").emit({ type: "submission", submission: "m1" }).announce(null);
		expect(script.turn.collides(script.now, false)).toBe(true);
		expect(script.turn.collides(script.now, true)).toBe(false);
		script.start().system().message({ role: "submission", submission: "m1" });
		expect(script.turn.collides(script.now, false)).toBe(false);
	});
});
