/**
 * One session's authority: the turn, the attestor, the gate and the captured signal, fed from pi's events in the order
 * in which they depend on each other.
 *
 * It reads pi's context once per event and keeps none of it. Everything it decides is in the machines; this file only
 * owns them and the one listener among them.
 */
import { InputAttestor, type MarkLog } from "./input-attestor.ts";
import { describeMessage, messageText, type PiMessage } from "./pi-messages.ts";
import { type PiInputSource, ResentPrompts } from "./resent-prompts.ts";
import { SignalWatch, viewSignal } from "./signal-watch.ts";
import { type GateConfig, ToolGate } from "./tool-gate.ts";
import { type DeliveryDecision, LogicalTurn, type ResumeOutcome, type TurnView } from "./turn.ts";
import type { Instant, TurnEffect, TurnEvent } from "./turn-events.ts";

/** The part of pi's extension context that is looked at. */
export interface PiContext {
	readonly signal: AbortSignal | undefined;
	isIdle(): boolean;
	hasPendingMessages(): boolean;
}

/** The part of pi's `input` event that is looked at, with the text as this package passes it on. */
export interface PiInput {
	readonly source: PiInputSource;
	readonly text: string;
	readonly images?: readonly unknown[] | undefined;
	readonly streamingBehavior?: "steer" | "followUp" | undefined;
}

export interface PiToolCall {
	readonly toolName: string;
	readonly input: unknown;
}

export interface AuthorityPorts {
	/** Milliseconds of a clock that never goes back. */
	monotonic(): number;
	/** Epoch milliseconds, as in the timestamps of pi's messages. */
	epoch(): number;
	/** The id under which this package submitted a custom message; null for any other message. */
	submissionOf(message: PiMessage): string | null;
	/** Whether a target of `send_pi_message` names the sender of this submission, and nobody else. */
	namesSender(target: unknown, submission: string): boolean;
	/** What follows from an event. Called once per event that has effects, after all machines have seen it. */
	effects(effects: readonly TurnEffect[]): void;
	readonly log: MarkLog;
}

type PlainEvent = Exclude<
	TurnEvent["type"],
	| "input"
	| "before_agent_start"
	| "message_start"
	| "message_end"
	| "agent_settled"
	| "submission"
	| "submission_failed"
>;

export class SessionAuthority {
	/** Prompts of the person that this package hands to pi itself: announce each right before. */
	readonly resent = new ResentPrompts();
	readonly #ports: AuthorityPorts;
	readonly #turn = new LogicalTurn();
	readonly #attestor: InputAttestor;
	readonly #signal = new SignalWatch(() => this.#signalAborted());
	#gate = new ToolGate();

	constructor(ports: AuthorityPorts) {
		this.#ports = ports;
		this.#attestor = new InputAttestor(ports.log);
	}

	get view(): TurnView {
		return this.#turn.view;
	}

	/** When to feed a `tick`, in the monotonic clock; null when there is nothing to wait for. */
	get nextDeadline(): number | null {
		return this.#turn.nextDeadline;
	}

	/** Applies the gate's part of the config from now on. */
	configureGate(config: GateConfig): void {
		this.#gate = new ToolGate(config);
	}

	/** Events that say no more than that they happened. */
	happened(type: PlainEvent, context: PiContext): void {
		if (type === "session_start") {
			this.release();
			this.resent.clear();
		}
		if (type === "agent_start" && context.signal !== undefined) this.#signal.capture(context.signal);
		this.#apply({ type, now: this.#instant(context) });
	}

	/** Whether this prompt of a person would be refused by pi because our submission is just starting. */
	collides(input: PiInput, context: PiContext): boolean {
		const steering = input.streamingBehavior !== undefined;
		return input.source !== "extension" && this.#turn.collides(this.#instant(context), steering);
	}

