/**
 * What the supported SDKs do differently, by the word of the one that is loaded: tests assert what is there.
 */
import { VERSION } from "@earendil-works/pi-coding-agent";

/** Whether an event tells of a compaction that was cancelled. Without one, a session counts as compacting for a while. */
export const tellsOfCancelledCompactions = !VERSION.startsWith("0.83.");
