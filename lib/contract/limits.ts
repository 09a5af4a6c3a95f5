/**
 * How much one incarnation answers over the bus.
 */

/** Request ids that one topic of an incarnation answers, unless its configuration says otherwise. */
export const DEFAULT_REQUESTS = 256;

/** What a configuration can raise that to. Every id is remembered, so it has to end somewhere. */
export const MAX_REQUESTS = 4096;
