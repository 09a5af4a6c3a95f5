/** pi's bus as an extension may use it that does not learn of its session's end. */
import { describe, expect, it } from "vitest";
import { CurrentBus } from "../../lib/pi/current-bus.ts";
import { ProbeBus } from "../contract/probe-bus.ts";

function openBus() {
	const probe = new ProbeBus();
	const state = { isDropped: false };
	const bus = new CurrentBus(probe, () => {
		if (state.isDropped) throw new Error("stale");
	});
	const heard: unknown[] = [];
	const off = bus.on("topic", (data) => heard.push(data));
	return { probe, state, bus, heard, off };
}

describe("while pi keeps the session", () => {
	it("carries what pi's own bus carries, both ways", () => {
		const { probe, bus, heard } = openBus();
		probe.emit("topic", 1);
		bus.emit("topic", 2);
		expect(heard).toEqual([1, 2]);
		expect(probe.dataOn("topic")).toEqual([1, 2]);
	});

	it("unsubscribes as that one does", () => {
		const { probe, heard, off } = openBus();
		off();
		off();
		probe.emit("topic", 1);
		expect(heard).toEqual([]);
		expect(probe.listeners()).toBe(0);
	});
});

describe("once pi has dropped it", () => {
	it("the first event on any topic is the last: nobody hears it, and nothing listens any more", () => {
		const { probe, state, bus, heard } = openBus();
		bus.on("other", () => heard.push("other"));
		state.isDropped = true;
		probe.emit("other", 1);
		expect(heard).toEqual([]);
		expect(probe.listeners()).toBe(0);
	});

	it("lets others on the same bus be", () => {
		const { probe, state, heard } = openBus();
		probe.on("topic", (data) => heard.push(`theirs: ${data}`));
		state.isDropped = true;
		probe.emit("topic", 1);
		expect(heard).toEqual(["theirs: 1"]);
		expect(probe.listeners()).toBe(1);
	});
});
