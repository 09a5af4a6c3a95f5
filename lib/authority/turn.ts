/**
 * The logical turn: what pi is doing from the moment something was asked for until it has settled, retries and
 * continuations included.
 *
 * A pure machine: pi's events go in with their instants, effects come out, deadlines are data. It answers three
 * questions: may a message be handed to pi now, who began this turn, was it cancelled. Its promises: after a
 * cancellation nothing is submitted until the person resumes; never are two submissions in flight; a turn that another
 * session began is never taken for the person's.
 */
import { Cancellation } from "./cancellation.ts";
import { CompactionWindow } from "./compaction.ts";
import { CancelLatch } from "./latch.ts";
import { isQuiet, Phase, type PhaseName } from "./phase.ts";
import { Provenance } from "./provenance.ts";
import { SubmissionWatch } from "./submission-watch.ts";
import type { CancelCause, Instant, TurnEffect, TurnEvent, TurnMessage, TurnSource } from "./turn-events.ts";

/** What may happen with a message that arrives now. */
export type DeliveryDecision = "submit" | "queue" | "busy" | "stopped";

/** The turn as the tool gate and the status line see it. */
export interface TurnView {
	/** Counts logical turns; equal numbers mean the same turn. */
	readonly number: number;
	/** This session was registered, or got a message, since it started. */
	readonly observed: boolean;
	readonly phase: PhaseName;
	readonly compacting: boolean;
	readonly source: TurnSource;
	/** The submission that began this turn, or null. */
	readonly submission: string | null;
	readonly cancelled: boolean;
	/** Why this session receives nothing; null while it does. */
	readonly stopped: CancelCause | null;
}

export type ResumeOutcome = { readonly resumed: true } | { readonly resumed: false; readonly reason: "not_idle" };

/**
 * The agent started again in a turn that had not settled: a retry, a continuation, or (0.83, 0.84) already the run of
 * another extension that acted on the end before this package heard of it. Only the settlement tells which.
 */
interface Continuation {
	/** What the end would have meant just before. */
	readonly verdict: CancelCause | null;
	/** The first message since that isn't a system message. */
	readonly first: TurnMessage | null;
}

type Handler<Type extends TurnEvent["type"]> = (event: Extract<TurnEvent, { type: Type }>) => void;
type Handlers = { readonly [Type in TurnEvent["type"]]: Handler<Type> };

export class LogicalTurn {
	readonly #latch = new CancelLatch();
	readonly #watch = new SubmissionWatch();
	#phase = new Phase();
	#compaction = new CompactionWindow();
	#provenance = new Provenance();
	#cancellation = new Cancellation();
	#number = 1;
	#observed = false;
	/** Turns that were seen to be over before pi's own word of it came. */
	#settlementsOwed = 0;
	/** How the turn stood when the agent last started within it; null before it did so twice. */
	#continuation: Continuation | null = null;
	#effects: TurnEffect[] = [];

