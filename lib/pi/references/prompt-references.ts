/**
 * From a prompt that cites sessions to the snapshot in front of it: what happens at each of pi's events.
 *
 * Promise: only a person's own input is read for mentions. A prompt that cites goes with the snapshot of everything it
 * cites, right before it, or not at all; then the person has it back and knows why. While pi is at work it waits.
 */
import {
	type BeforeAgentStartEvent,
	type ExtensionAPI,
	type ExtensionContext,
	type InputEvent,
	type InputEventResult,
	VERSION,
} from "@earendil-works/pi-coding-agent";
import type { ResentPrompts } from "../../authority/resent-prompts.ts";
import { SignalWatch } from "../../authority/signal-watch.ts";
import type { AdditionalContext } from "../../references/index.ts";
import type { HostParts } from "../incarnation.ts";
import { tellQuietly } from "../tell-person.ts";
import { type CitedPrompt, type GiveBackReason, giveBack, readCitedPrompt } from "./cited-prompt.ts";
import { HeldQueue, MAX_HELD } from "./held-queue.ts";
import { snapshotOf } from "./prompt-snapshot.ts";
import { type InputArrival, PromptStarts } from "./prompt-starts.ts";
import { reasons, toReason, waits } from "./reasons.ts";
import { toReferenceMessage } from "./reference-message.ts";
import { RunWatch } from "./run-watch.ts";
import { showWaiting } from "./waiting-status.ts";

/** How long an input that was let through may take until its turn starts, in ms, before it counts as swallowed. */
const STARTS_WITHIN_MS = 5000;

/** The oldest supported pi does not expand skills and templates in what an extension sends. */
const EXPANDS_SENT_PROMPTS = !VERSION.startsWith("0.83.");

export interface PromptReferencesOptions {
	readonly pi: Pick<ExtensionAPI, "sendMessage" | "sendUserMessage">;
	readonly host: { readonly parts: HostParts | null; readonly isSubagent: boolean };
	/** Learns of a prompt of the person that this package hands to pi itself, right before, and when it came to nothing. */
	readonly ownPrompts: Pick<ResentPrompts, "announce" | "withdraw">;
	/** Whether another turn is about to start. */
	readonly isTurnStarting: () => boolean;
	/** Monotonic milliseconds. */
	readonly now?: () => number;
}

interface ArrivedInput {
	readonly event: InputEvent;
	readonly context: ExtensionContext;
	readonly arrival: InputArrival;
}

/** What belongs right before a prompt, and whether the prompt waited for its turn. */
interface PreparedStart {
	readonly context: AdditionalContext | null;
	readonly held: CitedPrompt | null;
}

export class PromptReferences {
	readonly #options: PromptReferencesOptions;
	readonly #run = new RunWatch();
	readonly #starts = new PromptStarts<PreparedStart>();
	readonly #queue: HeldQueue;
	readonly #now: () => number;
	/** Inputs whose sessions are being read or confirmed. */
	readonly #inPreparation = new Set<CitedPrompt>();
	/** Of the newest event; whatever it is asked may throw when the session is over. */
	#context: ExtensionContext | null = null;
	/** Tells at once when the person cancels the run. */
	readonly #signal = new SignalWatch(() => this.#run.cancelled());

