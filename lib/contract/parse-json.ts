/**
 * Texts of unknown origin that may be JSON.
 */

/** The JSON value of a text; undefined, which no JSON is, when it has none. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
