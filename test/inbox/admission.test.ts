/** What comes in, what it costs, and what is remembered. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Admission } from "../../lib/inbox/admission.ts";
import { SharedBudget } from "../../lib/inbox/budget.ts";
import { MessageStates } from "../../lib/inbox/message-states.ts";
import { SenderBuckets } from "../../lib/inbox/sender-buckets.ts";
import { ManualClock } from "../peers/manual-clock.ts";

function prepare() {
	const clock = new ManualClock();
	const budget = new SharedBudget();
	const admission = new Admission({ clock, budget });
	let count = 0;
	const admit = (changes: Partial<Parameters<Admission["admit"]>[0]> = {}) => {
		const number = ++count;
		return admission.admit({
			sender: "ada",
			messageId: `m${number}`,
			text: `text ${number}`,
			sentAt: clock.now(),
			...changes,
		});
	};
	return { clock, budget, admit };
}

describe("a message id", () => {
	it("counts once for its sender, for the whole incarnation", () => {
		const { clock, admit } = prepare();
		expect(admit({ messageId: "one" })).toBeNull();
		clock.advance(10_000_000);
		expect(admit({ messageId: "one" })).toBe("duplicate");
	});

	it("is another one from another sender", () => {
		const { admit } = prepare();
		expect(admit({ messageId: "one" })).toBeNull();
		expect(admit({ messageId: "one", sender: "bob" })).toBeNull();
	});

	it("that was refused before it cost anything may come again", () => {
		const { clock, admit } = prepare();
		for (let index = 0; index < 30; index++) admit();
		expect(admit({ messageId: "late" })).toBe("rate_limited");
		clock.advance(2_000);
		expect(admit({ messageId: "late" })).toBeNull();
	});
});

describe("a text", () => {
	it("is a repetition within 30 seconds, also with others in between, and not after", () => {
		const { clock, admit } = prepare();
		expect(admit({ text: "same" })).toBeNull();
		expect(admit({ text: "other" })).toBeNull();
		clock.advance(29_999);
		expect(admit({ text: "same" })).toBe("duplicate");
		clock.advance(1);
		expect(admit({ text: "same" })).toBeNull();
	});

	it("is not a repetition of another sender's", () => {
		const { admit } = prepare();
		expect(admit({ text: "same" })).toBeNull();
		expect(admit({ text: "same", sender: "bob" })).toBeNull();
	});

	it("that was a repetition doesn't begin its 30 seconds anew", () => {
		const { clock, admit } = prepare();
		admit({ text: "same" });
		clock.advance(20_000);
		expect(admit({ text: "same" })).toBe("duplicate");
		clock.advance(10_000);
		expect(admit({ text: "same" })).toBeNull();
	});
});

describe("a date", () => {
	it.each([
		[-30_000, null],
		[-30_001, "expired"],
		[5_000, null],
		[5_001, "expired"],
	])("of %i ms from now gives %s", (offset, expected) => {
		const { clock, admit } = prepare();
		expect(admit({ sentAt: clock.now() + offset })).toBe(expected);
	});

	it("is judged by the wall clock and repetitions by one that never goes back", () => {
		const { clock, admit } = prepare();
		admit({ text: "same" });
		clock.shiftEpoch(3_600_000);
		expect(admit({ text: "same" })).toBe("duplicate");
		expect(admit({ sentAt: clock.now() - 3_600_000 })).toBe("expired");
	});
});

describe("a sender's bucket", () => {
	it("holds 30 and gets one back every two seconds, up to 30", () => {
		const clock = new ManualClock();
		const buckets = new SenderBuckets(clock);
		const takeAll = (): number => {
			let taken = 0;
			while (buckets.take("ada")) taken++;
			return taken;
		};
		expect(takeAll()).toBe(30);
		clock.advance(1_999);
		expect(takeAll()).toBe(0);
		clock.advance(1);
		expect(takeAll()).toBe(1);
		clock.advance(3_600_000);
		expect(takeAll()).toBe(30);
		expect(buckets.take("bob")).toBe(true);
	});

	it("loses nothing to looking at it often", () => {
		const clock = new ManualClock();
		const buckets = new SenderBuckets(clock);
		while (buckets.take("ada"));
		for (let step = 0; step < 200; step++) {
			clock.advance(10);
			buckets.has("ada");
		}
		expect(buckets.take("ada")).toBe(true);
		expect(buckets.take("ada")).toBe(false);
	});
});

describe("the budget", () => {
	it("is 256 units, and nothing gives one back", () => {
		const { clock, budget, admit } = prepare();
		let admitted = 0;
		for (let index = 0; index < 400; index++) {
			if (admit() === null) admitted++;
			clock.advance(3_000);
		}
		expect(admitted).toBe(256);
		expect(budget.remaining).toBe(0);
		clock.advance(100_000_000);
		expect(admit()).toBe("budget_exhausted");
	});

	it("tells once when 32 are left", () => {
		const told: number[] = [];
		const budget = new SharedBudget((remaining) => told.push(remaining));
		for (let index = 0; index < 223; index++) budget.take();
		expect(told).toEqual([]);
		while (budget.take());
		expect(told).toEqual([32]);
	});

	it("never grows and never goes below nothing, whatever comes in", () => {
		const event = fc.record({
			sender: fc.constantFrom("ada", "bob", "cyd"),
			messageId: fc.integer({ min: 0, max: 400 }).map(String),
			text: fc.integer({ min: 0, max: 400 }).map(String),
			age: fc.integer({ min: -10_000, max: 40_000 }),
			pause: fc.integer({ min: 0, max: 4_000 }),
		});
		fc.assert(
			fc.property(fc.array(event, { maxLength: 300 }), (events) => {
				const { clock, budget, admit } = prepare();
				const seen = new Set<string>();
				for (const { sender, messageId, text, age, pause } of events) {
					const before = budget.remaining;
					const code = admit({ sender, messageId, text, sentAt: clock.now() - age });
					expect(before - budget.remaining).toBe(code === null ? 1 : 0);
					if (code === null) expect(seen.has(`${sender} ${messageId}`)).toBe(false);
					if (code === null) seen.add(`${sender} ${messageId}`);
					clock.advance(pause);
				}
			}),
			{ numRuns: 30 },
		);
	});
});

describe("message states", () => {
	it("are a sender's own", () => {
		const states = new MessageStates(new ManualClock());
		states.set("ada", "m1", "queued");
		expect(states.get("ada", "m1")).toBe("queued");
		expect(states.get("bob", "m1")).toBe("unknown");
		expect(states.get("ada", "m2")).toBe("unknown");
	});

	it("are the newest, with its time and what there is to say", () => {
		const clock = new ManualClock();
		const states = new MessageStates(clock);
		states.set("ada", "m1", "queued", "Waits for the turn to end.");
		clock.advance(5);
		states.set("ada", "m1", "submitted");
		expect(states.list()).toEqual([{ messageId: "m1", source: "ada", state: "submitted", updatedAt: clock.now() }]);
	});

	it("are 256 at most, the oldest forgotten first", () => {
		const states = new MessageStates(new ManualClock());
		for (let index = 0; index < 300; index++) states.set("ada", `m${index}`, "submitted");
		expect(states.list()).toHaveLength(256);
		expect(states.get("ada", "m43")).toBe("unknown");
		expect(states.get("ada", "m44")).toBe("submitted");
	});
});
