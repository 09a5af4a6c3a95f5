/**
 * This extension's part in one pi session: one incarnation after the other, and whoever asks finds the one that is up.
 *
 * Starting acquires inside one boundary: what fails half-way releases the rest, and the session works without it.
 * Stopping twice does nothing.
 */
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { Lifecycle } from "../inbox/lifecycle.ts";
import { PeerError } from "../peers/peer-error.ts";
import { type HostParts, type IncarnationOptions, openIncarnation } from "./incarnation.ts";
import { tellQuietly } from "./tell-person.ts";
import { TurnKeeper } from "./turn-keeper.ts";

export class HostSession {
	/** Whose turn it is in the session; outlives the incarnation. */
	readonly turns: TurnKeeper;
	readonly #options: IncarnationOptions;
	readonly #lifecycle = new Lifecycle();
	#parts: HostParts | null = null;
	#isSubagent = false;

	constructor(options: IncarnationOptions) {
		this.#options = options;
		this.turns = new TurnKeeper(options.pi);
	}

	/** The parts of the incarnation that is up; null in a subagent's session and wherever none could start. */
	get parts(): HostParts | null {
		const parts = this.#parts;
		return parts === null || parts.fence.aborted ? null : parts;
	}

	/** Whether the session is a subagent's, in which this package does nothing. */
	get isSubagent(): boolean {
		return this.#isSubagent;
	}

	/** Ends the incarnation and starts the next. Never rejects: the session works without it. */
	async start(context: ExtensionContext): Promise<void> {
		try {
			this.turns.begin(context);
			this.#isSubagent = false;
			this.#parts = await this.#lifecycle.start((scope) =>
				openIncarnation(this.#options, { context, scope, turns: this.turns }),
			);
			this.#isSubagent = this.#parts === null;
		} catch (error) {
			if (error instanceof PeerError && error.code === "superseded") return;
			tellQuietly(context, failureText(error), "warning");
		}
	}

	/** Releases everything, last acquired first. Never rejects. */
	stop(): Promise<void> {
		this.turns.end();
		return this.#lifecycle.stop();
	}

	/** Lets the peers know of a change in what the session tells about itself. */
	refresh(): void {
		void this.parts?.presence.refresh();
	}
}

function failureText(error: unknown): string {
	const reason = error instanceof PeerError ? error.message : "Try /reload.";
	return `Cross-session access could not start; this session works without it. ${reason}`;
}
