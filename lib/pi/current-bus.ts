/**
 * pi's event bus for as long as pi keeps the session.
 *
 * pi may drop a session without announcing it. From 0.84 on its bus then refuses a dropped extension by itself; before,
 * the extension would go on listening and answering for a session that is gone.
 */
import type { Bus } from "../contract/bus.ts";

/**
 * A bus whose handlers end with the session: the first event after its end unsubscribes them instead.
 * @param requireCurrent throws once pi has dropped the session
 */
export function currentBus(bus: Bus, requireCurrent: () => void): Bus {
	return {
		emit: (topic, data) => bus.emit(topic, data),
		on(topic, handler) {
			const unsubscribe = bus.on(topic, (data) => {
				if (holds(requireCurrent)) handler(data);
				else unsubscribe();
			});
			return unsubscribe;
		},
	};
}

function holds(requirement: () => void): boolean {
	try {
		requirement();
		return true;
	} catch {
		return false;
	}
}
