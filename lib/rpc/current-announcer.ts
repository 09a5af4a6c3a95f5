/**
 * The announcer of the incarnation that is there now, for a delivery that is made before it and may outlive it.
 */
import type { ReceivedAnnouncer } from "./received-announcer.ts";

export class CurrentAnnouncer {
	#announcer: ReceivedAnnouncer | null = null;

	/** Null while nobody is told of messages: the RPC is off, or no incarnation is there. */
	get current(): ReceivedAnnouncer | null {
		return this.#announcer;
	}

	/** Tells by way of this one from now on; returns the way to stop. */
	use(announcer: ReceivedAnnouncer): () => void {
		this.#announcer = announcer;
		return () => {
			if (this.#announcer === announcer) this.#announcer = null;
		};
	}
}
