/**
 * A seat of the soak: the one pi process that sits there now, and what it has shown since it sat down.
 *
 * Whatever may take from the session what it was just given (a reload, an abort, a compaction, a new session, an end) goes
 * through {@link SeatSession.disturb}, so that whoever sent something can tell whether it had to arrive.
 */
import path from "node:path";
import process from "node:process";
import { PiProcess } from "../../support/pi/pi-process.ts";
import { foreignMarkers, marker, type Seat } from "./markers.ts";
import type { Place, Registered } from "./place.ts";
import { type Measure, SOAK_MODEL, WISH_PREFIX, type Wish } from "./soak-extension.ts";
import { untilDefined, untilTrue } from "./until.ts";

/** What a session may take for anything that it does by itself, in ms, on a machine that is busy. */
const PATIENCE_MS = 30_000;

/** The seat whose session is private, in every session that it has. */
export const PRIVATE_SEAT: Seat = "d";

export interface SeatOptions {
	readonly seat: Seat;
	readonly place: Place;
	/** Told of every broken promise. */
	readonly onBroken: (what: string) => void;
}

/** What pi tells of an extension that threw; of other events only the type is there. */
interface ExtensionErrorEvent {
	readonly type?: string;
	readonly extensionPath?: string;
	/** The event whose handler threw, or `command`. */
	readonly event?: string;
	readonly error?: string;
}

export class SeatSession {
	readonly seat: Seat;
	/** Counts up whenever a disturbance begins or ends: odd while one is going on. */
	disturbances = 0;
	readonly #place: Place;
	readonly #onBroken: (what: string) => void;
	#pi: PiProcess | null = null;
	#pid = 0;
	#ended = new Set<Promise<void>>();

	constructor({ seat, place, onBroken }: SeatOptions) {
		this.seat = seat;
		this.#place = place;
		this.#onBroken = onBroken;
	}

