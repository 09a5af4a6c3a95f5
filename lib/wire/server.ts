/**
 * The receiving end: one socket, its connections, and their bounds.
 *
 * Promise: nobody can make it hold more than 64 connections, each for 30 seconds, each with one frame's bytes; nothing
 * it holds keeps the process alive; after `close()` no connection, timer or socket file is left.
 */
import { chmod } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { type CancelTimer, type Clock, systemClock } from "../peers/clock.ts";
import { type FrameItem, FrameReader } from "./frame-reader.ts";
import { encodeFrame } from "./frames.ts";
import { WIRE_LIMITS } from "./limits.ts";
import { type Answer, ReceiverConversation, type ReceiverPorts, type SenderIdentity } from "./receiver-conversation.ts";

export interface ReceiverOptions<Registered extends SenderIdentity> {
	/** Where to listen. Its length was checked before. */
	readonly path: string;
	readonly platform: NodeJS.Platform;
	readonly ports: ReceiverPorts<Registered>;
	/** Told when the socket fails while it is in use. */
	readonly onFailure: (error: Error) => void;
	readonly clock?: Clock;
}

/** Milliseconds that a closing receiver gives answers that are under way. */
const FAREWELL_MILLISECONDS = 500;
/** Milliseconds that a connection which was answered with an error is read on, unseen. */
const LINGER_MILLISECONDS = 1_000;

export class Receiver<Registered extends SenderIdentity> {
	readonly #options: ReceiverOptions<Registered>;
	readonly #server: Server;
	readonly #connections = new Set<ReceiverConnection<Registered>>();
	#closing: Promise<void> | null = null;

	private constructor(options: ReceiverOptions<Registered>) {
		this.#options = options;
		// A sender may end its half when it has said everything; it still gets its answers.
		this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
		this.#server.maxConnections = WIRE_LIMITS.connections;
		this.#server.unref();
	}

	/** Binds the socket, closes it to other users and begins to answer. On failure nothing is left. */
	static async open<Registered extends SenderIdentity>(
		options: ReceiverOptions<Registered>,
	): Promise<Receiver<Registered>> {
		const receiver = new Receiver(options);
		try {
			await receiver.#listen();
			// The directory keeps others out already; other implementations look at the socket too.
			if (options.platform !== "win32") await chmod(options.path, 0o600);
		} catch (error) {
			await receiver.close();
			throw error;
		}
		return receiver;
	}

	/** Connections held now. */
	get connections(): number {
		return this.#connections.size;
	}

	/** Stops listening, lets answers that are under way go out, and removes the socket. Repeated calls wait for the first. */
	close(): Promise<void> {
		this.#closing ??= this.#close();
		return this.#closing;
	}

	#listen(): Promise<void> {
		return new Promise((resolve, reject) => {
			this.#server.once("error", reject);
			this.#server.listen(this.#options.path, () => {
				this.#server.off("error", reject);
				this.#server.on("error", this.#options.onFailure);
				resolve();
			});
		});
	}

	#accept(socket: Socket): void {
		const connection = new ReceiverConnection(socket, this.#options.ports, this.#options.clock ?? systemClock);
		this.#connections.add(connection);
		socket.once("close", () => this.#connections.delete(connection));
		connection.start();
	}

	async #close(): Promise<void> {
		const closed = this.#server.listening
			? new Promise<void>((resolve) => this.#server.close(() => resolve()))
			: Promise.resolve();
		await Promise.all([...this.#connections].map((connection) => connection.finish()));
		await closed;
	}
}

class ReceiverConnection<Registered extends SenderIdentity> {
	readonly #socket: Socket;
	readonly #conversation: ReceiverConversation<Registered>;
	readonly #clock: Clock;
	readonly #reader = new FrameReader();
	/** Settles when everything that came in so far is answered. Never rejects. */
	#answered: Promise<void> = Promise.resolve();
	#items = 0;
	#unanswered = 0;
	#greeted = false;
	#ending = false;
	#cancelLifetime: CancelTimer = () => {};
	#cancelIdle: CancelTimer = () => {};

	constructor(socket: Socket, ports: ReceiverPorts<Registered>, clock: Clock) {
		this.#socket = socket;
		this.#conversation = new ReceiverConversation(ports);
		this.#clock = clock;
	}

	start(): void {
		this.#socket.unref();
		this.#cancelLifetime = this.#clock.after(WIRE_LIMITS.connectionMilliseconds, () => this.#socket.destroy());
		this.#socket.on("data", (chunk) => this.#receive(this.#reader.push(chunk)));
		this.#socket.on("end", () => this.#receiveEnd());
		// Whatever broke the connection, its end is all there is to do about it.
		this.#socket.on("error", () => this.#socket.destroy());
		this.#socket.once("close", () => this.#release());
	}

	/** Lets what is under way be answered, for a moment, and ends the connection. */
	async finish(): Promise<void> {
		const closed = new Promise<void>((resolve) => {
			if (this.#socket.destroyed) resolve();
			else this.#socket.once("close", () => resolve());
		});
		const cancel = this.#clock.after(FAREWELL_MILLISECONDS, () => this.#socket.destroy());
		await Promise.race([this.#answered, closed]);
		this.#ending = true;
		this.#socket.destroySoon();
		await closed;
		cancel();
	}

	#receive(items: readonly FrameItem[]): void {
		if (this.#ending) return;
		this.#restartIdle();
		for (const item of items) {
			// One frame beyond the allowed ones is answered as an error; more are not even kept.
			if (this.#items > WIRE_LIMITS.framesPerConnection) return;
			this.#items++;
			this.#unanswered++;
			this.#answered = this.#answered.then(() => this.#answer(item));
		}
	}

	#receiveEnd(): void {
		this.#receive(this.#reader.end());
		void this.#answered.then(() => this.#socket.end());
	}

	async #answer(item: FrameItem): Promise<void> {
		if (!this.#ending) this.#send(await this.#conversation.answer(item).catch(() => null));
		this.#unanswered--;
		this.#restartIdle();
	}

	#send(answer: Answer | null): void {
		if (answer === null) {
			this.#socket.destroy();
			return;
		}
		if (!this.#socket.writable) return;
		this.#socket.write(encodeFrame(answer.response));
		this.#greeted = true;
		if (answer.close) this.#linger();
	}

	/**
	 * Ends this half and reads on for a moment without looking. A sender that is still writing would otherwise meet a
	 * broken connection before it has read why.
	 */
	#linger(): void {
		this.#ending = true;
		this.#socket.end();
		this.#cancelIdle();
		this.#cancelIdle = this.#clock.after(LINGER_MILLISECONDS, () => this.#socket.destroy());
	}

	/** Idle time counts from the hello on, and not while an answer is being made. */
	#restartIdle(): void {
		if (this.#ending) return;
		this.#cancelIdle();
		if (!this.#greeted || this.#unanswered > 0 || this.#socket.destroyed) return;
		this.#cancelIdle = this.#clock.after(WIRE_LIMITS.idleMilliseconds, () => this.#socket.destroy());
	}

	#release(): void {
		this.#cancelLifetime();
		this.#cancelIdle();
	}
}
