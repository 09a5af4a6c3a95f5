/** The chosen row stays the chosen session, whatever comes, goes and is typed. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RowChoice } from "../../../lib/pi/picker/row-choice.ts";
import { candidate, peer, rowsOf } from "./picker-rows.ts";

function choiceOf(...names: string[]): RowChoice {
	const choice = new RowChoice();
	choice.update(stored(...names));
	return choice;
}

const stored = (...names: string[]) => rowsOf({ candidates: names.map((name) => candidate(name)) });

describe("the chosen row", () => {
	test("is the first at the beginning, and none where there are none", () => {
		expect(choiceOf("a", "b").chosen?.title).toBe("a");
		expect([choiceOf().chosen, choiceOf().index]).toEqual([null, 0]);
	});

	test("ends at both ends when it is moved", () => {
		const choice = choiceOf("a", "b", "c");
		choice.move(-5);
		expect(choice.chosen?.title).toBe("a");
		choice.move(5);
		expect(choice.chosen?.title).toBe("c");
	});

	test("stays the same session when rows come before it and go", () => {
		const choice = choiceOf("a", "b", "c");
		choice.move(1);
		choice.update(stored("new", "c", "b"));
		expect([choice.chosen?.title, choice.index]).toEqual(["b", 2]);
	});

	test("stays the same session when that ends, and when it comes up", () => {
		const live = { peers: [peer("other"), peer("x")], candidates: [candidate("x"), candidate("y")] };
		const choice = new RowChoice();
		choice.update(rowsOf(live));
		choice.move(1);
		choice.update(rowsOf({ ...live, peers: [peer("other")] }));
		expect([choice.chosen?.title, choice.chosen?.status]).toEqual(["x", "offline"]);
		choice.update(rowsOf(live));
		expect([choice.chosen?.title, choice.chosen?.status]).toEqual(["x", "idle"]);
	});

	test("leaves its place to the next one when its session is gone, at the end to the one before", () => {
		const choice = choiceOf("a", "b", "c");
		choice.move(1);
		choice.update(stored("a", "c"));
		expect(choice.chosen?.title).toBe("c");
		choice.update(stored("a"));
		expect(choice.chosen?.title).toBe("a");
	});

	test("is the best one when something else is typed, and stays when nothing else is", () => {
		const choice = choiceOf("alpha", "beta", "gamma beta");
		choice.move(2);
		choice.search("beta");
		expect(choice.chosen?.title).toBe("beta");
		choice.move(1);
		choice.search("beta");
		expect(choice.chosen?.title).toBe("gamma beta");
		choice.update(stored("beta", "delta", "gamma beta"));
		expect(choice.chosen?.title).toBe("gamma beta");
	});

	test("can be chosen by its key; an unknown key changes nothing", () => {
		const choice = choiceOf("a", "b");
		choice.choose("stored id-of-b");
		choice.choose("stored id-of-nobody");
		expect(choice.chosen?.title).toBe("b");
	});

	test("is found again in a newer listing, or is what it was", () => {
		const choice = choiceOf("a");
		const [before] = choice.rows;
		if (before === undefined) throw new Error("no row");
		choice.update(rowsOf({ peers: [peer("a")] }));
		expect(choice.latest(before).status).toBe("idle");
		choice.update([]);
		expect(choice.latest(before)).toBe(before);
	});
});

test("is always one of the rows to be seen, or there are none", () => {
	const step = fc.oneof(
		fc.record({ update: fc.uniqueArray(fc.constantFrom("a", "ab", "abc", "b", "bc", "c")) }),
		fc.record({ search: fc.constantFrom("", "a", "b", "zz") }),
		fc.record({ move: fc.integer({ min: -3, max: 3 }) }),
	);
	fc.assert(
		fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
			const choice = new RowChoice();
			for (const { update, search, move } of steps as { update?: string[]; search?: string; move?: number }[]) {
				const before = choice.chosen?.title;
				if (update) choice.update(stored(...update));
				if (search !== undefined) choice.search(search);
				if (move !== undefined) choice.move(move);
				const { visible, chosen, index } = choice;
				expect(chosen).toBe(visible[index] ?? null);
				expect(chosen === null).toBe(visible.length === 0);
				if (update && before !== undefined && visible.some(({ title }) => title === before)) {
					expect(chosen?.title).toBe(before);
				}
			}
		}),
	);
});
