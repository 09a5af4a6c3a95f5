/**
 * The limits of session references: what is fixed, what a person may lower, and the check of it.
 */
import * as z from "zod";
import { SessionReferenceError } from "./errors.ts";

/** Distinct sessions in one prompt, at most. */
export const MAX_REFERENCES = 3;
/** UTF-8 bytes of one session's serialized snapshot, at most: 64 KiB. */
export const MAX_REFERENCE_BYTES = 65_536;
/** Candidates in one answer, at most, whatever the caller asks for. */
export const MAX_CANDIDATES = 1_000;
/** Candidates in one answer when the caller names no number. */
export const DEFAULT_CANDIDATES = 50;

const integerUpTo = (bound: number) => z.number().int().min(1).max(bound);

/** The `references` part of the configuration file. Every key may be left out; a key it does not know is an error. */
export const sessionReferenceConfigSchema = z.strictObject({
	/** Distinct sessions in one prompt: 1 to 3, default 3. */
	maxReferences: integerUpTo(MAX_REFERENCES).optional(),
	/** Candidates listed when the caller names no number: 1 to 1,000, default 50. */
	candidateLimit: integerUpTo(MAX_CANDIDATES).optional(),
	/** UTF-8 bytes of one serialized snapshot: 1 to 65,536, default 65,536. */
	maxReferenceBytes: integerUpTo(MAX_REFERENCE_BYTES).optional(),
});

export type SessionReferenceConfig = z.infer<typeof sessionReferenceConfigSchema>;

/** The configuration with every default filled in. */
export interface SessionReferenceLimits {
	readonly maxReferences: number;
	readonly candidateLimit: number;
	readonly maxReferenceBytes: number;
}

/**
 * Checks a configuration of unknown origin and fills in the defaults.
 *
 * @throws SessionReferenceError `SESSION_REFERENCE_INVALID_CONFIG`, naming the setting and what was expected.
 */
export function resolveSessionReferenceConfig(config: unknown = {}): SessionReferenceLimits {
	const checked = sessionReferenceConfigSchema.safeParse(config);
	if (!checked.success) {
		const wrong = checked.error.issues.map((issue) => describeSetting(issue.path));
		throw new SessionReferenceError("SESSION_REFERENCE_INVALID_CONFIG", null, [...new Set(wrong)].join(" "));
	}
	return Object.freeze({
		maxReferences: checked.data.maxReferences ?? MAX_REFERENCES,
		candidateLimit: checked.data.candidateLimit ?? DEFAULT_CANDIDATES,
		maxReferenceBytes: checked.data.maxReferenceBytes ?? MAX_REFERENCE_BYTES,
	});
}

const settings: Record<string, number> = {
	maxReferences: MAX_REFERENCES,
	candidateLimit: MAX_CANDIDATES,
	maxReferenceBytes: MAX_REFERENCE_BYTES,
};

function describeSetting(path: readonly PropertyKey[]): string {
	const bound = settings[String(path[0])];
	if (bound === undefined) return `Known settings: ${Object.keys(settings).join(", ")}.`;
	return `references.${String(path[0])} must be a whole number from 1 to ${bound}.`;
}
