/**
 * The soak: four real pi sessions in one workspace that talk, look at each other, reload, abort, compact, begin anew and
 * die, by a seeded script; and what must hold all the while and at the end.
 */
import { PEERS_TOPIC } from "../../../lib/contract/index.ts";
import { SeededRandom } from "../../support/logs/seeded-random.ts";
import { drawAction, type Scene, sendMessage } from "./actions.ts";
import { growthOf, measureAtRest } from "./holdings.ts";
import { foreignMarkers, SEATS } from "./markers.ts";
import { MessageLedger } from "./message-ledger.ts";
import { Place, textOf } from "./place.ts";
import { SeatSession } from "./seat-session.ts";
import type { Measure } from "./soak-extension.ts";
import { untilTrue } from "./until.ts";

export interface SoakOptions {
	readonly seed: number;
	/** How long the script goes on; starting, and looking at what is left, come on top. */
	readonly milliseconds: number;
	/** Told of what goes on, now and then. */
	readonly onProgress?: (line: string) => void;
}

export interface SoakReport {
	/** How often each action ran. */
	readonly actions: Readonly<Record<string, number>>;
	readonly messages: {
		readonly sent: number;
		/** Those that had to be in a log, and are. */
		readonly stored: number;
		readonly codes: Readonly<Record<string, number>>;
	};
	/** Broken promises; empty when all is well. */
	readonly broken: readonly string[];
}

/** How often a line of progress is told, in ms. */
const PROGRESS_MS = 15_000;
/** How long the last round of messages may take, in ms. */
const ARRIVAL_MS = 30_000;

export async function runSoak(options: SoakOptions): Promise<SoakReport> {
	const soak = new Soak(options);
	try {
		await soak.run();
		return soak.report();
	} finally {
		await soak.dispose();
	}
}

class Soak {
	readonly #options: SoakOptions;
	readonly #place = new Place();
	readonly #ledger = new MessageLedger(this.#place);
	readonly #seats: readonly SeatSession[];
	/** What the process at each seat held when it had just sat down. */
	readonly #bases = new Map<SeatSession, Measure>();
	readonly #counts = new Map<string, number>();
	readonly #broken = new Set<string>();

	constructor(options: SoakOptions) {
		this.#options = options;
		const onBroken = this.#onBroken;
		this.#seats = SEATS.map((seat) => new SeatSession({ seat, place: this.#place, onBroken }));
	}

	readonly #onBroken = (what: string): void => {
		if (this.#broken.has(what)) return;
		this.#broken.add(what);
		this.#options.onProgress?.(`soak: broken: ${what}`);
	};

	async run(): Promise<void> {
		const { seed, milliseconds } = this.#options;
		// One first: it fills the cache of compiled sources, which the others would each fill too.
		const [first, ...others] = this.#seats;
		await first?.start();
		await Promise.all(others.map((seat) => seat.start()));
		await Promise.all(this.#seats.map((seat) => this.#takeBase(seat)));
		const until = performance.now() + milliseconds;
		const progress = setInterval(() => this.#tell(), PROGRESS_MS);
		try {
			await Promise.all(this.#seats.map((seat, index) => this.#script(seat, new SeededRandom(seed + index), until)));
			await this.#ledger.settled();
			// After the first broken promise the others prove nothing.
			if (this.#broken.size === 0) await this.#conclude();
		} finally {
			clearInterval(progress);
		}
	}

	async #conclude(): Promise<void> {
		await this.#killOne();
		await this.#lastRound();
		await Promise.all(this.#seats.map((seat) => this.#checkHoldings(seat)));
		await this.#end();
		this.#checkFiles();
	}

	report(): SoakReport {
		const { sent, stored, codes } = this.#ledger;
		return {
			actions: Object.fromEntries(this.#counts),
			messages: { sent, stored, codes: Object.fromEntries(codes) },
			broken: [...this.#broken],
		};
	}

	async dispose(): Promise<void> {
		await Promise.all(this.#seats.map((seat) => seat.dispose()));
		this.#place.remove();
	}

	/** Lets a process do once what it will do often, and takes its measure. */
	async #takeBase(seat: SeatSession): Promise<void> {
		await seat.reload();
		await seat.compact();
		this.#bases.set(seat, await measureAtRest(seat));
	}

	async #script(own: SeatSession, random: SeededRandom, until: number): Promise<void> {
		while (performance.now() < until && this.#broken.size === 0) {
			const { name, act } = drawAction(random);
			this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
			try {
				await act({ ...this.#sceneOf(own), random });
			} catch (error) {
				this.#onBroken(`"${name}" at ${own.seat} failed: ${error instanceof Error ? error.message : String(error)}`);
			}
		}
	}

	#sceneOf(own: SeatSession): Omit<Scene, "random"> {
		return {
			own,
			others: this.#seats.filter((seat) => seat !== own),
			ledger: this.#ledger,
			onBroken: this.#onBroken,
			onLeaving: () => this.#checkHoldings(own),
			onSeated: () => this.#takeBase(own),
		};
	}

	/** However short the script was, one process leaves its files behind. */
	async #killOne(): Promise<void> {
		const victim = this.#seats[this.#options.seed % this.#seats.length];
		if (victim === undefined) return;
		await victim.end("SIGKILL");
		await victim.start();
		await this.#takeBase(victim);
	}

	/** With peace everywhere, every session still gets a message of every other. */
	async #lastRound(): Promise<void> {
		await Promise.all(
			this.#seats.map(async (seat) => {
				await seat.pi.command("/cross-session-inbound accept");
				await seat.reload();
			}),
		);
		for (const own of this.#seats) {
			for (const receiver of this.#sceneOf(own).others) await this.#arrives(own, receiver);
		}
		await this.#ledger.settled();
		for (const what of this.#ledger.broken()) this.#onBroken(what);
	}

	async #arrives(own: SeatSession, receiver: SeatSession): Promise<void> {
		const isTaken = async () => {
			const peer = receiver.registered;
			const receipt = peer && (await sendMessage(this.#sceneOf(own), receiver, peer));
			return receipt?.state === "submitted" || receipt?.state === "queued";
		};
		if (await untilTrue(isTaken, ARRIVAL_MS, 500)) return;
		this.#onBroken(`${receiver.seat} takes no message of ${own.seat} any more.`);
	}

	/** A process must be back at the measure that was taken of it. */
	async #checkHoldings(seat: SeatSession): Promise<void> {
		const base = this.#bases.get(seat);
		if (base === undefined) return;
		for (const what of await growthOf(seat, base)) this.#onBroken(what);
	}

	/** Ends all; whoever was killed has been cleared away by those who looked around since. */
	async #end(): Promise<void> {
		for (const { pi } of this.#seats) await pi.ask(PEERS_TOPIC);
		await Promise.all(this.#seats.map((seat) => seat.end("SIGTERM")));
		const left = this.#place.presenceFiles();
		if (left.length > 0) this.#onBroken(`Left when all had ended: ${left.join(", ")}.`);
	}

	/** No log holds a marker of another seat: each log has markers of one seat at most. */
	#checkFiles(): void {
		for (const log of this.#place.logs()) {
			const text = textOf(log) ?? "";
			const isOfOne = SEATS.some((seat) => foreignMarkers(seat, text).length === 0);
			if (!isOfOne) this.#onBroken("A log holds markers of two sessions.");
		}
	}

	#tell(): void {
		const actions = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
		this.#options.onProgress?.(`soak: ${actions} actions, ${this.#ledger.sent} messages, ${this.#broken.size} broken`);
	}
}
