/**
 * Answers `cross-session:rpc:peer-context` for one incarnation.
 *
 * Promise: nothing about the request's session, view or count is judged here, so that every refusal of theirs is made
 * in the one place that makes them all alike.
 */
import type { Bus } from "../contract/bus.ts";
import type { Incarnation } from "../contract/identifiers.ts";
import type { PeerContext } from "../contract/peer-context.ts";
import { PEER_CONTEXT_TOPIC } from "../contract/topics.ts";
import type { PeerContextQuestion } from "../sessions/peer-context-reader.ts";
import type { OnceLedger } from "./once-ledger.ts";
import { Responder } from "./responder.ts";

/**
 * Makes one peer context, or throws a `PeerContextError`. Anything else that it throws is answered as `unavailable`,
 * and so is one that takes longer than the responder's deadline, when `signal` is aborted.
 */
export type ReadPeerContext = (question: PeerContextQuestion, signal: AbortSignal) => Promise<PeerContext>;

export interface PeerContextResponderOptions {
	readonly bus: Bus;
	readonly local: Incarnation;
	readonly ledger: OnceLedger;
	readonly readPeerContext: ReadPeerContext;
}

/** A responder that is not started yet. */
export function createPeerContextResponder(options: PeerContextResponderOptions): Responder<typeof PEER_CONTEXT_TOPIC> {
	const { bus, local, ledger, readPeerContext } = options;
	return new Responder({
		bus,
		topic: PEER_CONTEXT_TOPIC,
		local,
		ledger,
		unansweredCode: "unavailable",
		read(request) {
			const question = readQuestion(request);
			return { run: async (signal) => ({ context: await readPeerContext(question, signal) }) };
		},
	});
}

function readQuestion(request: object): PeerContextQuestion {
	try {
		const { sessionId, view, maxMessages } = request as Record<string, unknown>;
		return { sessionId, view, maxMessages };
	} catch {
		// No session has this id: what can't be read is refused like any other wrong argument.
		return { sessionId: undefined, view: undefined, maxMessages: undefined };
	}
}
