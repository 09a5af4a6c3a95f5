/**
 * The identifiers that appear in frames, registrations and RPC values, and the one rule for each.
 *
 * This file owns what a well-formed id is. It creates none: ids come from whoever owns the thing they name.
 */
import * as z from "zod";

/** An incarnation's id: 32 lower-case hex digits, random, never reused. */
export const instanceIdSchema = z.string().regex(/^[0-9a-f]{32}$/);

/** A message's id, chosen by its sender and stable over every question about it. */
export const messageIdSchema = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/);

/** The id of one request on the wire. */
export const frameRequestIdSchema = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/);

/** A pi session's id, 1 to 512 characters without control characters. */
export const sessionIdSchema = z
	.string()
	.min(1)
	.max(512)
	.regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u);

/** How many hex digits of an instance id people see as its `ref`. */
export const INSTANCE_REF_LENGTH = 8;
