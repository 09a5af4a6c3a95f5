/**
 * Targets with a fault each, to see that the fuzzer finds faults of every kind.
 */
import { type FuzzTarget, holdsNothing, type OpenTarget, samplesOf } from "./fuzz/target.ts";

const planted = (name: string, check: OpenTarget["check"]): FuzzTarget => ({
	name,
	samples: samplesOf({ fine: "sample" }),
	tokens: ["BUG"],
	bounds: [16],
	maxBytes: 1024,
	open: () => holdsNothing(check),
});

/** Does something bad as soon as an input holds the token. */
const onBug = (act: () => void): OpenTarget["check"] => {
	return (bytes) => {
		if (bytes.includes("BUG")) act();
	};
};

export const targets: readonly FuzzTarget[] = [
	planted(
		"throws",
		onBug(() => {
			throw new TypeError("A parser's own mistake.");
		}),
	),
	planted("rejects", async (bytes) => {
		if (bytes.includes("BUG")) throw new TypeError("A parser's own mistake.");
	}),
	planted(
		"pollutes",
		onBug(() => Reflect.set(Object.prototype, "polluted", true)),
	),
	planted(
		"is slow",
		onBug(() => {
			const { user } = process.cpuUsage();
			while (process.cpuUsage().user - user < 1_200_000);
		}),
	),
	planted(
		"hangs",
		onBug(() => {
			for (;;);
		}),
	),
	planted(
		"takes all memory",
		onBug(() => {
			for (const kept: number[][] = []; ; kept.push(new Array<number>(100_000).fill(0)));
		}),
	),
];
