/**
 * One question on a bus and its bounded wait.
 *
 * Promise: exactly one of reply, kept refusal or {@link RpcError} ends the wait, and after it nothing of the call is
 * left: no listener, no timer, no rejection that nobody sees, whatever the bus or a responder does.
 */
import type { Bus } from "./bus.ts";
import { RpcError } from "./errors.ts";
import { type Incarnation, isSameIncarnation, RPC_VERSION } from "./identifiers.ts";
import { observeRejection, runIsolated } from "./isolation.ts";
import { type RpcReply, type RpcRequest, type RpcTopic, replyTopic, rpcTopics } from "./topics.ts";

/** Longest and default wait for a reply, in milliseconds. Responders answer within 4.5 s. */
export const MAX_REQUEST_TIMEOUT_MS = 5000;

/**
 * Asks on `topic` and waits for the first reply to this request.
 *
 * A refusal by another incarnation than the one asked does not end the wait: it is returned only when nothing better
 * came in time. Replies that do not fit the topic are no replies. What is returned is a checked copy: the responder
 * can't change it later, save for what stands under keys that the contract doesn't know. What is emitted is a copy too.
 *
 * @param request Its envelope (`version`, `requestId`, `local`) is checked here, everything else by the responder.
 * @param timeoutMs 1 to 5000, fractions allowed; counted from the end of the emit, during which replies may come too.
 * @param signal Ends the waiting. It takes nothing back on the other side.
 * @returns A refusal (`ok: false`) is a reply too: it resolves.
 * @throws {RpcError} (by rejection) `invalid_request`: nothing was emitted; `receipt_unknown`: no reply in time, or
 * aborted; `bus_error`: the bus threw.
 * @example
 * const info = await requestRpc(pi.events, INFO_TOPIC, { version: 1, requestId: crypto.randomUUID() });
 */
export function requestRpc<Topic extends RpcTopic>(
	bus: Bus,
	topic: Topic,
	request: RpcRequest<Topic>,
	timeoutMs: number = MAX_REQUEST_TIMEOUT_MS,
	signal?: AbortSignal,
): Promise<RpcReply<Topic>> {
	const problem = findProblem(topic, timeoutMs, signal);
	if (problem !== undefined) return Promise.reject(new RpcError("invalid_request", problem));
	const outgoing = copyRequest(topic, request);
	if (outgoing === undefined) return Promise.reject(new RpcError("invalid_request", unfitRequest));
	if (signal?.aborted) return Promise.reject(new RpcError("receipt_unknown", abortedBefore));
	return new Promise<RpcReply<Topic>>((resolve, reject) => {
		new PendingCall(bus, topic, outgoing, signal, resolve, reject).start(timeoutMs);
	});
}

const unknownTopic = "The topic is none of this contract.";
const wrongTimeout = `timeoutMs must be a number from 1 to ${MAX_REQUEST_TIMEOUT_MS}.`;
const wrongSignal = "signal must be an AbortSignal.";
const unfitRequest = "The request's version, requestId or local is missing, malformed or unreadable.";
const abortedBefore = "The request was aborted before it was emitted.";
const abortedDuring = "The wait for a reply was aborted.";
const noReply = "No reply came in time.";
const noUnsubscribe = "The bus returned no unsubscribe function; fromEventEmitter() and fromMitt() adapt emitters.";

function findProblem(topic: string, timeoutMs: number, signal: AbortSignal | undefined): string | undefined {
	if (!Object.hasOwn(rpcTopics, topic)) return unknownTopic;
	if (typeof timeoutMs !== "number" || !(timeoutMs >= 1 && timeoutMs <= MAX_REQUEST_TIMEOUT_MS)) return wrongTimeout;
	if (signal !== undefined && typeof signal?.addEventListener !== "function") return wrongSignal;
	return undefined;
}

/** A request of which every field was read once, so that no getter can show each reader something else. */
interface OutgoingRequest {
	readonly requestId: string;
	readonly local?: Incarnation;
}

function copyRequest(topic: RpcTopic, request: unknown): OutgoingRequest | undefined {
	try {
		const copy = { ...(request as object) };
		const envelope = rpcTopics[topic].envelope.safeParse(copy);
		return envelope.success ? Object.assign(copy, envelope.data) : undefined;
	} catch {
		return undefined;
	}
}

