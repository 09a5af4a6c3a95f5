/**
 * What a sender can be told about its message, as one table: the code, what is then known, whether sending again is an
 * option, and what to do now.
 *
 * The state is a promise. `refused`: the message did not and will not reach that session's model. `receipt_unknown`: it
 * may have. Nothing in this package turns the second into the first.
 */
import * as z from "zod";
import { requestIdSchema } from "./identifiers.ts";
import { MAX_GIVEN_SUMMARY_UNITS } from "./limits.ts";
import { instanceIdSchema } from "./peer-identifiers.ts";

export type MessageOutcomeState = "submitted" | "queued" | "accepted" | "refused" | "receipt_unknown";

export interface MessageOutcomeRow {
	readonly state: MessageOutcomeState;
	/** True when sending the same text again is sensible, by a decision of its own. Never a reason to do it by itself. */
	readonly retryable: boolean;
	/** What the sender does now. */
	readonly next: string;
}

const taken = (state: "submitted" | "queued" | "accepted", next: string): MessageOutcomeRow => ({
	state,
	retryable: false,
	next,
});
const later = (next: string): MessageOutcomeRow => ({ state: "refused", retryable: true, next });
const refused = (next: string): MessageOutcomeRow => ({ state: "refused", retryable: false, next });
const unknown = (why: string): MessageOutcomeRow => ({
	state: "receipt_unknown",
	retryable: false,
	next: `${why} Ask for the status with the same message id; do not send the message again blindly.`,
});

/** Every code a sender of this package can meet. */
export const MESSAGE_OUTCOMES = Object.freeze({
	submitted: taken(
		"submitted",
		"Nothing to do. The message was handed to the peer's pi; whether its model read it is not known.",
	),
	queued: taken(
		"queued",
		"Nothing to do. The message waits in the peer's memory and can still be dropped; ask for its status to learn more.",
	),
	accepted: taken(
		"accepted",
		"Nothing to do. An extension of the peer took charge of the message; that is no proof that it was stored or answered.",
	),

	busy: later(
		"The peer is in the middle of something. Decide anew, once it is idle, whether to send this, under a new message id.",
	),
	queue_full: later(
		"The peer has too many waiting messages. Decide anew, after a while, whether to send this, under a new message id.",
	),
	rate_limited: later("This session sends to that peer too fast. Decide anew, after a pause, whether to send this."),

	refused: refused("The peer takes no messages. Tell the user if it matters."),
	stopped: refused("The peer's user stopped its inbox. Wait until that user resumes it; tell your user if it matters."),
	duplicate: refused(
		"The peer already saw this message id, or took the same text from here moments ago. Do not send it again; ask for the status.",
	),
	expired: refused(
		"The message was too old, or dated in the future. Check whether it still matters, then write a new one.",
	),
	budget_exhausted: refused(
		"One of the two sessions used up its message budget. Tell the user; a reload starts a new one.",
	),
	unsupported: refused("The peer does not speak this kind of message. Use another way, or tell the user."),
	not_found: refused("No live peer matches. List the peers again and use an instance id from that list."),
	ambiguous: refused("Several peers match. Use `name [ref]` or the full instance id of the one that is meant."),
	invalid_frame: refused(
		"The peer could not read what was sent. Tell the user: the two sessions may run different versions.",
	),
	invalid_message: refused(
		`Correct the message: its text and its summary must be well-formed and not blank, its summary at most ${MAX_GIVEN_SUMMARY_UNITS} characters, its id at most 128 letters, digits, _ and -.`,
	),
	invalid_target: refused("Name one other session: its name, session id, instance id, or `name [ref]`."),
	invalid_bridge: refused("Correct the bridge envelope: it is malformed or past its expiry. Build a new one."),
	no_handler: refused("No extension of the peer takes such an envelope. Check that its adapter is loaded."),
	injection_failed: refused("The peer's pi did not take the message. Tell the user if it matters."),
	authentication_failed: refused(
		"The peer does not recognise this session. List the peers again; a reload registers anew.",
	),
	message_too_large: refused("Shorten the message, or send a reference to where the rest can be read."),
	unsafe_endpoint: refused(
		"The peer's socket is not a private one of this user. Tell the user; do not work around it.",
	),
	wrong_endpoint: refused("Another session answered in that peer's place. List the peers again."),
	not_ready: refused("The peer is starting or ending. List the peers again after a moment."),

	timeout: unknown("The peer did not answer in time."),
	connection_closed: unknown("The peer closed the connection before its answer was complete."),
	cancelled: unknown("The exchange was cancelled on this side; the peer may already have the message."),
	transport_error: unknown("The connection to the peer failed."),
	invalid_response: unknown("The peer's answer could not be understood."),
	invalid_receipt: unknown("The peer's answer belongs to another question."),
} satisfies Record<string, MessageOutcomeRow>);

export type MessageOutcomeCode = keyof typeof MESSAGE_OUTCOMES;

/** One row of the table with its code. */
export interface MessageOutcome extends MessageOutcomeRow {
	readonly code: string;
}

const anyInvalid: MessageOutcomeRow = refused(
	"The peer found the message invalid. Correct it before anything else is sent.",
);

/** The outcome of one of this package's own codes. */
export function outcomeOf(code: MessageOutcomeCode): MessageOutcome {
	return { code, ...MESSAGE_OUTCOMES[code] };
}

/**
 * The outcome of a code that another implementation may have written. Codes that begin with `invalid_` and are not in
 * the table are refusals; any other unknown code gives `undefined`, since nothing may be concluded from it.
 */
export function findOutcome(code: string): MessageOutcome | undefined {
	if (isOutcomeCode(code)) return outcomeOf(code);
	return code.startsWith("invalid_") ? { code, ...anyInvalid } : undefined;
}

function isOutcomeCode(code: string): code is MessageOutcomeCode {
	return Object.hasOwn(MESSAGE_OUTCOMES, code);
}

export const messageStateSchema = z.enum([
	"accepted",
	"queued",
	"submitted",
	"expired",
	"dropped",
	"dropped_cancelled",
	"dropped_shutdown",
	"dropped_user_reset",
	"injection_failed",
	"unknown",
]);
/** What a receiver knows of a message it was sent. `unknown` does not mean that it was not delivered. */
export type MessageState = z.infer<typeof messageStateSchema>;

/** What a sender holds after one attempt. Codes and states are open strings for readers of other versions. */
export const receiptSchema = z.looseObject({
	messageId: requestIdSchema,
	/** The recipient; null when none was determined. */
	remoteInstanceId: instanceIdSchema.nullable(),
	code: z.string(),
	state: z.string(),
	retryable: z.boolean(),
	next: z.string(),
});

/** The honest answer to one attempt to send. */
export interface Receipt extends MessageOutcome {
	readonly messageId: string;
	/** The recipient; null when none was determined (`not_found`, `ambiguous`, `invalid_target`). */
	readonly remoteInstanceId: string | null;
}

/** Whether a receipt says that the other side took the message. */
export function isTaken(outcome: Pick<MessageOutcomeRow, "state">): boolean {
	return outcome.state !== "refused" && outcome.state !== "receipt_unknown";
}