	/** The process that sits here. */
	get pi(): PiProcess {
		if (this.#pi === null) throw new Error(`Nobody sits at ${this.seat}.`);
		return this.#pi;
	}

	/** Where it is registered now; undefined while it starts or ends. */
	get registered(): Registered | undefined {
		return this.#place.registrations().find(({ pid }) => pid === this.#pid);
	}

	/** Does something that may take from the session what it was just given. */
	async disturb<Result>(act: () => Promise<Result>): Promise<Result> {
		this.disturbances += 1;
		try {
			return await act();
		} finally {
			this.disturbances += 1;
		}
	}

	/** Seats a new process. */
	async start(): Promise<void> {
		await this.disturb(async () => {
			const pi = new PiProcess({
				cwd: this.#place.workspace,
				script: [],
				provider: SOAK_MODEL,
				extensions: [path.join(import.meta.dirname, "soak-extension.ts")],
				flags: ["--cross-session-rpc", "--cross-session-tool", "--append-system-prompt", marker(this.seat, "system")],
				environment: { SOAK_SEAT: this.seat, PI_CODING_AGENT_DIR: this.#place.agentDirectory },
			});
			this.#pi = pi;
			pi.client.onEvent((event) => this.#see(event));
			await pi.start();
			await this.#begin(await pi.sessionId());
		});
	}

	/** Takes up a session that is new: what it must be before others look at it. */
	async #begin(sessionId: string): Promise<void> {
		const registered = await untilDefined(() => this.#registrationOf(sessionId), PATIENCE_MS);
		if (registered === undefined) throw new Error(`The session at ${this.seat} was never registered.`);
		this.#pid = registered.pid;
		if (this.seat === PRIVATE_SEAT) await this.pi.command("/cross-session-private on");
		// A log comes into being with the first prompt.
		await this.wish({ text: this.seat === PRIVATE_SEAT ? marker(this.seat, "answer") : "At your service." });
		await this.pi.command("/litter");
	}

	#registrationOf(sessionId: string): Registered | undefined {
		return this.#place.registrations().find(({ id }) => id === sessionId);
	}

	/** Has the person at this seat ask its model for something; resolves when the session is idle again. */
	async wish(wish: Wish): Promise<void> {
		await this.beginWish(wish);
		await this.idle();
	}

	/** The same, without waiting. A prompt that meets a message which is just becoming a turn is not taken; that is fine. */
	async beginWish(wish: Wish): Promise<void> {
		const secret = this.seat === PRIVATE_SEAT ? { secret: marker(this.seat, "prompt") } : {};
		await this.pi.client.prompt(WISH_PREFIX + JSON.stringify({ ...wish, ...secret })).catch((error: unknown) => {
			if (!this.isAlive) throw error;
		});
	}

	async idle(): Promise<void> {
		const isIdle = async () => !(await this.pi.client.getState()).isStreaming;
		if (!(await untilTrue(isIdle, PATIENCE_MS))) throw new Error(`The session at ${this.seat} does not end its turn.`);
	}

	async reload(): Promise<void> {
		await this.disturb(async () => {
			await this.pi.command("/again");
			await this.resume();
		});
	}

	async newSession(): Promise<void> {
		await this.disturb(async () => {
			await this.pi.client.newSession();
			await this.#begin(await this.pi.sessionId());
			await this.resume();
		});
	}

	/** Aborts a turn in its middle. */
	async abort(): Promise<void> {
		await this.disturb(async () => {
			await this.beginWish({ text: "I take my time.", waits: PATIENCE_MS });
			await untilTrue(async () => (await this.pi.client.getState()).isStreaming, 500);
			await this.pi.client.abort();
			await this.idle();
			await this.resume();
		});
	}

	async compact(): Promise<void> {
		await this.disturb(async () => {
			// Nothing to compact is an answer too.
			await this.pi.client.compact().catch(() => {});
			await this.idle();
			await this.resume();
		});
	}

	/** Takes messages again, as the person does after an abort. */
	async resume(): Promise<void> {
		await this.idle();
		await this.pi.command("/cross-session-resume");
	}

	/** Ends the process: SIGKILL leaves its files behind, SIGTERM must not. */
	async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
		await this.disturb(async () => {
			const pi = this.pi;
			// Nobody's number would mean the whole group of this very process.
			if (this.#pid === 0) throw new Error(`The session at ${this.seat} was never registered.`);
			const instanceId = this.registered?.instanceId;
			process.kill(this.#pid, signal);
			const isGone = await untilTrue(() => !this.isAlive, PATIENCE_MS);
			if (!isGone) this.#onBroken(`The process at ${this.seat} survives ${signal}.`);
			const left = this.#place.presenceFiles().filter((name) => instanceId !== undefined && name.includes(instanceId));
			if (signal === "SIGTERM" && left.length > 0) this.#onBroken(`${this.seat} ended and left ${left.join(", ")}.`);
			this.#check(pi.client.getStderr(), "its errors");
			this.#pi = null;
			this.#pid = 0;
			// It waits for a process that has ended already, but not for long.
			const stopped = pi.stop();
			this.#ended.add(stopped);
			void stopped.then(() => this.#ended.delete(stopped));
		});
	}

	/** Ends whatever sits here, in any state, and waits for all that sat here before. */
	async dispose(): Promise<void> {
		await this.#pi?.stop();
		await Promise.all(this.#ended);
	}

	async measure(): Promise<Measure> {
		return (await this.pi.reportOf("measure", {})) as Measure;
	}

	/** False when the process has gone without being told to. */
	get isAlive(): boolean {
		return this.#pid === 0 || isRunning(this.#pid);
	}

	/** The log of the session that is registered here now. */
	get log(): string | undefined {
		return this.registered?.sessionFile;
	}

	#see(event: object): void {
		const text = JSON.stringify(event);
		this.#check(text, "its events");
		const { type, extensionPath, event: when, error } = event as ExtensionErrorEvent;
		if (type === "extension_error" && !extensionPath?.includes("soak-extension")) {
			this.#onBroken(`An extension failed at ${this.seat} in ${when}: ${error}`);
		}
		// Kept by the process for tests that are short.
		this.pi.events.length = 0;
	}

	#check(text: string, where: string): void {
		const found = foreignMarkers(this.seat, text);
		if (found.length > 0) this.#onBroken(`${this.seat} sees ${found.join(", ")} in ${where}.`);
	}
}

function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}
