/** Prompts that wait, with a pi that does what the test says, at the test's own speed. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { CitedPrompt } from "../../../lib/pi/references/cited-prompt.ts";
import { HeldQueue } from "../../../lib/pi/references/held-queue.ts";
import type { AdditionalContext } from "../../../lib/references/index.ts";

beforeEach(() => {
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setImmediate", "clearImmediate", "performance"] });
});
afterEach(() => {
	vi.useRealTimers();
});

const promptOf = (text: string): CitedPrompt => ({
	typed: `typed ${text}`,
	text,
	images: [],
	references: [],
	confirmed: new Set(),
});
const context: AdditionalContext = {
	source: { kind: "session-reference", version: 1, references: [] },
	text: "snapshot",
};

class QuietPi {
	quiet = true;
	free = true;
	sent: string[] = [];
	returned: [text: string, reason: string][] = [];
	shown = 0;
	sendFails = false;
	look = () => {};
	prepare: (signal: AbortSignal) => Promise<AdditionalContext> = async () => context;
	readonly queue = new HeldQueue({
		lookAtPi: () => this.look(),
		isQuiet: () => this.quiet,
		isFree: () => this.quiet && this.free,
		prepare: (_prompt, signal) => this.prepare(signal),
		send: ({ text }) => {
			if (this.sendFails) throw new Error("The session is over.");
			this.sent.push(text);
		},
		giveBack: (prompts, { text: reason }) => {
			this.returned.push(...prompts.map(({ text }): [string, string] => [text, reason]));
		},
		show: (prompts) => {
			this.shown = prompts.length;
		},
		now: () => performance.now(),
	});

	hold(...texts: string[]): void {
		for (const text of texts) this.queue.hold(promptOf(text));
	}

	/** pi takes the prompt that it was sent last, up to the start of its turn. */
	take(): void {
		const entered = this.queue.enter(this.sent.at(-1) ?? "", true);
		if (entered === null || entered === "stop") throw new Error("Nothing was sent.");
		this.queue.announce(entered.prompt);
	}
}

const soon = () => vi.advanceTimersByTimeAsync(0);
const recalled = { text: "recalled", severity: "info" } as const;

describe("a prompt that waits", () => {
	test("is sent once when pi is free, and let go when its message has started", async () => {
		const pi = new QuietPi();
		pi.hold("a", "b");
		await soon();
		await vi.advanceTimersByTimeAsync(4000);
		expect([pi.sent, pi.shown]).toEqual([["a"], 2]);
		pi.take();
		expect(pi.shown).toBe(2);
		pi.queue.messageStarted();
		expect(pi.shown).toBe(1);
		pi.queue.settled();
		await soon();
		expect([pi.sent, pi.returned]).toEqual([["a", "b"], []]);
	});

	test("is sent without an event of pi, which may become free without one", async () => {
		const pi = new QuietPi();
		pi.free = false;
		pi.hold("a");
		await vi.advanceTimersByTimeAsync(60_000);
		expect(pi.sent).toEqual([]);
		pi.free = true;
		await vi.advanceTimersByTimeAsync(1000);
		expect(pi.sent).toEqual(["a"]);
	});

	test("waits on when pi has begun something else while its snapshot was read, or when it comes to pi's door", async () => {
		const pi = new QuietPi();
		pi.prepare = async () => {
			pi.quiet = false;
			return context;
		};
		pi.hold("a");
		await soon();
		expect(pi.sent).toEqual([]);
		pi.prepare = async () => context;
		pi.quiet = true;
		await vi.advanceTimersByTimeAsync(1000);
		expect(pi.sent).toEqual(["a"]);
		expect(pi.queue.enter("a", false)).toBe("stop");
		await vi.advanceTimersByTimeAsync(1000);
		expect(pi.sent).toEqual(["a", "a"]);
		expect(pi.returned).toEqual([]);
	});

	test("comes back when its reading fails, and when pi refuses it; the next one goes", async () => {
		const pi = new QuietPi();
		pi.prepare = () => Promise.reject(new Error("It is gone."));
		pi.hold("a");
		await soon();
		pi.prepare = async () => context;
		pi.sendFails = true;
		pi.hold("b");
		await soon();
		pi.sendFails = false;
		pi.hold("c");
		await soon();
		expect(pi.returned).toEqual([
			["a", "It is gone."],
			["b", "The session is over."],
		]);
		expect(pi.sent).toEqual(["c"]);
	});

	test("comes back while its snapshot is read, which ends the reading", async () => {
		const pi = new QuietPi();
		const signals: AbortSignal[] = [];
		pi.prepare = (signal) => {
			signals.push(signal);
			return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
		};
		pi.hold("a");
		await soon();
		expect(pi.queue.recall(recalled)).toBe(1);
		await soon();
		expect([pi.returned, signals[0]?.aborted, pi.sent]).toEqual([[["a", "recalled"]], true, []]);
	});

	test("that was sent and taken back before pi looked at it is stopped at pi's door, once", async () => {
		const pi = new QuietPi();
		pi.hold("a");
		await soon();
		expect(pi.queue.recall(recalled)).toBe(1);
		expect(pi.queue.enter("a", true)).toBe("stop");
		expect(pi.queue.enter("a", true)).toBeNull();
	});

	test("is not taken back in the moment in which pi starts it", async () => {
		const pi = new QuietPi();
		pi.hold("a");
		await soon();
		pi.take();
		expect(pi.queue.recall(recalled)).toBe(0);
		expect(pi.queue.size).toBe(1);
	});
});

describe("a prompt that pi does not start", () => {
	test("comes back after five seconds of quiet, and is not let in later", async () => {
		const pi = new QuietPi();
		pi.hold("a");
		await vi.advanceTimersByTimeAsync(4900);
		expect(pi.returned).toEqual([]);
		pi.quiet = false;
		await vi.advanceTimersByTimeAsync(60_000);
		pi.quiet = true;
		await vi.advanceTimersByTimeAsync(4900);
		expect(pi.returned).toEqual([]);
		await vi.advanceTimersByTimeAsync(2000);
		expect(pi.returned).toEqual([["a", expect.stringMatching(/did not start a turn/)]]);
		expect(pi.queue.enter("a", true)).toBe("stop");
	});

	test("also when pi had let it in", async () => {
		const pi = new QuietPi();
		pi.hold("a");
		await soon();
		pi.queue.enter("a", true);
		await vi.advanceTimersByTimeAsync(7000);
		expect(pi.returned).toHaveLength(1);
		expect(pi.queue.enter("a", true)).toBeNull();
	});

	test("comes back when its turn settles without its message", async () => {
		const pi = new QuietPi();
		pi.hold("a");
		await soon();
		pi.take();
		pi.queue.settled();
		expect(pi.returned).toHaveLength(1);
	});
});

test("a look that finds the session gone ends the waiting, and leaves no timer behind", async () => {
	const pi = new QuietPi();
	pi.free = false;
	pi.hold("a");
	await vi.advanceTimersByTimeAsync(3000);
	pi.look = () => pi.queue.abandon(recalled);
	await vi.advanceTimersByTimeAsync(1000);
	expect([pi.returned, vi.getTimerCount()]).toEqual([[["a", "recalled"]], 0]);
});

test("leaves no timer behind when nothing waits", async () => {
	const pi = new QuietPi();
	pi.free = false;
	pi.hold("a", "b");
	expect(vi.getTimerCount()).toBeGreaterThan(0);
	pi.queue.abandon(recalled);
	pi.queue.close();
	expect([pi.returned.length, vi.getTimerCount()]).toEqual([2, 0]);
});
