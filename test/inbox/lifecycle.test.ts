/** One incarnation at a time, and nothing left of the ones before. */
import { describe, expect, it, vi } from "vitest";
import { type IncarnationScope, Lifecycle } from "../../lib/inbox/lifecycle.ts";
import { ReleaseStack } from "../../lib/inbox/release-stack.ts";

describe("a release stack", () => {
	it("gives back in reverse order, everything, once, and tells what failed", async () => {
		const stack = new ReleaseStack();
		const order: string[] = [];
		await stack.acquire(
			() => "socket",
			(name) => void order.push(name),
		);
		stack.add(() => {
			order.push("failing");
			throw new Error("stuck");
		});
		stack.add(async () => void order.push("timer"));
		const [first, second] = await Promise.all([stack.releaseAll(), stack.releaseAll()]);
		expect(order).toEqual(["timer", "failing", "socket"]);
		expect(first).toEqual([new Error("stuck")]);
		expect(second).toBe(first);
	});

	it("adds nothing for what could not be acquired", async () => {
		const stack = new ReleaseStack();
		const close = vi.fn();
		await expect(stack.acquire(() => Promise.reject(new Error("no")), close)).rejects.toThrow("no");
		await stack.releaseAll();
		expect(close).not.toHaveBeenCalled();
	});

	it("gives back at once what is added after the release", async () => {
		const stack = new ReleaseStack();
		await stack.releaseAll();
		const close = vi.fn();
		stack.add(close);
		expect(close).toHaveBeenCalledOnce();
	});
});

describe("a start", () => {
	it("fences the incarnation before it in the same instant and waits until it is released", async () => {
		const lifecycle = new Lifecycle();
		const order: string[] = [];
		const released = Promise.withResolvers<void>();
		const fence = await lifecycle.start(async (scope) => {
			scope.releases.add(async () => {
				await released.promise;
				order.push("first released");
			});
			return scope.fence;
		});
		expect(fence.aborted).toBe(false);
		const second = lifecycle.start(async () => order.push("second begins"));
		expect(fence.aborted).toBe(true);
		released.resolve();
		await second;
		expect(order).toEqual(["first released", "second begins"]);
	});

	it("that fails has released everything by the time it says so", async () => {
		const lifecycle = new Lifecycle();
		const release = vi.fn();
		const starting = lifecycle.start(async ({ releases }) => {
			releases.add(release);
			throw new Error("no socket");
		});
		await expect(starting).rejects.toThrow("no socket");
		expect(release).toHaveBeenCalledOnce();
		await expect(lifecycle.start(async () => "next")).resolves.toBe("next");
	});

	it("that was overtaken while it waited does not run", async () => {
		const lifecycle = new Lifecycle();
		const open = vi.fn(async () => "never");
		const first = lifecycle.start(open);
		const second = lifecycle.start(async () => "second");
		await expect(first).rejects.toMatchObject({ code: "superseded" });
		await expect(second).resolves.toBe("second");
		expect(open).not.toHaveBeenCalled();
	});

	it("that was overtaken while it ran is released, whether it notices or not", async () => {
		const lifecycle = new Lifecycle();
		const release = vi.fn();
		const running = Promise.withResolvers<void>();
		const goOn = Promise.withResolvers<void>();
		const first = lifecycle.start(async ({ releases }) => {
			releases.add(release);
			running.resolve();
			await goOn.promise;
			return "unnoticed";
		});
		await running.promise;
		const stopped = lifecycle.stop();
		goOn.resolve();
		await expect(first).rejects.toMatchObject({ code: "superseded" });
		await stopped;
		expect(release).toHaveBeenCalledOnce();
	});
});

describe("an end", () => {
	it("from inside fences at once, releases once, and leaves the next start alone", async () => {
		const lifecycle = new Lifecycle();
		const release = vi.fn();
		const scope = await lifecycle.start(async (own: IncarnationScope) => {
			own.releases.add(release);
			return own;
		});
		const ended = scope.end();
		expect(scope.fence.aborted).toBe(true);
		await Promise.all([ended, scope.end(), lifecycle.stop(), lifecycle.stop()]);
		expect(release).toHaveBeenCalledOnce();
		const next = await lifecycle.start(async ({ fence }) => fence);
		await scope.end();
		expect(next.aborted).toBe(false);
	});

	it("without a start does nothing", async () => {
		await expect(new Lifecycle().stop()).resolves.toBeUndefined();
	});

	it("runs after the starts and stops before it, in the order they were entered", async () => {
		const lifecycle = new Lifecycle();
		const order: number[] = [];
		await Promise.allSettled(
			Array.from({ length: 20 }, (_, index) =>
				index % 3 === 2
					? lifecycle.stop()
					: lifecycle.start(async ({ releases }) => {
							order.push(index);
							releases.add(() => void order.push(-index));
						}),
			),
		);
		await lifecycle.stop();
		expect(order).toEqual([19, -19]);
	});
});