/** A call from its subscription to its end. */
class PendingCall<Topic extends RpcTopic> {
	readonly #bus: Bus;
	readonly #topic: Topic;
	readonly #request: OutgoingRequest;
	readonly #signal: AbortSignal | undefined;
	readonly #resolve: (reply: RpcReply<Topic>) => void;
	readonly #reject: (error: RpcError) => void;
	#ended = false;
	#keptRefusal: RpcReply<Topic> | undefined;
	#timer: ReturnType<typeof setTimeout> | undefined;
	#unsubscribe: (() => void) | undefined;

	constructor(
		bus: Bus,
		topic: Topic,
		request: OutgoingRequest,
		signal: AbortSignal | undefined,
		resolve: (reply: RpcReply<Topic>) => void,
		reject: (error: RpcError) => void,
	) {
		this.#bus = bus;
		this.#topic = topic;
		this.#request = request;
		this.#signal = signal;
		this.#resolve = resolve;
		this.#reject = reject;
	}

	start(timeoutMs: number): void {
		this.#signal?.addEventListener("abort", this.#abort);
		try {
			this.#subscribe();
			if (this.#ended) return;
			observeRejection(this.#bus.emit(this.#topic, this.#request), this.#failBus);
		} catch (error) {
			this.#failBus(error);
		}
		// Most replies come during the emit, and those need no timer.
		if (!this.#ended) this.#timer = setTimeout(this.#lapse, timeoutMs);
	}

	#subscribe(): void {
		const unsubscribe: unknown = this.#bus.on(replyTopic(this.#topic, this.#request.requestId), this.#receive);
		if (typeof unsubscribe !== "function") {
			observeRejection(unsubscribe, () => {});
			this.#fail(new RpcError("bus_error", noUnsubscribe));
			return;
		}
		this.#unsubscribe = unsubscribe as () => void;
		// A reply or an abort during the subscription came before there was anything to release.
		if (this.#ended) this.#release();
	}

	readonly #receive = (data: unknown): void => {
		if (this.#ended) return;
		const reply = readReply(this.#topic, this.#request.requestId, data);
		if (reply === undefined) return;
		if (this.#isForeignRefusal(reply)) this.#keptRefusal ??= reply;
		else this.#succeed(reply);
	};

	#isForeignRefusal(reply: RpcReply<Topic>): boolean {
		const { local } = this.#request;
		if (reply.ok || local === undefined) return false;
		return reply.local === null || !isSameIncarnation(reply.local, local);
	}

	readonly #lapse = (): void => {
		if (this.#keptRefusal !== undefined) this.#succeed(this.#keptRefusal);
		else this.#fail(new RpcError("receipt_unknown", noReply));
	};

	readonly #abort = (): void => this.#fail(new RpcError("receipt_unknown", abortedDuring));

	readonly #failBus = (cause: unknown): void => this.#fail(new RpcError("bus_error", undefined, { cause }));

	// A second end, by a getter in a reply or a bus that throws late, finds nothing to release and a settled promise.
	#succeed(reply: RpcReply<Topic>): void {
		this.#ended = true;
		this.#release();
		this.#resolve(reply);
	}

	#fail(error: RpcError): void {
		this.#ended = true;
		this.#release();
		this.#reject(error);
	}

	#release(): void {
		clearTimeout(this.#timer);
		this.#signal?.removeEventListener("abort", this.#abort);
		const unsubscribe = this.#unsubscribe;
		this.#unsubscribe = undefined;
		if (unsubscribe !== undefined) runIsolated(unsubscribe);
	}
}

/** The checked copy of a reply to this request; undefined for everything else. */
function readReply<Topic extends RpcTopic>(
	topic: Topic,
	requestId: string,
	data: unknown,
): RpcReply<Topic> | undefined {
	try {
		const { version, requestId: answered } = data as { version?: unknown; requestId?: unknown };
		if (version !== RPC_VERSION || answered !== requestId) return undefined;
		const reply = rpcTopics[topic].reply.safeParse(data);
		// A getter may have given the schema another id than it gave above. And a promise must never be resolved
		// with something that has a `then`: that would hand the wait over to the responder.
		if (!reply.success || reply.data.requestId !== requestId || typeof reply.data.then === "function") return undefined;
		return reply.data as RpcReply<Topic>;
	} catch {
		return undefined;
	}
}
