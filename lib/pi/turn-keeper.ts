/**
 * Keeps the authority of one pi session after the other: what pi does goes in, what follows is carried out here.
 *
 * Promises: a session is watched from its start until the next one starts, also when its inbox is gone by then; a
 * subagent's session is not watched at all. Nothing here keeps the process alive, and a session that pi has dropped is
 * let go the next time it is asked.
 */
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { ResentPrompts } from "../authority/resent-prompts.ts";
import { type PiToolCall, SessionAuthority } from "../authority/session-authority.ts";
import type { GateConfig } from "../authority/tool-gate.ts";
import type { ResumeOutcome, TurnView } from "../authority/turn.ts";
import type { CancelCause, TurnEffect } from "../authority/turn-events.ts";
import type { IncomingMessage } from "../inbox/inbox.ts";
import type { DropReason, QueueDecision } from "../inbox/safe-queue.ts";
import { matchTarget } from "../peers/target.ts";
import { Alarm } from "./alarm.ts";
import { submissionIdOf, submissionOf } from "./arrived-message.ts";
import { createMarkLog } from "./input-marks.ts";
import { showInStatusLine, tellStopped } from "./latch-notice.ts";
import { SEND_TOOL } from "./message-tools.ts";

/** The messages of the incarnation that is up, as far as turns concern them. */
export interface WaitingMessages {
	/** Whether the person lets any in; else there is nothing to tell of. */
	readonly areTaken: boolean;
	/** How many wait. */
	readonly waiting: number;
	/** When to call {@link expire} next, in the monotonic clock; null while nothing waits. */
	readonly nextDeadline: number | null;
	/** Submits what may be submitted now. */
	release(): void;
	expire(): void;
	drop(reason: DropReason): void;
	/** Notes something about a message that was submitted. */
	note(submission: string, diagnostic: string): void;
	/** The session became free or busy. */
	statusChanged(): void;
}

const unconfirmedText = {
	true: "pi's agent started, but nothing shows that pi stored this message.",
	false: "pi began no turn with this message within 5 seconds; it may still do so.",
} as const;
const FAILED_TEXT = "The model failed in the turn that this message began.";

