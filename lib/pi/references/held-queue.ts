/**
 * Lets prompts wait until pi can start a turn with them, then sends them one at a time, each with a fresh snapshot.
 *
 * Promise: none goes after a run that was cancelled or failed, none is lost, and none is handed to pi twice: what was
 * handed over and taken back before pi looked at it is stopped at pi's door.
 */
import type { AdditionalContext } from "../../references/index.ts";
import type { CitedPrompt, GiveBackReason } from "./cited-prompt.ts";
import { HeldPrompts } from "./held-prompt.ts";

/** How often pi is looked at while prompts wait, in ms: not everything that makes it free is an event. */
const LOOK_MS = 1000;
/** Quiet of pi, in ms, after which a prompt that was handed over counts as not taken. */
const STALL_MS = 5000;
/** Prompts that may wait. */
export const MAX_HELD = 16;

export interface HeldQueuePorts {
	/** Called now and then while prompts wait, so that what pi does without an event is seen too. */
	readonly lookAtPi: () => void;
	/** Whether pi does nothing. */
	readonly isQuiet: () => boolean;
	/** Whether it is quiet and nothing else is about to start a turn. */
	readonly isFree: () => boolean;
	/** A fresh snapshot of what the prompt cites. Rejects with an error whose message is for the person. */
	readonly prepare: (prompt: CitedPrompt, signal: AbortSignal) => Promise<AdditionalContext | null>;
	/** Hands the prompt to pi. May throw. */
	readonly send: (prompt: CitedPrompt) => void;
	readonly giveBack: (prompts: readonly CitedPrompt[], reason: GiveBackReason) => void;
	/** Shows what waits. */
	readonly show: (prompts: readonly CitedPrompt[]) => void;
	/** Monotonic milliseconds. */
	readonly now: () => number;
}

/** A prompt that pi lets in, with what belongs right before it. */
export interface EnteredPrompt {
	readonly prompt: CitedPrompt;
	readonly context: AdditionalContext | null;
}

const stalled: GiveBackReason = {
	text: "pi did not start a turn with the prompt that waited: is there a model, and a key for it?",
	severity: "error",
};

export class HeldQueue {
	readonly #ports: HeldQueuePorts;
	readonly #held = new HeldPrompts<CitedPrompt>();
	/** What belongs before the prompt that is on its way. */
	#context: AdditionalContext | null = null;
	/** Ends the reading for the prompt that is being prepared. */
	#reading: AbortController | null = null;
	/** Texts that were handed to pi and taken back before it looked at them. */
	#withdrawn: string[] = [];
	#timer: NodeJS.Timeout | undefined;
	#immediate: NodeJS.Immediate | undefined;
	#quietSince: number | null = null;

	constructor(ports: HeldQueuePorts) {
		this.#ports = ports;
	}

	/** Prompts that wait or are on their way. */
	get size(): number {
		return this.#held.prompts.length;
	}

	hold(prompt: CitedPrompt): void {
		this.#held.hold(prompt);
		this.#changed();
		this.lookSoon();
	}

