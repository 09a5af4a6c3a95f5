/** The shared budget, whatever arrives, waits, is dropped or is sent. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { BUDGET_UNITS, SharedBudget } from "../../lib/inbox/budget.ts";
import { type Delivery, Inbox } from "../../lib/inbox/inbox.ts";
import type { QueueDecision } from "../../lib/inbox/safe-queue.ts";
import { SafeQueue } from "../../lib/inbox/safe-queue.ts";
import { peerPaths } from "../../lib/peers/paths.ts";
import { ManualClock } from "../peers/manual-clock.ts";
import { registrationFor } from "../peers/temporary-peers.ts";

const paths = peerPaths("/nowhere");

/** An inbox with a queue behind it whose moment, fate and pi the test decides. */
class Receiver {
	readonly clock = new ManualClock();
	readonly budget = new SharedBudget();
	readonly senders = Array.from({ length: 3 }, () => registrationFor(paths));
	decision: QueueDecision = "submit";
	fails = false;
	/** Messages that the inbox let in. */
	admitted = 0;
	sent = 0;
	readonly queue = new SafeQueue<string>({
		decide: () => this.decision,
		submit: () => {
			if (this.fails) throw new Error("stale");
		},
		report: () => {},
	});
	readonly #delivery: Delivery = {
		refusal: () => this.queue.refusal(true, this.clock.monotonic()),
		deliver: ({ messageId, expiresAt }) => {
			this.admitted += 1;
			const lifetime = expiresAt - this.clock.now();
			return this.queue.offer({ message: messageId, lifetime, queues: true }, this.clock.monotonic());
		},
	};
	readonly #inbox = new Inbox({
		instanceId: registrationFor(paths).instanceId,
		clock: this.clock,
		budget: this.budget,
		delivery: this.#delivery,
		mode: "accept",
	});

	async arrive(sender: number, message: number, age: number): Promise<void> {
		const registration = this.senders[sender] ?? registrationFor(paths);
		const head = { v: 1, type: "message", requestId: "r", messageId: `m${message}` } as const;
		const frame = { ...head, text: `text ${message % 50}`, summary: "s", sentAt: this.clock.now() - age };
		await this.#inbox.take(frame, { registration, capabilities: [] });
	}
}

const steps = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.record({
			type: fc.constant("arrive" as const),
			sender: fc.nat(2),
			message: fc.nat(400),
			age: fc.constantFrom(0, 29_000, 31_000),
		}),
	},
	fc.record({
		type: fc.constant("decide" as const),
		decision: fc.constantFrom<QueueDecision>("submit", "queue", "busy", "stopped"),
	}),
	fc.record({ type: fc.constantFrom("send" as const, "release" as const, "drop" as const, "fail" as const) }),
	fc.record({ type: fc.constant("pass" as const), milliseconds: fc.constantFrom(100, 5_000, 40_000) }),
);
type Step = typeof steps extends fc.Arbitrary<infer Value> ? Value : never;

async function play(receiver: Receiver, step: Step): Promise<void> {
	if (step.type === "arrive") await receiver.arrive(step.sender, step.message, step.age);
	if (step.type === "decide") receiver.decision = step.decision;
	if (step.type === "pass") receiver.clock.advance(step.milliseconds);
	if (step.type === "release") receiver.queue.release(receiver.clock.monotonic());
	if (step.type === "drop") receiver.queue.drop("dropped_user_reset");
	if (step.type === "fail") receiver.fails = !receiver.fails;
	if (step.type === "send" && receiver.budget.take()) receiver.sent += 1;
}

it("never grows, and is what was admitted and sent", async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(steps, { maxLength: 400, size: "max" }), async (run) => {
			const receiver = new Receiver();
			for (const step of run) {
				const before = receiver.budget.remaining;
				await play(receiver, step);
				expect(receiver.budget.remaining).toBeLessThanOrEqual(before);
				expect(receiver.budget.remaining).toBe(BUDGET_UNITS - receiver.admitted - receiver.sent);
				expect(receiver.budget.remaining).toBeGreaterThanOrEqual(0);
			}
		}),
		{ numRuns: 60 },
	);
});
