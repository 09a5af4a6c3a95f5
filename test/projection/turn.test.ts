import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TurnTracker } from "../../lib/projection/turn.ts";

type Move = "user" | "custom" | "result" | readonly [outcome: string, calls: number];

function play(tracker: TurnTracker, moves: readonly Move[]): TurnTracker {
	for (const move of moves) {
		if (move === "user") tracker.userMessage();
		else if (move === "custom") tracker.customMessage();
		else if (move === "result") tracker.toolResult();
		else tracker.assistantMessage(...move);
	}
	return tracker;
}

/** `open 2` or `ended 2 error`; `unknown`. */
const brief = (state: { state: string; number?: number; endReason?: string }): string =>
	[state.state, state.number, state.endReason].filter((part) => part !== undefined).join(" ");

const after = (...moves: Move[]) => {
	const { turn, step } = play(new TurnTracker(), moves).snapshot();
	return { turn: brief(turn), step: brief(step) };
};

const cases: { name: string; moves: Move[]; turn: string; step: string }[] = [
	{ name: "nothing is known of an empty branch", moves: [], turn: "unknown", step: "unknown" },
	{ name: "a custom message before any turn begins none", moves: ["custom"], turn: "unknown", step: "unknown" },
	{ name: "a result before any turn begins none", moves: ["result"], turn: "unknown", step: "unknown" },
	{ name: "a user message begins a turn without a step", moves: ["user"], turn: "open 1", step: "unknown" },
	{
		name: "an assistant message begins the first turn by itself",
		moves: [["stop", 0]],
		turn: "ended 1 completed",
		step: "ended 1",
	},
	{
		name: "an answer without calls ends the turn",
		moves: ["user", ["stop", 0]],
		turn: "ended 1 completed",
		step: "ended 1",
	},
	{
		name: "toolUse without calls ends the turn too",
		moves: ["user", ["toolUse", 0]],
		turn: "ended 1 completed",
		step: "ended 1",
	},
	{ name: "length ends the turn as length", moves: ["user", ["length", 0]], turn: "ended 1 length", step: "ended 1" },
	{ name: "length with calls goes on with them", moves: ["user", ["length", 1]], turn: "open 1", step: "open 1" },
	{ name: "stop with calls goes on with them", moves: ["user", ["stop", 1]], turn: "open 1", step: "open 1" },
	{ name: "an error ends turn and step", moves: ["user", ["error", 0]], turn: "ended 1 error", step: "ended 1" },
	{
		name: "an error ends them even with calls in it",
		moves: ["user", ["error", 2]],
		turn: "ended 1 error",
		step: "ended 1",
	},
	{ name: "an abort ends turn and step", moves: ["user", ["aborted", 1]], turn: "ended 1 aborted", step: "ended 1" },
	{ name: "a pending message keeps both open", moves: ["user", ["pending", 0]], turn: "open 1", step: "open 1" },
	{ name: "a deferred message keeps both open", moves: ["user", ["deferred", 1]], turn: "open 1", step: "open 1" },
	{ name: "an unknown ending keeps both open", moves: ["user", ["toString", 0]], turn: "open 1", step: "open 1" },
	{ name: "calls keep the step open", moves: ["user", ["toolUse", 2], "result"], turn: "open 1", step: "open 1" },
	{
		name: "the last result ends the step, not the turn",
		moves: ["user", ["toolUse", 2], "result", "result"],
		turn: "open 1",
		step: "ended 1",
	},
	{
		name: "results end the step of a pending message",
		moves: ["user", ["pending", 1], "result"],
		turn: "open 1",
		step: "ended 1",
	},
	{
		name: "more results than calls change nothing",
		moves: ["user", ["toolUse", 1], "result", "result"],
		turn: "open 1",
		step: "ended 1",
	},
	{
		name: "the next assistant message is the next step",
		moves: ["user", ["toolUse", 1], "result", ["toolUse", 1]],
		turn: "open 1",
		step: "open 2",
	},
	{
		name: "calls left open by a step don't count in the next",
		moves: ["user", ["toolUse", 3], ["toolUse", 1], "result"],
		turn: "open 1",
		step: "ended 2",
	},
	{
		name: "a retry reopens the turn that failed",
		moves: ["user", ["error", 0], ["toolUse", 1]],
		turn: "open 1",
		step: "open 2",
	},
	{
		name: "a retry that ends well forgets the failure",
		moves: ["user", ["error", 0], ["stop", 0]],
		turn: "ended 1 completed",
		step: "ended 2",
	},
	{
		name: "a custom message after the end begins a turn",
		moves: ["user", ["stop", 0], "custom"],
		turn: "open 2",
		step: "unknown",
	},
	{
		name: "a custom message inside a turn begins none",
		moves: ["user", ["toolUse", 1], "custom"],
		turn: "open 1",
		step: "open 1",
	},
	{
		name: "a second custom message begins no second turn",
		moves: ["user", ["stop", 0], "custom", "custom"],
		turn: "open 2",
		step: "unknown",
	},
	{
		name: "a user message begins a turn inside a turn",
		moves: ["user", ["toolUse", 1], "user"],
		turn: "open 2",
		step: "unknown",
	},
	{
		name: "a late result doesn't reach into a new turn",
		moves: ["user", ["toolUse", 1], "user", "result"],
		turn: "open 2",
		step: "unknown",
	},
];

describe("turns derived from a branch", () => {
	it.each(cases)("$name", ({ moves, turn, step }) => {
		expect(after(...moves)).toEqual({ turn, step });
	});

	it("tells which turn a call belongs to, and whether it is open", () => {
		const tracker = new TurnTracker();
		expect([tracker.turnNumber, tracker.turnOpen]).toEqual([0, false]);
		tracker.userMessage();
		expect([tracker.turnNumber, tracker.turnOpen]).toEqual([1, true]);
		tracker.assistantMessage("stop", 0);
		expect([tracker.turnNumber, tracker.turnOpen]).toEqual([1, false]);
	});

	const move: fc.Arbitrary<Move> = fc.oneof(
		fc.constantFrom<Move>("user", "custom", "result"),
		fc.tuple(fc.constantFrom("stop", "length", "toolUse", "error", "aborted", "pending", "later"), fc.nat(3)),
	);

	it("has a number and an end reason exactly where the states say so, and never counts backwards", () => {
		fc.assert(
			fc.property(fc.array(move), (moves) => {
				const tracker = new TurnTracker();
				let lastTurn = 0;
				for (const next of moves) {
					const { turn, step } = play(tracker, [next]).snapshot();
					expect(turn.number === undefined).toBe(turn.state === "unknown");
					expect(step.number === undefined).toBe(step.state === "unknown");
					expect(turn.endReason !== undefined).toBe(turn.state === "ended");
					expect(turn.state === "ended" && step.state !== "ended").toBe(false);
					expect([lastTurn, lastTurn + 1]).toContain(tracker.turnNumber);
					lastTurn = tracker.turnNumber;
				}
			}),
		);
	});
});
