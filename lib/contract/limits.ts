/**
 * How much one incarnation answers, and how soon.
 */

/** Request ids that one topic of an incarnation answers, unless its configuration says otherwise. */
export const DEFAULT_REQUESTS = 256;

/** What a configuration can raise that to. Every id is remembered, so it has to end somewhere. */
export const MAX_REQUESTS = 4096;

/** An answer comes this long after the question at the latest, in milliseconds: before a caller gives up. */
export const ANSWER_DEADLINE_MS = 4500;
