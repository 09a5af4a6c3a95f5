/**
 * The registration: what an incarnation tells every process of this user about itself, and how a text becomes one.
 *
 * Promise: what parses here is complete, bounded and showable: no control characters anywhere. Unknown fields are
 * dropped, so another implementation may write more than this one knows.
 */
import * as z from "zod";
import { parseJson } from "../contract/parse-json.ts";
import { instanceIdSchema } from "../contract/peer-identifiers.ts";
import { isPrintableLine, printableLine } from "../projection/printable.ts";

export const REGISTRATION_LIMITS = Object.freeze({
	/** Size of a registration file in bytes. */
	fileBytes: 64 * 1024,
	/** Code points of a name. */
	nameCodePoints: 200,
	/** Registrations that one discovery looks at. */
	files: 512,
	/** Between two refreshes, milliseconds. */
	refreshMilliseconds: 30_000,
	/** Without a refresh for so long, a registration no longer vouches for its process, milliseconds. */
	staleMilliseconds: 90_000,
});

const line = (maximum: number) => z.string().max(maximum).refine(isPrintableLine);
const epochMilliseconds = z.number().int().nonnegative();

export const registrationSchema = z.object({
	version: z.literal(2),
	protocol: z.literal(1),
	id: line(512).min(1),
	instanceId: instanceIdSchema,
	name: line(800).refine((name) => name.trim() !== "" && [...name].length <= REGISTRATION_LIMITS.nameCodePoints),
	cwd: line(4096),
	pid: z.number().int().positive(),
	startedAt: epochMilliseconds,
	updatedAt: epochMilliseconds,
	status: z.enum(["idle", "busy"]),
	inbound: z.enum(["accept", "refuse"]),
	socketPath: z.string().min(1).max(4096),
	token: z.string().regex(/^[0-9a-f]{64}$/),
	// Extras of this implementation: what does not fit them is somebody else's field of the same name.
	sessionFile: line(4096).optional().catch(undefined),
	pidNamespace: line(256).optional().catch(undefined),
});

/** A registration with its secret. Stays inside the rooms that talk to peers. */
export type Registration = z.infer<typeof registrationSchema>;

export type RegisteredStatus = Registration["status"];

/** The registration that a file's text holds, or null when it holds none. */
export function parseRegistration(text: string): Registration | null {
	return registrationSchema.safeParse(parseJson(text)).data ?? null;
}

/** A session's name as it is registered: one printable line, or one made from its id. */
export function registeredName(name: string | undefined, sessionId: string): string {
	const wanted = printableLine(name ?? "", REGISTRATION_LIMITS.nameCodePoints);
	return wanted === "" ? `pi-${sessionId.slice(0, 8)}` : wanted;
}
