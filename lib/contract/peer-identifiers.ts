/**
 * The ids that appear in registrations, frames and receipts, and the one rule for each.
 *
 * This file owns what a well-formed id is. It creates none: ids come from whoever owns the thing they name.
 */
import * as z from "zod";

/** An incarnation's id: 32 lower-case hex digits, random, never reused. */
export const instanceIdSchema = z.string().regex(/^[0-9a-f]{32}$/);

/** A pi session's id as peers exchange it: 1 to 512 characters, no control characters. */
export const sessionIdSchema = z
	.string()
	.min(1)
	.max(512)
	.regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u);

/** How many hex digits of an instance id people see as its `ref`. */
export const INSTANCE_REF_LENGTH = 8;
