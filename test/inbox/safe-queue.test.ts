import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	QUEUE_CAPACITY,
	QUEUE_LIFETIME_MS,
	type QueueDecision,
	type QueuedFate,
	SafeQueue,
} from "../../lib/inbox/safe-queue.ts";
import { dialects, PiScript } from "../authority/pi-script.ts";

function queueWith(initial: QueueDecision) {
	const state = {
		decision: initial,
		submitted: [] as string[],
		fates: [] as [string, QueuedFate][],
		refuses: (_message: string): boolean => false,
	};
	const queue = new SafeQueue<string>({
		decide: (queues) => (state.decision === "queue" && !queues ? "busy" : state.decision),
		submit: (message) => {
			if (state.refuses(message)) throw new Error("stale");
			state.submitted.push(message);
			state.decision = "busy";
		},
		report: (message, fate) => state.fates.push([message, fate]),
	});
	const offer = (message: string, at = 0, queues = true, lifetime = QUEUE_LIFETIME_MS) =>
		queue.offer({ message, lifetime, queues }, at);
	return { queue, state, offer };
}

describe("a message that is offered", () => {
	it.each([
		["submit", true, "submitted"],
		["submit", false, "submitted"],
		["queue", true, "queued"],
		["queue", false, "busy"],
		["busy", true, "busy"],
		["stopped", true, "stopped"],
		["stopped", false, "stopped"],
	] as const)("with the decision %s and a queueing sender %s is told %s", (decision, queues, receipt) => {
		const { offer, state } = queueWith(decision);
		expect(offer("m", 0, queues)).toBe(receipt);
		expect(state.submitted).toEqual(receipt === "submitted" ? ["m"] : []);
		expect(state.fates).toEqual([]);
	});

	it("too late is expired, before anything is decided", () => {
		const { offer, state } = queueWith("submit");
		expect(offer("m", 0, true, 0)).toBe("expired");
		expect(state.submitted).toEqual([]);
	});

	it("that pi refuses is told so", () => {
		const { offer, state } = queueWith("submit");
		state.refuses = () => true;
		expect(offer("m")).toBe("injection_failed");
	});

	it("beyond 50 waiting ones is refused", () => {
		const { queue, offer } = queueWith("queue");
		for (let count = 0; count < QUEUE_CAPACITY; count += 1) expect(offer(`m${count}`)).toBe("queued");
		expect(offer("one more")).toBe("queue_full");
		expect(queue.size).toBe(50);
	});

	it("goes behind those that wait, which then go first", () => {
		const { offer, state } = queueWith("queue");
		offer("first");
		state.decision = "submit";
		expect(offer("second")).toBe("queued");
		expect(state.submitted).toEqual(["first"]);
	});

	it("by a sender that knows no queue is refused while others wait", () => {
		const { offer, state } = queueWith("queue");
		offer("first");
		state.decision = "submit";
		expect(offer("second", 0, false)).toBe("busy");
	});
});

describe("messages that wait", () => {
	it("are released one at a time, oldest first", () => {
		const { queue, offer, state } = queueWith("queue");
		offer("a");
		offer("b");
		expect(queue.release(1)).toBe(false);
		state.decision = "submit";
		expect(queue.release(1)).toBe(true);
		expect(queue.release(1)).toBe(false);
		state.decision = "submit";
		queue.release(2);
		expect(state.submitted).toEqual(["a", "b"]);
		expect(state.fates).toEqual([
			["a", "submitted"],
			["b", "submitted"],
		]);
	});

	it("do not wait behind one that pi refuses", () => {
		const { queue, offer, state } = queueWith("queue");
		offer("bad");
		offer("good");
		state.refuses = (message) => message === "bad";
		state.decision = "submit";
		expect(queue.release(1)).toBe(true);
		expect(state.fates).toEqual([
			["bad", "injection_failed"],
			["good", "submitted"],
		]);
	});

	it("live as long as they were given, and 30 s at most", () => {
		const { queue, offer, state } = queueWith("queue");
		offer("short", 0, true, 1_000);
		offer("long", 0, true, 600_000);
		expect(queue.nextDeadline).toBe(1_000);
		queue.expire(1_000);
		expect(state.fates).toEqual([["short", "expired"]]);
		expect(queue.nextDeadline).toBe(QUEUE_LIFETIME_MS);
		state.decision = "submit";
		expect(queue.release(QUEUE_LIFETIME_MS)).toBe(false);
		expect(state.fates).toEqual([
			["short", "expired"],
			["long", "expired"],
		]);
		expect(queue.nextDeadline).toBeNull();
	});

	it.each(["dropped", "dropped_cancelled", "dropped_shutdown", "dropped_user_reset"] as const)(
		"never come back once they are %s",
		(reason) => {
			const { queue, offer, state } = queueWith("queue");
			offer("a");
			offer("b");
			queue.drop(reason);
			state.decision = "submit";
			expect(queue.release(1)).toBe(false);
			expect(state.submitted).toEqual([]);
			expect(state.fates).toEqual([
				["a", reason],
				["b", reason],
			]);
		},
	);
});