	/** Takes one event and returns what follows from it, in order. */
	apply(event: TurnEvent): readonly TurnEffect[] {
		this.#effects = [];
		const effects = this.#effects;
		this.#observeInstant(event.now);
		(this.#handlers[event.type] as (event: TurnEvent) => void)(event);
		if (this.#cancellation.aborted) this.#stop("aborted");
		this.#expireSubmission(event.now.at);
		return effects;
	}

	/**
	 * What may happen with a message now. `queues`: its sender knows that a message may wait here.
	 *
	 * Asks only; whoever submits says so with a `submission` event before it calls pi.
	 */
	decide(now: Instant, queues: boolean): DeliveryDecision {
		if (this.#latch.closed || this.#cancellation.aborted || now.signal === "aborted") return "stopped";
		if (this.#compaction.open || this.#phase.name === "preflight" || this.#watch.inFlight) return "busy";
		if (this.#phase.name === "idle") return isQuiet(now) && !now.pendingMessages ? "submit" : "busy";
		return queues && this.#cancellation.confirmed && this.#provenance.source !== "unknown" ? "queue" : "busy";
	}

	/** Whether a person's prompt, seen at this instant, would be refused by pi because our submission is starting. */
	collides(now: Instant, steering: boolean): boolean {
		return this.#watch.inFlight && !now.idle && !steering;
	}

	/** The person's own act: opens the latch and ends a preflight that came to nothing. Only when pi is idle. */
	resume(now: Instant): ResumeOutcome {
		if (!isQuiet(now)) return { resumed: false, reason: "not_idle" };
		this.#watch.clear();
		if (this.#phase.name === "busy") this.#settlementsOwed += 1;
		this.#startNextTurn();
		this.#phase.settle(false);
		this.#latch.open();
		return { resumed: true };
	}

	/** When to send a `tick`, in the clock of the instants; null when there is nothing to wait for. */
	get nextDeadline(): number | null {
		const confirmation = this.#compaction.open ? null : this.#watch.deadline;
		const deadlines = [this.#phase.deadline, this.#compaction.deadline, confirmation];
		const known = deadlines.filter((deadline) => deadline !== null);
		return known.length === 0 ? null : Math.min(...known);
	}

	get view(): TurnView {
		return {
			number: this.#number,
			observed: this.#observed,
			phase: this.#phase.name,
			compacting: this.#compaction.open,
			source: this.#provenance.source,
			submission: this.#provenance.submission,
			cancelled: this.#cancellation.aborted,
			stopped: this.#latch.cause,
		};
	}

	readonly #handlers: Handlers = {
		input: (event) => {
			if (event.terminal) this.#endCompaction(event.now);
			if (event.steering) return;
			this.#settleOvertaken(event.now);
			const fresh = this.#phase.name !== "busy" && isQuiet(event.now) && !this.#watch.inFlight;
			this.#provenance.addInput(event, fresh);
			this.#phase.ask(event.now);
		},
		before_agent_start: (event) => {
			if (event.prompt !== null) this.#provenance.prepare(event.prompt);
			this.#phase.announce();
			this.#watch.restart(event.now.at);
		},
		agent_start: (event) => {
			this.#endCompaction(event.now);
			this.#watch.agentStarted();
			if (this.#phase.name === "busy") this.#markContinuation();
			else this.#startRun(event.now);
		},
		message_start: ({ message }) => {
			this.#provenance.messageStarted(message);
			this.#noteContinuation(message);
			this.#cancellation.messageStarted(message);
		},
		message_end: ({ message }) => {
			this.#cancellation.messageEnded(message);
			if (message.role === "submission") this.#watch.confirm(message.submission);
			const submission = this.#provenance.submission;
			if (submission === null || message.role !== "assistant" || message.stopReason !== "error") return;
			this.#effects.push({ type: "assistant_error", submission });
		},
		tool_call: () => {},
		agent_settled: (event) => this.#agentSettled(event.now, event.aborted),
		session_before_compact: (event) => this.#compaction.begin(event.now),
		session_compact: (event) => this.#endCompaction(event.now),
		session_compact_failed: (event) => this.#endCompaction(event.now),
		session_tree: () => {},
		session_start: () => this.#forget(),
		session_shutdown: () => {},
		registered: () => {
			this.#observed = true;
		},
		submission: (event) => {
			this.#observed = true;
			this.#watch.begin(event.submission, event.now.at);
			this.#phase.ask(event.now);
		},
		submission_failed: (event) => {
			if (this.#watch.submission !== event.submission) return;
			this.#watch.clear();
			if (this.#phase.name === "preflight") this.#phase.settle(this.#provenance.prepared);
		},
		abort: () => {
			if (this.#phase.name === "busy") this.#cancellation.abort();
		},
		tick: () => {},
	};

	/** What every instant may bring, whatever the event: an exit whose time has come, a signal. */
	#observeInstant(now: Instant): void {
		if (this.#compaction.observe(now)) this.#afterCompaction(now);
		if (this.#phase.observe(now, this.#compaction.open)) this.#effects.push({ type: "look_again" });
		if (this.#phase.name === "busy") this.#cancellation.observe(now.signal);
	}

	#startRun(now: Instant): void {
		this.#phase.start();
		this.#cancellation.observe(now.signal);
	}

	#markContinuation(): void {
		this.#continuation = { verdict: this.#verdict(), first: null };
	}

	#noteContinuation(message: TurnMessage): void {
		const continuation = this.#continuation;
		if (continuation === null || continuation.first !== null || message.role === "system") return;
		this.#continuation = { ...continuation, first: message };
	}

	#agentSettled(now: Instant, aborted: boolean): void {
		const busy = this.#phase.name === "busy";
		if (this.#settlementsOwed > 0 && !(busy && isQuiet(now))) {
			this.#settlementsOwed -= 1;
			return;
		}
		if (now.signal === "active") {
			this.#splitOffRun(now);
			return;
		}
		if (this.#phase.name === "idle") return;
		if (aborted) this.#cancellation.abort();
		this.#settle(this.#verdict());
	}

	/** A settlement while an agent is already at work again: what last started is a turn of its own. */
	#splitOffRun(now: Instant): void {
		const continuation = this.#continuation;
		if (continuation === null) return;
		this.#settle(continuation.verdict);
		this.#startRun(now);
		if (continuation.first !== null) this.#provenance.messageStarted(continuation.first);
	}

	/** Another extension acted on the end of the turn first: pi is quiet, and its word of the end is still to come. */
	#settleOvertaken(now: Instant): void {
		if (this.#phase.name !== "busy" || !isQuiet(now)) return;
		this.#settlementsOwed += 1;
		this.#settle(this.#verdict());
	}

	#verdict(): CancelCause | null {
		return this.#cancellation.verdict(this.#provenance.source !== "unknown");
	}

	#settle(verdict: CancelCause | null): void {
		if (verdict !== null) this.#stop(verdict);
		this.#effects.push({ type: "settled", safe: verdict === null });
		this.#startNextTurn();
		this.#phase.settle(this.#provenance.prepared);
	}

	#startNextTurn(): void {
		this.#provenance.next();
		this.#cancellation = new Cancellation();
		this.#continuation = null;
		this.#number += 1;
	}

	#stop(cause: CancelCause): void {
		if (this.#observed && this.#latch.close(cause)) this.#effects.push({ type: "stopped", cause });
	}

	#endCompaction(now: Instant): void {
		if (this.#compaction.end()) this.#afterCompaction(now);
	}

	/** What waits may be looked at again, and a submission held up by the compaction gets its time anew. */
	#afterCompaction(now: Instant): void {
		this.#effects.push({ type: "look_again" });
		this.#watch.restart(now.at);
	}

	#expireSubmission(at: number): void {
		if (this.#compaction.open) return;
		const overdue = this.#watch.expire(at);
		if (overdue === null) return;
		this.#effects.push({ type: "unconfirmed", ...overdue });
		if (!overdue.started) this.#stop("not_started");
	}

	/** A new session inherits nothing. */
	#forget(): void {
		this.#latch.open();
		this.#watch.clear();
		this.#phase = new Phase();
		this.#compaction = new CompactionWindow();
		this.#provenance = new Provenance();
		this.#settlementsOwed = 0;
		this.#observed = false;
		this.#startNextTurn();
	}
}
