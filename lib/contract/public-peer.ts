/**
 * A live peer as everybody outside the registry may see it: its registration without the secret.
 *
 * The schema is loose, since other implementations may register more. What this package publishes is built field by
 * field, so no unknown field and no token can pass through it.
 */
import * as z from "zod";
import { instanceIdSchema, sessionIdSchema } from "./peer-identifiers.ts";

export const gitContextSchema = z.looseObject({
	/** Root directory of the worktree. */
	worktree: z.string(),
	/** Short branch name; null when the head is detached. */
	branch: z.string().nullable(),
	/** The commit's full hex id. */
	head: z.string(),
});
/** Where a peer's directory stands in git, read when it was asked for. */
export type GitContext = z.infer<typeof gitContextSchema>;

export const publicPeerSchema = z.looseObject({
	version: z.literal(2),
	protocol: z.literal(1),
	/** The session's id. Two processes may have the same session open. */
	id: sessionIdSchema,
	/** The incarnation's id. */
	instanceId: instanceIdSchema,
	/** First digits of the instance id, for people. */
	ref: z.string(),
	/** One printable line, chosen by the peer: says nothing about who it is. */
	name: z.string(),
	cwd: z.string(),
	pid: z.number().int(),
	/** Epoch milliseconds. */
	startedAt: z.number(),
	/** Epoch milliseconds of the last refresh of its registration. */
	updatedAt: z.number(),
	status: z.enum(["idle", "busy"]),
	inbound: z.enum(["accept", "refuse"]),
	socketPath: z.string(),
	sessionFile: z.string().optional(),
	pidNamespace: z.string().optional(),
	/** In listings: null when the directory is in no git worktree, or in one without a commit. */
	git: gitContextSchema.nullable().optional(),
	/** In listings: whether it works in the asking session's workspace, the precondition for reading it. */
	readable: z.boolean().optional(),
});

/** A live peer without its secret. */
export type PublicPeer = z.infer<typeof publicPeerSchema>;
