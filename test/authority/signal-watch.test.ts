import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { SignalWatch, viewSignal } from "../../lib/authority/signal-watch.ts";

function watched() {
	const seen = { aborts: 0 };
	const watch = new SignalWatch(() => {
		seen.aborts += 1;
	});
	return { seen, watch };
}

const listeners = (controller: AbortController) => getEventListeners(controller.signal, "abort").length;

describe("the captured signal", () => {
	it("tells an abort at once", () => {
		const { seen, watch } = watched();
		const controller = new AbortController();
		watch.capture(controller.signal);
		controller.abort();
		expect(seen.aborts).toBe(1);
	});

	it("tells an abort that came before it was captured", () => {
		const { seen, watch } = watched();
		watch.capture(AbortSignal.abort());
		expect(seen.aborts).toBe(1);
	});

	it("has one listener however often it is captured, and none once another one is", () => {
		const { seen, watch } = watched();
		const [first, second] = [new AbortController(), new AbortController()];
		watch.capture(first.signal);
		watch.capture(first.signal);
		expect(listeners(first)).toBe(1);
		watch.capture(second.signal);
		expect([listeners(first), listeners(second)]).toEqual([0, 1]);
		first.abort();
		expect(seen.aborts).toBe(0);
	});

	it("is let go without a trace", () => {
		const { seen, watch } = watched();
		const controller = new AbortController();
		watch.capture(controller.signal);
		watch.release();
		watch.release();
		expect(listeners(controller)).toBe(0);
		controller.abort();
		expect(seen.aborts).toBe(0);
	});

	it("looks like none, active or aborted", () => {
		expect(viewSignal(undefined)).toBe("none");
		expect(viewSignal(new AbortController().signal)).toBe("active");
		expect(viewSignal(AbortSignal.abort())).toBe("aborted");
	});
});