/** The queue, wired to a turn as the extension wires it. */
class Receiver {
	readonly script: PiScript;
	readonly queue: SafeQueue<string>;
	readonly fates = new Map<string, string>();
	readonly submitted: string[] = [];
	#offered = 0;

	constructor(dialect = dialects[2] ?? "1.6") {
		this.script = new PiScript(dialect);
		this.queue = new SafeQueue<string>({
			decide: (queues) => this.script.decide(queues),
			submit: (message) => {
				this.submitted.push(message);
				this.script.emit({ type: "submission", submission: message });
			},
			report: (message, fate) => this.fates.set(message, fate),
		});
		this.script.onEffect = (effect) => {
			if (effect.type === "stopped") this.queue.drop("dropped_cancelled");
		};
	}

	offer(queues = true): string {
		this.#offered += 1;
		return this.queue.offer({ message: `m${this.#offered}`, lifetime: QUEUE_LIFETIME_MS, queues }, this.script.at);
	}

	release(): boolean {
		return this.queue.release(this.script.at);
	}

	/** pi takes the submission that was made and answers it well. */
	answer(submission: string): void {
		this.script.announce(null).start().system().message({ role: "submission", submission });
		this.script.assistant("stop").end().settle();
	}
}

describe.each(dialects)("with a turn on pi %s", (dialect) => {
	it("a retry that ends well releases two waiting messages, one after the other", () => {
		const receiver = new Receiver(dialect);
		receiver.script.begin().assistant("error").end();
		expect([receiver.offer(), receiver.offer()]).toEqual(["queued", "queued"]);
		receiver.script.start().assistant("stop").end().settle();
		expect(receiver.release()).toBe(true);
		expect(receiver.release()).toBe(false);
		receiver.answer("m1");
		expect(receiver.release()).toBe(true);
		receiver.answer("m2");
		expect(receiver.submitted).toEqual(["m1", "m2"]);
	});

	it("an abort in the pause before a retry drops what waits for good", () => {
		const receiver = new Receiver(dialect);
		receiver.script.begin().assistant("error").end();
		receiver.offer();
		receiver.script.settle(true);
		expect(receiver.fates.get("m1")).toBe("dropped_cancelled");
		expect(receiver.offer()).toBe("stopped");
		receiver.script.prompt("again");
		expect(receiver.release()).toBe(false);
		receiver.script.turn.resume(receiver.script.now);
		expect(receiver.release()).toBe(false);
		expect(receiver.submitted).toEqual([]);
		expect(receiver.offer()).toBe("submitted");
	});

	it("an abort that comes while a message is admitted is seen before it is queued", () => {
		const receiver = new Receiver(dialect);
		receiver.script.begin().abort();
		expect(receiver.offer()).toBe("stopped");
	});
});

