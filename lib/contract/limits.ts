/**
 * How much one incarnation answers and how soon, and how long a message may be: the one place for each of these numbers.
 */

/** Request ids that one topic of an incarnation answers, unless its configuration says otherwise. */
export const DEFAULT_REQUESTS = 256;

/** What a configuration can raise that to. Every id is remembered, so it has to end somewhere. */
export const MAX_REQUESTS = 4096;

/** An answer comes this long after the question at the latest, in milliseconds: before a caller gives up. */
export const ANSWER_DEADLINE_MS = 4500;

/** Longest text of a message, in UTF-16 units. */
export const MAX_MESSAGE_TEXT_UNITS = 1_000_000;

/** Longest summary that a caller may give, in UTF-16 units; it is shortened to one line. */
export const MAX_GIVEN_SUMMARY_UNITS = 400;

/** Longest summary on its way, in code points. */
export const MAX_SUMMARY_CODE_POINTS = 200;
