/**
 * Turns and steps, derived from the messages of one branch in their order, for logs that have no turn events.
 *
 * This file promises a machine of five plain fields: each message costs a few comparisons.
 */
import type { StepState, TurnEndReason, TurnState } from "./events.ts";

/**
 * How an assistant message ended, in the log's word. Words that are not in the table of endings (`pending`,
 * `deferred`, and whatever comes later) leave the turn open.
 */
export type AssistantOutcome = "stop" | "length" | "toolUse" | "error" | "aborted" | (string & {});

/** What the log shows of turn and step after the messages so far. */
export interface TurnSnapshot {
	readonly turn: TurnState;
	readonly step: StepState;
}

/** The endings that are known: whether calls in such a message are still carried out, and what the turn's end is. */
const ENDINGS: ReadonlyMap<string, { readonly failed: boolean; readonly endReason: TurnEndReason }> = new Map([
	["stop", { failed: false, endReason: "completed" }],
	["toolUse", { failed: false, endReason: "completed" }],
	["length", { failed: false, endReason: "length" }],
	["error", { failed: true, endReason: "error" }],
	["aborted", { failed: true, endReason: "aborted" }],
]);

/**
 * The machine. Feed it a branch's messages in order; entries of any other kind are none of its business.
 *
 * It holds no message and knows no calls by name: results are counted against the calls of the latest step.
 */
export class TurnTracker {
	/** 0 before any turn. */
	#turn = 0;
	/** Null while the turn is open, and before any turn. */
	#endReason: TurnEndReason | null = null;
	/** 0 before the turn's first assistant message. */
	#step = 0;
	#stepOpen = false;
	/** Calls of the step that have no result yet. */
	#openCalls = 0;

	/** Number of the current turn, 1 the first of the branch; 0 before any. */
	get turnNumber(): number {
		return this.#turn;
	}

	/** Whether there is a turn and it has not ended. */
	get turnOpen(): boolean {
		return this.#turn > 0 && this.#endReason === null;
	}

	/** Begins a turn, also when the last one is still open. */
	userMessage(): void {
		this.#beginTurn();
	}

	/** Begins a turn when it follows a finished one; inside an open turn, or before any, it changes nothing. */
	customMessage(): void {
		if (this.#endReason !== null) this.#beginTurn();
	}

	/**
	 * One step of the current turn. After the turn's end it is a retry, and the same turn goes on; without any turn it
	 * begins the first. `calls` is the number of tool calls in the message.
	 */
	assistantMessage(outcome: AssistantOutcome, calls: number): void {
		if (this.#turn === 0) this.#beginTurn();
		const ending = ENDINGS.get(outcome);
		const ends = ending !== undefined && (ending.failed || calls === 0);
		this.#step += 1;
		this.#endReason = ends ? ending.endReason : null;
		this.#stepOpen = !ends;
		this.#openCalls = calls;
	}

	/** One result for the step's calls; the last of them ends the step. A result that nothing asked for is ignored. */
	toolResult(): void {
		if (this.#openCalls === 0) return;
		this.#openCalls -= 1;
		if (this.#openCalls === 0) this.#stepOpen = false;
	}

	/** Turn and step now, detached from the machine. */
	snapshot(): TurnSnapshot {
		return { turn: this.#turnState(), step: this.#stepState() };
	}

	#beginTurn(): void {
		this.#turn += 1;
		this.#endReason = null;
		this.#step = 0;
		this.#stepOpen = false;
		this.#openCalls = 0;
	}

	#turnState(): TurnState {
		if (this.#turn === 0) return { state: "unknown" };
		if (this.#endReason === null) return { state: "open", number: this.#turn };
		return { state: "ended", number: this.#turn, endReason: this.#endReason };
	}

	#stepState(): StepState {
		if (this.#step === 0) return { state: "unknown" };
		return { state: this.#stepOpen ? "open" : "ended", number: this.#step };
	}
}
