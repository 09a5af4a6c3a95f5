/**
 * Session URIs: one canonical, printable name for every session id.
 *
 * A URI is the scheme and the unpadded base64url of the id as a JSON string. JSON carries every JavaScript string,
 * lone surrogates included, and base64url survives Markdown and word wrapping. Other harnesses write the same scheme,
 * so a URI may name a session that this machine does not have; only its form is judged here.
 */
import { SessionReferenceError } from "./errors.ts";

/** Exact-case, with the colon. Shared with other harnesses on purpose. */
export const SESSION_REFERENCE_SCHEME = "dsh-session:";

const payloadPattern = /^[A-Za-z0-9_-]+$/;

/** The one URI of a session id. Total: every JavaScript string has one, and no two share one. */
export function encodeSessionReferenceUri(id: string): string {
	return SESSION_REFERENCE_SCHEME + Buffer.from(JSON.stringify(id), "utf8").toString("base64url");
}

/**
 * The session id of a canonical URI.
 *
 * @throws SessionReferenceError `SESSION_REFERENCE_INVALID_REFERENCE` for everything that
 * {@link encodeSessionReferenceUri} would not have written, spaces and padding around it included.
 */
export function decodeSessionReferenceUri(uri: string): string {
	const id = decodedId(uri);
	// Escapes, stray bits and broken UTF-8 have many spellings; only the one that encoding gives is a name.
	if (id === null || encodeSessionReferenceUri(id) !== uri) {
		throw new SessionReferenceError("SESSION_REFERENCE_INVALID_REFERENCE");
	}
	return id;
}

function decodedId(uri: string): string | null {
	if (!uri.startsWith(SESSION_REFERENCE_SCHEME)) return null;
	const payload = uri.slice(SESSION_REFERENCE_SCHEME.length);
	if (!payloadPattern.test(payload)) return null;
	try {
		const value: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
		return typeof value === "string" ? value : null;
	} catch {
		return null;
	}
}