describe("for any run of events", () => {
	const steps = [
		"input",
		"extension_input",
		"announce",
		"start",
		"user",
		"stop",
		"error",
		"length",
		"aborted",
		"abort",
		"end",
		"settle",
		"take_submission",
		"other",
		"compact",
		"compacted",
		"offer",
		"offer_old",
		"release",
		"resume",
		"second",
		"half_minute",
		"busy",
		"idle",
		"pending",
	] as const;
	type Step = (typeof steps)[number];

	function play(receiver: Receiver, step: Step): void {
		const { script } = receiver;
		const actions: Record<Step, () => unknown> = {
			input: () => script.input("hello"),
			extension_input: () => script.input("nudge", "extension"),
			announce: () => script.announce("hello"),
			start: () => script.start(),
			user: () => script.user("hello"),
			stop: () => script.assistant("stop"),
			error: () => script.assistant("error"),
			length: () => script.assistant("length"),
			aborted: () => script.assistant("aborted"),
			abort: () => script.signal === "active" && script.abort(),
			end: () => script.end(),
			settle: () => script.settle(),
			take_submission: () => script.message({ role: "submission", submission: receiver.submitted.at(-1) ?? "none" }),
			other: () => script.message({ role: "other" }),
			compact: () => script.emit({ type: "session_before_compact" }),
			compacted: () => script.emit({ type: "session_compact" }),
			offer: () => receiver.offer(true),
			offer_old: () => receiver.offer(false),
			release: () => receiver.release(),
			resume: () => {
				if (script.turn.resume(script.now).resumed) receiver.queue.drop("dropped_user_reset");
			},
			second: () => script.pass(1_000),
			half_minute: () => script.pass(30_000),
			busy: () => {
				script.idle = false;
			},
			idle: () => {
				script.idle = true;
			},
			pending: () => {
				script.pendingMessages = !script.pendingMessages;
			},
		};
		actions[step]();
	}

	const runs = fc.array(fc.constantFrom(...steps), { maxLength: 60 });

	it.each(dialects)("%s: nothing is submitted between a cancellation and the next resume", (dialect) => {
		fc.assert(
			fc.property(runs, (run) => {
				const receiver = new Receiver(dialect);
				for (const step of run) {
					const before = receiver.submitted.length;
					const stopped = receiver.script.turn.view.stopped;
					play(receiver, step);
					if (stopped !== null) expect(receiver.submitted).toHaveLength(before);
					if (receiver.script.turn.view.stopped !== null) expect(receiver.queue.size).toBe(0);
				}
			}),
			{ numRuns: 400 },
		);
	});

	it.each(dialects)("%s: the latch opens by resume only", (dialect) => {
		fc.assert(
			fc.property(runs, (run) => {
				const receiver = new Receiver(dialect);
				for (const step of run) {
					const stopped = receiver.script.turn.view.stopped;
					play(receiver, step);
					if (stopped !== null && step !== "resume") expect(receiver.script.turn.view.stopped).toBe(stopped);
				}
			}),
			{ numRuns: 400 },
		);
	});

	it.each(dialects)(
		"%s: two submissions are never in flight, and none happens in preflight or compaction",
		(dialect) => {
			fc.assert(
				fc.property(runs, (run) => {
					const receiver = new Receiver(dialect);
					let inFlight: string | undefined;
					for (const step of run) {
						const view = receiver.script.turn.view;
						const before = receiver.submitted.length;
						play(receiver, step);
						if (step === "take_submission" && receiver.submitted.at(-1) === inFlight) inFlight = undefined;
						if (step === "resume" && receiver.script.turn.view.stopped === null) inFlight = undefined;
						const now = receiver.submitted.length;
						expect(now - before).toBeLessThanOrEqual(1);
						if (now === before) continue;
						expect(inFlight).toBeUndefined();
						inFlight = receiver.submitted.at(-1);
						expect(view).toMatchObject({ phase: "idle", compacting: false });
					}
				}),
				{ numRuns: 400 },
			);
		},
	);

	it.each(dialects)("%s: the queue holds at most 50 messages, none of them longer than 30 s", (dialect) => {
		const busy = fc.constantFrom<Step>("offer", "offer", "offer", "second", "release", "half_minute");
		fc.assert(
			fc.property(fc.array(busy, { minLength: 60, maxLength: 150 }), (run) => {
				const receiver = new Receiver(dialect);
				receiver.script.begin();
				const born: number[] = [];
				for (const step of run) {
					const before = receiver.queue.size;
					play(receiver, step);
					if (receiver.queue.size > before) born.push(receiver.script.at);
					receiver.queue.expire(receiver.script.at);
					expect(receiver.queue.size).toBeLessThanOrEqual(QUEUE_CAPACITY);
					const oldest = born.at(-receiver.queue.size);
					if (receiver.queue.size > 0 && oldest !== undefined) {
						expect(receiver.script.at - oldest).toBeLessThan(QUEUE_LIFETIME_MS);
					}
				}
			}),
			{ numRuns: 100 },
		);
	});
});
