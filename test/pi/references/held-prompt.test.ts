/** The way of a prompt that waits, as a table, and what holds for every order of events. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	type HeldEnd,
	type HeldEvent,
	HeldPrompts,
	type HeldState,
	nextHeldState,
} from "../../../lib/pi/references/held-prompt.ts";

const states: readonly HeldState[] = ["waiting", "preparing", "submitted", "entered", "announced"];
const events: readonly HeldEvent[] = [
	...(["prepare", "postpone", "submit", "enter", "announce", "start"] as const),
	...(["refuse", "stall", "settle", "recall", "abandon"] as const),
];

/** Where each event leads from each state, in the order of `states`; a dash: it means nothing there. */
const table: Record<HeldEvent, readonly (HeldState | HeldEnd | "-")[]> = {
	prepare: ["preparing", "-", "-", "-", "-"],
	postpone: ["-", "waiting", "waiting", "-", "-"],
	submit: ["-", "submitted", "-", "-", "-"],
	enter: ["-", "-", "entered", "-", "-"],
	announce: ["-", "-", "-", "announced", "-"],
	start: ["-", "-", "-", "-", "started"],
	refuse: ["-", "returned", "returned", "-", "-"],
	stall: ["-", "-", "returned", "returned", "-"],
	settle: ["-", "-", "-", "-", "returned"],
	recall: ["returned", "returned", "returned", "-", "-"],
	abandon: ["returned", "returned", "returned", "returned", "returned"],
};

describe("a prompt that waits", () => {
	test.each(events)("on %s goes where the table says", (event) => {
		expect(states.map((state) => nextHeldState(state, event) ?? "-")).toEqual(table[event]);
	});

	test("is let go only by its own start, by being returned, and never twice", () => {
		const someEvents = fc.array(fc.constantFrom(...events), { maxLength: 40 });
		fc.assert(
			fc.property(someEvents, (given) => {
				const held = new HeldPrompts<{ readonly text: string }>();
				const prompt = { text: "a" };
				held.hold(prompt);
				const ends = given.map((event) => held.apply(prompt, event)).filter((next) => isEnd(next));
				expect(ends.length).toBe(held.prompts.length === 0 ? 1 : 0);
			}),
		);
	});
});

const isEnd = (next: HeldState | HeldEnd | null) => next === "started" || next === "returned";

describe("several prompts", () => {
	const three = () => {
		const held = new HeldPrompts<{ readonly text: string }>();
		const prompts = ["a", "b", "c"].map((text) => ({ text }));
		for (const prompt of prompts) held.hold(prompt);
		return { held, prompts };
	};

	test("go in the order in which they were typed, one at a time", () => {
		const { held, prompts } = three();
		for (const prompt of prompts) {
			expect(held.next).toBe(prompt);
			for (const event of ["prepare", "submit", "enter", "announce"] as const) {
				expect(held.apply(prompt, event)).not.toBeNull();
				expect([held.next, held.current]).toEqual([null, prompt]);
			}
			expect(held.apply(prompt, "start")).toBe("started");
		}
		expect([held.next, held.current, held.prompts]).toEqual([null, null, []]);
	});

	test("are returned together, but for one that pi is starting", () => {
		const { held, prompts } = three();
		const [first, ...others] = prompts;
		if (first === undefined) throw new Error("unreachable");
		for (const event of ["prepare", "submit", "enter"] as const) held.apply(first, event);
		expect(held.applyToAll("recall")).toEqual(others);
		expect(held.applyToAll("abandon")).toEqual([first]);
	});
});