	constructor(options: PromptReferencesOptions) {
		this.#options = options;
		this.#now = options.now ?? (() => performance.now());
		this.#queue = new HeldQueue({
			lookAtPi: () => this.#lookAtPi(),
			isQuiet: () => this.#isQuiet(),
			isFree: () => this.#isFree(Number.POSITIVE_INFINITY),
			prepare: (prompt, signal) => this.#snapshot(prompt, signal),
			send: (prompt) => this.#send(prompt),
			giveBack: (prompts, reason) => this.#giveBack(prompts, reason),
			show: (prompts) => showWaiting(this.#context, prompts),
			now: this.#now,
		});
	}

	/** What becomes of an input; nothing when it goes on as it is. */
	async input(event: InputEvent, context: ExtensionContext): Promise<InputEventResult | undefined> {
		this.#context = context;
		if (event.source === "extension") return this.#extensionInput(event);
		// The terminal keeps what is typed during a compaction until it is over.
		if (isTyped(event, context)) this.#run.compactionEnded();
		const { parts, isSubagent } = this.#options.host;
		const arrival = { at: this.#now(), typed: isTyped(event, context) };
		// A subagent's prompts are written by a model.
		const prompt = isSubagent ? null : this.#read(event);
		if (prompt === "refused") return { action: "handled" };
		if (prompt === null) {
			if (event.streamingBehavior === undefined) this.#starts.open(event.text, null, arrival);
			return undefined;
		}
		if (parts === null) {
			this.#giveBack([prompt], reasons.off);
			return { action: "handled" };
		}
		return this.#cite(prompt, { event, context, arrival });
	}

	/** The turn of a prompt begins: what it cites is stored right before it. */
	beforeAgentStart(event: BeforeAgentStartEvent): void {
		// Older versions know no turns but those of prompts here, and don't say so.
		if (event.messageType === "custom") return;
		const start = this.#starts.start(event.prompt);
		if (start === null) return;
		if (start.context !== null) {
			this.#options.pi.sendMessage(toReferenceMessage(start.context), { triggerTurn: false });
		}
		if (start.held !== null) this.#queue.announce(start.held);
	}

	agentStarted(context: ExtensionContext): void {
		this.#context = context;
		this.#run.started();
		if (context.signal === undefined) this.#signal.release();
		else this.#signal.capture(context.signal);
	}

	messageStarted(message: { readonly role: string }): void {
		if (message.role === "user") this.#queue.messageStarted();
	}

	messageEnded(message: { readonly role: string; readonly stopReason?: unknown }): void {
		if (message.role === "assistant") this.#run.answered(String(message.stopReason));
	}

	/** `aborted`: as pi says it, where it does. */
	settled(aborted: boolean, context: ExtensionContext): void {
		this.#context = context;
		this.#signal.release();
		if (aborted) this.#run.cancelled();
		const end = this.#run.settled();
		if (end === "well") this.#queue.settled();
		else this.#queue.abandon(reasons[end]);
	}

	compactionBegan(context: ExtensionContext): void {
		this.#context = context;
		this.#run.compactionBegan();
	}

	/** `aborted`: the person has ended it. */
	compactionEnded(aborted: boolean, context: ExtensionContext): void {
		this.#context = context;
		this.#run.compactionEnded();
		if (aborted) this.#queue.abandon(reasons.compaction);
		else this.#queue.lookSoon();
	}

	/** The person wants back what waits. */
	takeBack(context: ExtensionContext): void {
		this.#context = context;
		if (this.#queue.recall(reasons.takenBack) > 0) return;
		const text = this.#queue.size > 0 ? "pi is just starting with it." : "No prompt waits.";
		tellQuietly(context, text, "info");
	}

	/** The session ends: nothing of it goes into the next one, but into the editor. */
	leave(context: ExtensionContext): void {
		this.#context = context;
		this.#signal.release();
		const unfinished = [...this.#inPreparation];
		this.#inPreparation.clear();
		this.#giveBack(unfinished, reasons.left);
		this.#queue.abandon(reasons.left);
		this.#queue.close();
		this.#starts.clear();
		this.#run.settled();
		this.#run.compactionEnded();
		this.#context = null;
	}

	/** The prompt, null when it cites nothing; or it was refused, and the person has it back. */
	#read(event: InputEvent): CitedPrompt | null | "refused" {
		try {
			return readCitedPrompt(event);
		} catch (error) {
			this.#giveBack([{ typed: event.text, images: event.images ?? [] }], toReason(error));
			return "refused";
		}
	}

	/** Reads what is cited also for a prompt that will wait: a person wants to know at once that it can't go. */
	async #cite(prompt: CitedPrompt, input: ArrivedInput): Promise<InputEventResult> {
		// pi has decided by now whether it starts a turn or queues what it gets back, however long this takes.
		const couldGo = this.#inPreparation.size === 0 && this.#goesOn(input);
		this.#inPreparation.add(prompt);
		let snapshot: AdditionalContext | null = null;
		let failure: GiveBackReason | null = null;
		try {
			snapshot = await this.#snapshot(prompt);
		} catch (error) {
			failure = toReason(error);
		}
		// The session may have ended, which has given the prompt back.
		if (!this.#inPreparation.delete(prompt)) return { action: "handled" };
		if (failure === null && couldGo && this.#goesOn(input)) {
			this.#starts.open(prompt.text, { context: snapshot, held: null }, input.arrival);
			return { action: "transform", text: prompt.text };
		}
		failure ??= this.#reasonNotToHold(prompt, input.context);
		if (failure === null) this.#hold(prompt, input.context);
		else this.#giveBack([prompt], failure);
		return { action: "handled" };
	}

	/** Whether the prompt can start its turn right now. */
	#goesOn({ event, context, arrival }: ArrivedInput): boolean {
		if (event.streamingBehavior !== undefined || this.#queue.size > 0) return false;
		// Without a screen it can't wait, and one prompt comes after the other.
		if (!context.hasUI) return this.#isQuiet();
		// What was typed after a compacting pi's first prompt stands in pi's own queue, and joins that prompt's run.
		return this.#isFree(arrival.typed ? arrival.at : Number.POSITIVE_INFINITY);
	}

	#reasonNotToHold(prompt: CitedPrompt, context: ExtensionContext): GiveBackReason | null {
		if (!context.hasUI) return reasons.noScreen;
		if (this.#queue.size >= MAX_HELD) return reasons.tooMany;
		return prompt.text.startsWith("/") && !EXPANDS_SENT_PROMPTS ? reasons.noExpansion : null;
	}

	#hold(prompt: CitedPrompt, context: ExtensionContext): void {
		this.#queue.hold(prompt);
		tellQuietly(context, waits.text, waits.severity);
	}

	#extensionInput(event: InputEvent): InputEventResult | undefined {
		const isIdle = event.streamingBehavior === undefined && this.#isQuiet();
		const entered = this.#queue.enter(event.text, isIdle);
		if (entered === "stop") {
			this.#options.ownPrompts.withdraw(event.text);
			return { action: "handled" };
		}
		if (event.streamingBehavior === undefined) {
			const start = entered === null ? null : { context: entered.context, held: entered.prompt };
			this.#starts.open(event.text, start, { at: this.#now(), typed: false });
		}
		return undefined;
	}

	#snapshot(prompt: CitedPrompt, signal?: AbortSignal): Promise<AdditionalContext | null> {
		return snapshotOf(prompt, { parts: this.#options.host.parts, context: this.#context }, signal);
	}

	#send({ text, images }: CitedPrompt): void {
		const { pi, ownPrompts } = this.#options;
		ownPrompts.announce(text);
		try {
			const content = images.length === 0 ? text : [{ type: "text" as const, text }, ...images];
			pi.sendUserMessage(content, text.startsWith("/") ? { expandPromptTemplates: true } : {});
		} catch (error) {
			ownPrompts.withdraw(text);
			throw error;
		}
	}

	/** pi may have dropped the session without a word; then nothing of it can be given back any more. */
	#lookAtPi(): void {
		const idle = this.#isIdle();
		if (idle === null) this.#queue.abandon(reasons.left);
		else if (this.#run.look(idle, this.#now())) this.#queue.abandon(reasons.compaction);
	}

	/** Null when the session is over. */
	#isIdle(): boolean | null {
		try {
			return this.#context?.isIdle() ?? null;
		} catch {
			return null;
		}
	}

	#isQuiet(): boolean {
		return this.#isIdle() === true && !this.#run.compacting;
	}

	/** What pi itself has queued does not count: it joins the next run after its first message, whoever starts that. */
	#isFree(typedUntil: number): boolean {
		if (!this.#isQuiet() || this.#options.isTurnStarting()) return false;
		return !this.#starts.isOpen(this.#now() - STARTS_WITHIN_MS, typedUntil);
	}

	#giveBack(prompts: readonly Pick<CitedPrompt, "typed" | "images">[], reason: GiveBackReason): void {
		if (this.#context !== null) giveBack(this.#context, prompts, reason);
	}
}

function isTyped({ source }: InputEvent, { mode }: ExtensionContext): boolean {
	return mode === "tui" && source === "interactive";
}
