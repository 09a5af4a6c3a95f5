/**
 * A question and its answer on a bus with nothing around it: no check, no timer, no end but the answer.
 */
import type { Bus } from "../../../lib/contract/bus.ts";

const BARE_TOPIC = "bare:request";

/** Subscribes to the request's own reply topic, asks, and resolves with what comes. */
export function requestBare(bus: Bus, requestId: string): Promise<unknown> {
	return new Promise((resolve) => {
		const unsubscribe = bus.on(`bare:reply:${requestId}`, (reply) => {
			unsubscribe();
			resolve(reply);
		});
		bus.emit(BARE_TOPIC, { requestId });
	});
}

/** Answers bare requests at once. */
export function respondBare(bus: Bus, makeReply: (requestId: string) => unknown): void {
	bus.on(BARE_TOPIC, (data) => {
		const { requestId } = data as { requestId: string };
		bus.emit(`bare:reply:${requestId}`, makeReply(requestId));
	});
}
