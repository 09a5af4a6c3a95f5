/**
 * The public door to session references, for the pi integration and for adapters of other harnesses.
 *
 * An adapter brings a `SessionQuery`, cites with mentions, and gives the model the prepared context right before the
 * prompt. Nothing here knows of a harness, reads a file or changes a session.
 */
export type {
	CapturedHeader,
	CaptureWant,
	SessionCapture,
	SessionOrigin,
	SessionQuery,
	SessionSummary,
} from "../sessions/query.ts";
export { CaptureError } from "../sessions/query.ts";
export type { ReferenceCandidate } from "./candidates.ts";
export type { ReferenceCaller } from "./catalogue.ts";
export {
	DEFAULT_CANDIDATES,
	MAX_CANDIDATES,
	MAX_REFERENCE_BYTES,
	MAX_REFERENCES,
	resolveSessionReferenceConfig,
	type SessionReferenceConfig,
	type SessionReferenceLimits,
	sessionReferenceConfigSchema,
} from "./config.ts";
export { SessionReferenceError, type SessionReferenceErrorCode } from "./errors.ts";
export {
	formatSessionReferenceMention,
	type ParsedReferenceText,
	parseSessionReferenceMentions,
	parseSessionReferenceText,
	type SessionReference,
} from "./mention.ts";
export type { AdditionalContext, OutsideReference, PreparedPrompt, PreparingCaller } from "./prepare.ts";
export { SessionReferences } from "./references.ts";
export {
	type SessionReferenceSource,
	type SessionReferenceSourceEntry,
	sessionReferenceSourceEntrySchema,
	sessionReferenceSourceSchema,
} from "./source.ts";
export { decodeSessionReferenceUri, encodeSessionReferenceUri, SESSION_REFERENCE_SCHEME } from "./uri.ts";