	/** An input that goes on to pi. Those that this package answers itself are not fed. `terminal`: the TUI is running. */
	input(input: PiInput, terminal: boolean, context: PiContext): void {
		const author = this.resent.authorOf(input.source, input.text);
		const images = (input.images?.length ?? 0) > 0;
		const steering = input.streamingBehavior !== undefined;
		const described = { author, text: input.text, images, steering };
		const typed = terminal && input.source === "interactive";
		// The turn comes first: it may find that an earlier one is over, which closes the inputs open until now.
		this.#apply({ type: "input", ...described, terminal: typed, now: this.#instant(context) });
		this.#attestor.inputSeen({ ...described, at: this.#ports.epoch() });
	}

	/** `prompt`: of a run that a user message begins; null when a custom message does. */
	beforeAgentStart(prompt: string | null, context: PiContext): void {
		this.#apply({ type: "before_agent_start", prompt, now: this.#instant(context) });
	}

	messageStarted(message: PiMessage, context: PiContext): void {
		this.#attestor.writeMarks();
		const described = describeMessage(message, this.#ports.submissionOf);
		this.#apply({ type: "message_start", message: described, now: this.#instant(context) });
		if (described.role !== "user") return;
		const timestamp = typeof message.timestamp === "number" ? message.timestamp : null;
		this.#attestor.messageSeen({ identity: message, text: messageText(message), timestamp });
	}

	messageEnded(message: PiMessage, context: PiContext): void {
		const described = describeMessage(message, this.#ports.submissionOf);
		this.#apply({ type: "message_end", message: described, now: this.#instant(context) });
	}

	/** pi is about to call the model: what was said until now is stored. */
	contextBuilt(): void {
		this.#attestor.writeMarks();
	}

	/** Why this call is blocked; null when it may run. To be asked once per call. */
	toolCalled(call: PiToolCall, context: PiContext): string | null {
		this.happened("tool_call", context);
		const view = this.#turn.view;
		const { submission } = view;
		const namesSender = (target: unknown) => submission !== null && this.#ports.namesSender(target, submission);
		return this.#gate.decide({ tool: call.toolName, input: call.input, namesSender }, view);
	}

	/** `aborted`: as pi says it, where it does. */
	settled(aborted: boolean, context: PiContext): void {
		this.#apply({ type: "agent_settled", aborted, now: this.#instant(context) });
	}

	/** What may happen with a message at this very moment. */
	decide(queues: boolean, context: PiContext): DeliveryDecision {
		return this.#turn.decide(this.#instant(context), queues);
	}

	/** Hands a message to pi by `send`. Throws what it throws; then the turn is as it was. */
	submit(submission: string, send: () => void, context: PiContext): void {
		this.#apply({ type: "submission", submission, now: this.#instant(context) });
		try {
			send();
		} catch (error) {
			this.#apply({ type: "submission_failed", submission, now: this.#instantAlone() });
			throw error;
		}
	}

	/** The person's own act. */
	resume(context: PiContext): ResumeOutcome {
		return this.#turn.resume(this.#instant(context));
	}

	/** Lets go of the one listener. The machines go on answering. */
	release(): void {
		this.#signal.release();
	}

	#apply(event: TurnEvent): void {
		const effects = this.#turn.apply(event);
		if (effects.some((effect) => effect.type === "settled")) this.#attestor.settled();
		if (effects.length > 0) this.#ports.effects(effects);
	}

	#signalAborted(): void {
		this.#apply({ type: "abort", now: { ...this.#instantAlone(), signal: "aborted" } });
	}

	#instant(context: PiContext): Instant {
		const signal = viewSignal(context.signal);
		const pendingMessages = context.hasPendingMessages();
		return { at: this.#ports.monotonic(), idle: context.isIdle(), signal, pendingMessages };
	}

	/** An instant at which pi can't be asked: it counts as at work. */
	#instantAlone(): Instant {
		return { at: this.#ports.monotonic(), idle: false, signal: "none", pendingMessages: false };
	}
}
