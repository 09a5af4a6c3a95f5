/**
 * One topic of one incarnation: who answers its requests, once each, in time, and never after its end.
 *
 * Promise: a request id is acted on at most once and answered at most once; an addressed request that found room in the
 * ledger is answered within the deadline or at `stop()`, as far as the bus still carries it; nothing throws out of the
 * topic's handler; after `stop()` no listener, timer or unaborted handler is left.
 */
import type { Bus } from "../contract/bus.ts";
import type { RefusalError } from "../contract/errors.ts";
import type { Incarnation } from "../contract/identifiers.ts";
import { ANSWER_DEADLINE_MS } from "../contract/limits.ts";
import type { RpcReply, RpcTopic } from "../contract/topics.ts";
import { emitReply, isAddressedTo, type RefusalFields, refusalFrom, refusalOf } from "./envelope.ts";
import type { OnceLedger } from "./once-ledger.ts";
import { RequestListener } from "./request-listener.ts";

type EnvelopeField = "version" | "requestId" | "local" | "ok";
type OmitEnvelope<Answer> = {
	[Key in keyof Answer as string extends Key ? never : Exclude<Key, EnvelopeField>]: Answer[Key];
};

/** What a topic's answer holds besides its envelope. */
export type RpcAnswer<Topic extends RpcTopic> = OmitEnvelope<Extract<RpcReply<Topic>, { ok: true }>>;

export interface ResponderOptions<Topic extends RpcTopic> {
	readonly bus: Bus;
	readonly topic: Topic;
	/** The incarnation that answers; requests to any other are refused as `invalid_request`. */
	readonly local: Incarnation;
	/** The topic's own ledger, a new one for every incarnation. */
	readonly ledger: OnceLedger;
	/** What a caller is told when the deadline passes or the handler fails in a way that it does not explain. */
	readonly unansweredCode: "unavailable" | "receipt_unknown";
	/**
	 * Reads what is asked, each field once. Throws a {@link RefusalError} to refuse at once.
	 * @param request Only its envelope has been checked. Reading any other field may throw.
	 */
	readonly read: (request: object) => Task<Topic>;
}

/** What one request asks for. */
export interface Task<Topic extends RpcTopic> {
	/** What every refusal of it says besides its outcome; nothing by default. */
	readonly subject?: Readonly<Record<string, string>>;
	/**
	 * Makes the answer. Throws (or rejects with) a {@link RefusalError} to refuse.
	 * @param signal Aborted at the deadline and at `stop()`; what is answered after that is dropped.
	 */
	readonly run: (signal: AbortSignal) => Promise<RpcAnswer<Topic>>;
}

export class Responder<Topic extends RpcTopic> {
	readonly #options: ResponderOptions<Topic>;
	readonly #local: Incarnation;
	readonly #flights = new Set<Flight>();
	readonly #listener: RequestListener;

	constructor(options: ResponderOptions<Topic>) {
		const { bus, topic, local } = options;
		this.#options = options;
		// Every reply carries it, and no listener may change it for the next one.
		this.#local = Object.freeze({ ...local });
		this.#listener = new RequestListener({ bus, topic, hear: (requestId, data) => this.#hear(requestId, data) });
	}

	/** Starts to listen, once. Throws what the bus throws; nothing is held then. */
	start(): void {
		this.#listener.start();
	}

	/** Ends listening, aborts what is in flight and answers it `receipt_unknown`. Never throws; again does nothing. */
	stop(): void {
		this.#listener.stop();
		for (const flight of [...this.#flights]) flight.interrupt(refusalOf("receipt_unknown"));
	}

	/** Request ids left. */
	get remaining(): number {
		return this.#options.ledger.remaining;
	}

	#hear(requestId: string, data: unknown): void {
		const { bus, topic, ledger } = this.#options;
		if (!ledger.claimOnce(requestId)) return;
		const reply = (fields: { readonly ok: boolean }) => emitReply(bus, topic, requestId, this.#local, fields);
		const task = isAddressedTo(this.#local, data) ? this.#read(data as object) : refusalOf("invalid_request");
		if ("ok" in task) reply(task);
		else this.#run(task, reply);
	}

	#read(request: object): Task<Topic> | RefusalFields {
		try {
			return this.#options.read(request);
		} catch (error) {
			return this.#refusal(error);
		}
	}

	#run({ subject, run }: Task<Topic>, reply: Reply): void {
		const about = (refusal: RefusalFields) => ({ ...subject, ...refusal });
		const flight = new Flight(reply, about, () => this.#flights.delete(flight));
		this.#flights.add(flight);
		flight.limit(ANSWER_DEADLINE_MS, refusalOf(this.#options.unansweredCode));
		// It may throw at once, so it is called inside the promise.
		new Promise<RpcAnswer<Topic>>((resolve) => resolve(run(flight.signal)))
			.then((answer) => flight.land({ ...answer, ok: true }))
			.catch((error: unknown) => flight.refuse(this.#refusal(error)));
	}

	#refusal(error: unknown): RefusalFields {
		return refusalFrom(error) ?? refusalOf(this.#options.unansweredCode);
	}
}

type Reply = (fields: { readonly ok: boolean }) => void;

/** One request between its claim and its only answer. */
class Flight {
	readonly #reply: Reply;
	readonly #about: (refusal: RefusalFields) => RefusalFields;
	readonly #forget: () => void;
	readonly #controller = new AbortController();
	#timer: ReturnType<typeof setTimeout> | undefined;
	#ended = false;

	/** @param about adds to a refusal what it is about */
	constructor(reply: Reply, about: (refusal: RefusalFields) => RefusalFields, forget: () => void) {
		this.#reply = reply;
		this.#about = about;
		this.#forget = forget;
	}

	get signal(): AbortSignal {
		return this.#controller.signal;
	}

	limit(milliseconds: number, refusal: RefusalFields): void {
		this.#timer = setTimeout(() => this.interrupt(refusal), milliseconds);
		// Whoever waits for the answer keeps the process alive, not the one who owes it.
		this.#timer.unref();
	}

	/** Answers in place of the handler, and tells it to give up. */
	interrupt(refusal: RefusalFields): void {
		this.refuse(refusal);
		this.#controller.abort();
	}

	refuse(refusal: RefusalFields): void {
		this.land(this.#about(refusal));
	}

	/** Answers, unless it was answered before. */
	land(fields: { readonly ok: boolean }): void {
		if (this.#ended) return;
		this.#ended = true;
		clearTimeout(this.#timer);
		this.#forget();
		this.#reply(fields);
	}
}
