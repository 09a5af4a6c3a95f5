/** Both ends of the wire without this package's own code: what another program could send, and what it got. */
import { chmod } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { Registration } from "../../lib/peers/registration.ts";

export type Json = Record<string, unknown>;

/** A client that writes bytes and collects lines. */
export class RawClient {
	readonly socket: Socket;
	readonly #lines: Json[] = [];
	#partial = "";
	#waiting: (() => void)[] = [];
	#closed = false;

	constructor(path: string) {
		this.socket = connect({ path, allowHalfOpen: true });
		this.socket.setEncoding("utf8");
		this.socket.on("data", (chunk) => this.#take(String(chunk)));
		this.socket.on("end", () => this.socket.end());
		this.socket.on("error", () => {});
		this.socket.on("close", () => {
			this.#closed = true;
			this.#wake();
		});
		onTestFinished(() => void this.socket.destroy());
	}

	write(data: string | Uint8Array): void {
		this.socket.write(data);
	}

	send(...frames: Json[]): void {
		this.write(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""));
	}

	/** The next line; null when the connection ends before it. */
	async next(): Promise<Json | null> {
		while (this.#lines.length === 0 && !this.#closed) await this.#change();
		return this.#lines.shift() ?? null;
	}

	/** All lines until the connection ends. */
	async rest(): Promise<Json[]> {
		while (!this.#closed) await this.#change();
		return this.#lines.splice(0);
	}

	get closed(): boolean {
		return this.#closed;
	}

	#take(chunk: string): void {
		const lines = (this.#partial + chunk).split("\n");
		this.#partial = lines.pop() ?? "";
		this.#lines.push(...lines.map((line) => JSON.parse(line)));
		this.#wake();
	}

	#change(): Promise<void> {
		return new Promise((resolve) => this.#waiting.push(resolve));
	}

	#wake(): void {
		for (const resolve of this.#waiting.splice(0)) resolve();
	}
}

/** What a scripted receiver does with the frames it gets. */
export type Script = (frame: Json, socket: Socket, index: number) => void;

export interface ScriptedReceiver {
	readonly server: Server;
	/** Frames of all connections, in order. */
	readonly frames: Json[];
	/** Connections so far. */
	connections: number;
}

/** A receiver that plays a script at a registration's endpoint. */
export async function scriptedReceiver(registration: Registration, script: Script): Promise<ScriptedReceiver> {
	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		receiver.connections++;
		sockets.add(socket);
		socket.on("error", () => {});
		let partial = "";
		let index = 0;
		socket.setEncoding("utf8");
		socket.on("data", (chunk) => {
			const lines = (partial + String(chunk)).split("\n");
			partial = lines.pop() ?? "";
			for (const line of lines) {
				const frame = JSON.parse(line);
				receiver.frames.push(frame);
				script(frame, socket, index++);
			}
		});
	});
	const receiver: ScriptedReceiver = { server, frames: [], connections: 0 };
	await new Promise<void>((resolve) => server.listen(registration.socketPath, resolve));
	await chmod(registration.socketPath, 0o600);
	onTestFinished(async () => {
		for (const socket of sockets) socket.destroy();
		await new Promise((resolve) => server.close(resolve));
	});
	return receiver;
}

/** The answer of a proper receiver to a hello. */
export function readyAnswer(registration: Registration, requestId: unknown, changes: Json = {}): Json {
	const { id, instanceId, pid } = registration;
	return { ...answer(requestId, "ready", changes), peer: { id, instanceId, pid }, ...changes };
}

/** The answer of a proper receiver that took a message, or what `changes` make of it. */
export function answer(requestId: unknown, status: string, changes: Json = {}): Json {
	return {
		v: 1,
		type: "response",
		requestId,
		ok: true,
		status,
		capabilities: ["cancel-safe-queue-v1"],
		code: status,
		state: status,
		retryable: false,
		next: "",
		...changes,
	};
}

export function line(frame: Json): string {
	return `${JSON.stringify(frame)}\n`;
}
