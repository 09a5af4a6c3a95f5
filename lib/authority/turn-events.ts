/**
 * What the logical turn is told and what it answers: the words between pi's public events and the machine.
 *
 * Everything here is plain data. Whoever feeds the machine reads pi once per event, takes down what was true at that
 * instant, and passes no pi object on.
 */

/** The agent's abort signal as one instant shows it: there is none, it is live, or it was aborted. */
export type SignalView = "none" | "active" | "aborted";

/** What pi said about itself at the moment of an event. */
export interface Instant {
	/** Milliseconds of one clock that never goes back; only differences count. */
	readonly at: number;
	/** `ctx.isIdle()`. */
	readonly idle: boolean;
	/** `ctx.signal`. Between two attempts of a retry pi shows none. */
	readonly signal: SignalView;
	/** `ctx.hasPendingMessages()`: prompts that pi itself still holds. */
	readonly pendingMessages: boolean;
}

/** Who began a turn: a person's own input, a message of a peer that this package submitted, or anything else. */
export type TurnSource = "user" | "peer" | "unknown";

/** Who gave an input: a person (typed or by RPC, a re-sent held prompt included), or another extension. */
export type InputAuthor = "user" | "extension";

/** A message of pi, reduced to what says who began a turn and how it ended. */
export type TurnMessage =
	| { readonly role: "system" }
	| { readonly role: "user"; readonly text: string }
	/** `calls`: the ids of the tool calls in the message. */
	| { readonly role: "assistant"; readonly stopReason: string; readonly calls: readonly string[] }
	| { readonly role: "toolResult"; readonly call: string }
	/** A custom message of this package's own type that was submitted under this id. */
	| { readonly role: "submission"; readonly submission: string }
	/** Any other custom message. */
	| { readonly role: "other" };

type TurnEventBody =
	| {
			readonly type: "input";
			readonly author: InputAuthor;
			readonly text: string;
			/** Images came with it, so pi may add hints about them to the text. */
			readonly images: boolean;
			/** It names a streaming behaviour: it joins the running turn and begins none. */
			readonly steering: boolean;
			/** `interactive` input in the terminal interface, which holds prompts back while a compaction runs. */
			readonly terminal: boolean;
	  }
	/** `prompt`: the expanded text of a user prompt; null when the run begins with a custom message. */
	| { readonly type: "before_agent_start"; readonly prompt: string | null }
	| { readonly type: "agent_start" }
	| { readonly type: "message_start"; readonly message: TurnMessage }
	| { readonly type: "message_end"; readonly message: TurnMessage }
	| { readonly type: "tool_call" }
	/** `aborted`: what pi says where it says it; false elsewhere. */
	| { readonly type: "agent_settled"; readonly aborted: boolean }
	| { readonly type: "session_before_compact" }
	| { readonly type: "session_compact" }
	| { readonly type: "session_compact_failed" }
	| { readonly type: "session_tree" }
	/** A new session: everything before it is forgotten. */
	| { readonly type: "session_start" }
	| { readonly type: "session_shutdown" }
	/** The inbox of this session is registered: from here on the session is observed. */
	| { readonly type: "registered" }
	/** This package is about to call `sendMessage` with a message of this id. */
	| { readonly type: "submission"; readonly submission: string }
	/** That call threw. */
	| { readonly type: "submission_failed"; readonly submission: string }
	/** The captured signal was aborted. */
	| { readonly type: "abort" }
	/** Nothing happened but time: a deadline of the machine came. */
	| { readonly type: "tick" };

/** One event with the instant it happened in. */
export type TurnEvent = TurnEventBody & { readonly now: Instant };

/** Why a logical turn counts as cancelled. */
export type CancelCause =
	/** A signal or an assistant message was aborted, or pi says so at the end. */
	| "aborted"
	/** Nothing that this package knows began it. */
	| "unknown_source"
	/** pi never showed a signal, so an abort could not have been seen. */
	| "no_signal"
	/** It ended without a complete answer. */
	| "no_good_end"
	/** Our submission never started the agent. */
	| "not_started";

/** What follows from an event, in order. */
export type TurnEffect =
	/** The logical turn is over. After a safe end one waiting message may go. */
	| { readonly type: "settled"; readonly safe: boolean }
	/** The latch closed just now: everything that waits is to be dropped, and the person is to be told. */
	| { readonly type: "stopped"; readonly cause: CancelCause }
	/** A compaction or a preflight ended without a turn: what waits may be looked at again. */
	| { readonly type: "look_again" }
	/** pi showed no sign of storing our submission. `started`: whether the agent began at all. */
	| { readonly type: "unconfirmed"; readonly submission: string; readonly started: boolean }
	/** The model failed in the turn that this submission began. */
	| { readonly type: "assistant_error"; readonly submission: string };