export class TurnKeeper {
	readonly #authority: SessionAuthority;
	readonly #alarm = new Alarm(
		() => this.#look(() => this.#ring()),
		() => performance.now(),
	);
	/** The session as its newest event showed it; null while no session is watched. */
	#context: ExtensionContext | null = null;
	/** The session has not been shut down. */
	#running = false;
	#messages: WaitingMessages | null = null;
	/** The message that was submitted last: a turn that a peer began is about this one. */
	#submitted: IncomingMessage | null = null;
	#toldFree = true;

	constructor(pi: Pick<ExtensionAPI, "appendEntry">) {
		this.#authority = new SessionAuthority({
			monotonic: () => performance.now(),
			epoch: () => Date.now(),
			submissionOf,
			namesSender: (target, submission) => this.#namesSender(target, submission),
			effects: (effects) => this.#follow(effects),
			log: createMarkLog(pi, () => this.#watched()),
		});
	}

	/** What is known of the present turn. */
	get view(): TurnView {
		return this.#authority.view;
	}

	/** Prompts of the person that this package hands to pi itself: announce each right before. */
	get resent(): ResentPrompts {
		return this.#authority.resent;
	}

	/** Whether a message of a peer was handed to pi and its turn has not begun yet. */
	get isSubmissionStarting(): boolean {
		return this.view.phase === "preflight" && this.view.submission !== null;
	}

	/** Whether nothing that this package knows of goes on in the session. */
	get isFree(): boolean {
		const { phase, compacting } = this.view;
		return phase === "idle" && !compacting;
	}

	/** A session starts; it is not watched before {@link watch}. */
	begin(context: ExtensionContext): void {
		this.#letGo();
		this.#authority.happened("session_start", context);
		this.#toldFree = true;
	}

	/** The session that has started is a person's own: from now on its events count. */
	watch(context: ExtensionContext, gate: GateConfig): void {
		this.#authority.configureGate(gate);
		this.#context = context;
		this.#running = true;
		showInStatusLine(context, null);
	}

	/** The session can get messages from now on. */
	attach(messages: WaitingMessages): void {
		this.#messages = messages;
		this.see(this.#watched(), (authority, context) => authority.happened("registered", context));
	}

	/** It can't any more: what waits is dropped. What pi already has is its turn's business. */
	detach(messages: WaitingMessages): void {
		if (this.#messages !== messages) return;
		this.#messages = null;
		messages.drop("dropped_shutdown");
	}

	/** The session ends. What pi still works on goes on being judged. Again does nothing. */
	end(): void {
		if (this.#messages !== null) this.detach(this.#messages);
		this.#running = false;
		this.#alarm.clear();
		this.#authority.release();
	}

	/** Lets the authority see an event of the watched session; undefined where none is watched. */
	see<Answer>(
		context: ExtensionContext,
		look: (authority: SessionAuthority, context: ExtensionContext) => Answer,
	): Answer | undefined {
		if (this.#context === null) return undefined;
		this.#context = context;
		const answer = look(this.#authority, context);
		this.settleUp();
		return answer;
	}

	/** Why a tool call is blocked, in words for the model; null when it may run. To be asked once a call. */
	judge(call: PiToolCall, context: ExtensionContext): string | null {
		const reason = this.see(context, (authority) => authority.toolCalled(call, context)) ?? null;
		if (reason === null && call.toolName === SEND_TOOL && this.view.source === "peer") this.#pinTarget(call);
		return reason;
	}

	/** What may happen with a message at this moment. Throws when the session is over. */
	decide(queues: boolean): QueueDecision {
		return this.#authority.decide(queues, this.#watched());
	}

	/** Hands a message to pi by `send`. Throws what it throws. */
	submit(message: IncomingMessage, send: () => void): void {
		this.#submitted = message;
		try {
			this.#authority.submit(submissionIdOf(message), send, this.#watched());
		} finally {
			this.settleUp();
		}
	}

	/** The person's own act: opens the latch and forgets what waits. */
	resume(context: ExtensionContext): ResumeOutcome {
		const outcome = this.#authority.resume(context);
		if (outcome.resumed) {
			this.#messages?.drop("dropped_user_reset");
			showInStatusLine(context, null);
		}
		this.settleUp();
		return outcome;
	}

	/** Sets the alarm anew, and lets the peers know when the session became free or busy. */
	settleUp(): void {
		if (!this.#running) return;
		const deadlines = [this.#authority.nextDeadline, this.#messages?.nextDeadline ?? null];
		const known = deadlines.filter((deadline) => deadline !== null);
		this.#alarm.set(known.length === 0 ? null : Math.min(...known));
		if (this.isFree === this.#toldFree) return;
		this.#toldFree = this.isFree;
		this.#messages?.statusChanged();
	}

	#watched(): ExtensionContext {
		if (this.#context === null) throw new Error("No session is watched.");
		return this.#context;
	}

	#ring(): void {
		this.#messages?.expire();
		this.see(this.#watched(), (authority, context) => authority.happened("tick", context));
	}

	/** Does something that no event of pi asked for: the session may be gone without a word. */
	#look(act: () => void): void {
		try {
			act();
		} catch {
			this.#letGo();
		}
	}

	#letGo(): void {
		this.end();
		this.#context = null;
		this.#submitted = null;
	}

	#follow(effects: readonly TurnEffect[]): void {
		for (const effect of effects) this.#carryOut(effect);
	}

	#carryOut(effect: TurnEffect): void {
		if (effect.type === "stopped") this.#stop(effect.cause);
		else if (effect.type === "unconfirmed")
			this.#messages?.note(effect.submission, unconfirmedText[`${effect.started}`]);
		else if (effect.type === "assistant_error") this.#messages?.note(effect.submission, FAILED_TEXT);
		// A turn or an obstacle is over.
		else this.#releaseLater();
	}

	#stop(cause: CancelCause): void {
		const messages = this.#messages;
		if (messages === null) return;
		const dropped = messages.waiting;
		messages.drop("dropped_cancelled");
		if (messages.areTaken && this.#context !== null) tellStopped(this.#context, cause, dropped);
	}

	/** On a fresh turn of the event loop: other extensions may act on the same event of pi first. */
	#releaseLater(): void {
		const messages = this.#messages;
		if (messages === null || messages.waiting === 0) return;
		setImmediate(() => {
			if (this.#messages === messages) this.#look(() => messages.release());
		});
	}

	#senderOf(submission: string | null): IncomingMessage["sender"] | null {
		const message = this.#submitted;
		if (message === null || submission === null) return null;
		return submissionIdOf(message) === submission ? message.sender : null;
	}

	#namesSender(target: unknown, submission: string): boolean {
		const sender = this.#senderOf(submission);
		return sender !== null && typeof target === "string" && matchTarget(target, [sender]).length === 1;
	}

	/** A name can pass to somebody else before the message is on its way; an instance id can't. */
	#pinTarget({ input }: PiToolCall): void {
		const sender = this.#senderOf(this.view.submission);
		if (sender !== null && typeof input === "object" && input !== null) Reflect.set(input, "target", sender.instanceId);
	}
}