	/** Looks at pi again on the next turn of the event loop, when all handlers of the present event have run. */
	lookSoon(): void {
		if (this.size === 0) return;
		this.#immediate ??= setImmediate(() => {
			this.#immediate = undefined;
			this.#look();
		});
	}

	/**
	 * An input of an extension with this text: the prompt that was handed over when it may go on, `stop` when it must not,
	 * null when it is somebody else's.
	 */
	enter(text: string, isQuiet: boolean): EnteredPrompt | "stop" | null {
		const withdrawn = this.#withdrawn.indexOf(text);
		if (withdrawn >= 0) {
			this.#withdrawn.splice(withdrawn, 1);
			return "stop";
		}
		const prompt = this.#held.current;
		if (prompt?.text !== text || this.#held.stateOf(prompt) !== "submitted") return null;
		if (!isQuiet) {
			this.#held.apply(prompt, "postpone");
			return "stop";
		}
		this.#held.apply(prompt, "enter");
		this.#quietSince = null;
		return { prompt, context: this.#context };
	}

	/** The turn of a prompt begins. */
	announce(prompt: CitedPrompt): void {
		this.#held.apply(prompt, "announce");
	}

	/** A user message is in the session. */
	messageStarted(): void {
		const prompt = this.#held.current;
		if (prompt !== null && this.#held.apply(prompt, "start") !== null) this.#changed();
	}

	/** A run that ended well has settled. */
	settled(): void {
		this.#return(this.#held.applyToAll("settle"), stalled);
		this.lookSoon();
	}

	/** Gives back all that pi has not let in yet; how many. */
	recall(reason: GiveBackReason): number {
		return this.#take("recall", reason);
	}

	/** Gives back all. */
	abandon(reason: GiveBackReason): void {
		this.#take("abandon", reason);
	}

	/** Forgets what was withdrawn: the session is over. Nothing must wait any more. */
	close(): void {
		this.#withdrawn = [];
		this.#context = null;
		clearImmediate(this.#immediate);
		this.#immediate = undefined;
		this.#changed();
	}

	#take(event: "recall" | "abandon", reason: GiveBackReason): number {
		const current = this.#held.current;
		if (current !== null && this.#held.stateOf(current) === "submitted") this.#withdrawn.push(current.text);
		const prompts = this.#held.applyToAll(event);
		if (current !== null && prompts.includes(current)) this.#reading?.abort();
		this.#return(prompts, reason);
		return prompts.length;
	}

	#look(): void {
		this.#ports.lookAtPi();
		const next = this.#held.next;
		if (next !== null && this.#ports.isFree()) void this.#release(next);
		else this.#watchForStall();
		this.#watch();
	}

	async #release(prompt: CitedPrompt): Promise<void> {
		this.#held.apply(prompt, "prepare");
		const reading = new AbortController();
		this.#reading = reading;
		try {
			this.#context = await this.#ports.prepare(prompt, reading.signal);
		} catch (error) {
			return this.#refuse(prompt, error);
		} finally {
			this.#reading = null;
		}
		// It may have been taken back meanwhile, and pi may be at work again.
		if (this.#held.stateOf(prompt) !== "preparing") return;
		if (!this.#ports.isFree()) {
			this.#held.apply(prompt, "postpone");
			return;
		}
		this.#held.apply(prompt, "submit");
		this.#quietSince = this.#ports.now();
		try {
			this.#ports.send(prompt);
		} catch (error) {
			this.#refuse(prompt, error);
		}
	}

	#refuse(prompt: CitedPrompt, error: unknown): void {
		if (this.#held.apply(prompt, "refuse") !== "returned") return;
		const text = error instanceof Error ? error.message : "The prompt could not be sent.";
		this.#return([prompt], { text, severity: "error" });
		this.lookSoon();
	}

	#watchForStall(): void {
		const prompt = this.#held.current;
		if (prompt === null || !this.#ports.isQuiet()) {
			this.#quietSince = null;
			return;
		}
		this.#quietSince ??= this.#ports.now();
		if (this.#ports.now() - this.#quietSince < STALL_MS) return;
		const wasSubmitted = this.#held.stateOf(prompt) === "submitted";
		if (this.#held.apply(prompt, "stall") !== "returned") return;
		if (wasSubmitted) this.#withdrawn.push(prompt.text);
		this.#return([prompt], stalled);
	}

	#return(prompts: readonly CitedPrompt[], reason: GiveBackReason): void {
		if (prompts.length === 0) return;
		this.#ports.giveBack(prompts, reason);
		this.#changed();
	}

	#changed(): void {
		this.#ports.show(this.#held.prompts);
		this.#watch();
	}

	/** One timer while anything waits, none otherwise. */
	#watch(): void {
		clearTimeout(this.#timer);
		// A process that has nothing else to do must be able to end.
		this.#timer = this.size === 0 ? undefined : setTimeout(() => this.#look(), LOOK_MS).unref();
	}
}
