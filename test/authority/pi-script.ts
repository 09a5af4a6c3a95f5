/**
 * Plays pi: emits the events of a logical turn as the supported SDK versions were seen to emit them, with what `isIdle()`,
 * `signal` and `hasPendingMessages()` say at each of them, and keeps what the turn machine answers.
 */
import { LogicalTurn } from "../../lib/authority/turn.ts";
import type { Instant, SignalView, TurnEffect, TurnEvent, TurnMessage } from "../../lib/authority/turn-events.ts";

/** The three supported SDK versions differ in what they show and when. */
export type Dialect = "0.83" | "0.84" | "1.6";
export const dialects: readonly Dialect[] = ["0.83", "0.84", "1.6"];

type BodyOf<Event> = Event extends { now: Instant } ? Omit<Event, "now"> : never;
type EventBody = BodyOf<TurnEvent>;

export class PiScript {
	readonly turn = new LogicalTurn();
	readonly effects: TurnEffect[] = [];
	readonly dialect: Dialect;
	at = 1_000;
	idle = true;
	signal: SignalView = "none";
	pendingMessages = false;
	/** Called with each effect, as the wiring of the extension would. */
	onEffect: (effect: TurnEffect) => void = () => {};

	constructor(dialect: Dialect = "1.6") {
		this.dialect = dialect;
		this.emit({ type: "session_start" });
		this.emit({ type: "registered" });
	}

	get now(): Instant {
		return { at: this.at, idle: this.idle, signal: this.signal, pendingMessages: this.pendingMessages };
	}

	emit(body: EventBody): this {
		this.at += 1;
		const effects = this.turn.apply({ ...body, now: this.now } as TurnEvent);
		this.effects.push(...effects);
		for (const effect of effects) this.onEffect(effect);
		return this;
	}

	/** Time passes, and the deadlines that come up are served as a timer would. */
	pass(milliseconds: number): this {
		const end = this.at + milliseconds;
		for (let due = this.turn.nextDeadline; due !== null && due <= end; due = this.turn.nextDeadline) {
			this.at = Math.max(this.at, due) - 1;
			this.emit({ type: "tick" });
		}
		this.at = Math.max(this.at, end);
		return this;
	}

	input(text: string, author: "user" | "extension" = "user", options: { steering?: boolean; terminal?: boolean } = {}) {
		const { steering = false, terminal = false } = options;
		return this.emit({ type: "input", author, text, images: false, steering, terminal });
	}

	/** Announces a run: from here on 1.6 says that it is busy. */
	announce(prompt: string | null): this {
		if (this.dialect === "1.6") this.idle = false;
		if (this.dialect === "1.6" || prompt !== null) this.emit({ type: "before_agent_start", prompt });
		return this;
	}

	/** The low-level agent starts, with a new signal. */
	start(): this {
		this.idle = false;
		this.signal = "active";
		this.emit({ type: "agent_start" });
		return this;
	}

	message(message: TurnMessage): this {
		return this.emit({ type: "message_start", message }).emit({ type: "message_end", message });
	}

	system(): this {
		return this.dialect === "1.6" ? this.message({ role: "system" }) : this;
	}

	user(text: string): this {
		return this.message({ role: "user", text });
	}

	assistant(stopReason: string, calls: readonly string[] = []): this {
		this.emit({ type: "message_start", message: { role: "assistant", stopReason: "pending", calls: [] } });
		return this.emit({ type: "message_end", message: { role: "assistant", stopReason, calls } });
	}

	toolResult(call: string): this {
		return this.message({ role: "toolResult", call });
	}

	/** The low-level agent ends: pi is still busy, but shows no signal. */
	end(): this {
		this.signal = "none";
		return this;
	}

	settle(aborted = false): this {
		this.idle = true;
		this.signal = "none";
		return this.emit({ type: "agent_settled", aborted: this.dialect === "1.6" && aborted });
	}

	/** Escape while the agent is at work: the captured signal tells at once. */
	abort(): this {
		this.signal = "aborted";
		return this.emit({ type: "abort" });
	}

	/** A prompt from its input to its user message. */
	begin(text = "hello", author: "user" | "extension" = "user"): this {
		return this.input(text, author).announce(text).start().system().user(text);
	}

	/** A whole prompt with a good end. */
	prompt(text = "hello", author: "user" | "extension" = "user"): this {
		return this.begin(text, author).assistant("stop").end().settle();
	}

	/** Our own submission up to its stored message, as pi takes it when idle. */
	submit(submission: string): this {
		this.emit({ type: "submission", submission });
		return this.announce(null).start().system().message({ role: "submission", submission });
	}

	/** A run that another extension's custom message begins. */
	otherCustom(): this {
		return this.announce(null).start().system().message({ role: "other" });
	}

	decide(queues = true) {
		return this.turn.decide(this.now, queues);
	}

	/** The effects of one kind, newest last. */
	seen<Type extends TurnEffect["type"]>(type: Type): Extract<TurnEffect, { type: Type }>[] {
		return this.effects.filter((effect): effect is Extract<TurnEffect, { type: Type }> => effect.type === type);
	}
}
