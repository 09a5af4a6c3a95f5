/**
 * JSON values of which only this much is known: that they are objects, or not.
 */
import { parseJson } from "../../contract/parse-json.ts";

/** A line's value when it is a JSON object, else null. */
export function parseObject(line: string): Record<string, unknown> | null {
	return asRecord(parseJson(line));
}

/** The value as an object whose fields may be anything; null when it is none. */
export function asRecord(value: unknown): Record<string, unknown> | null {
	return typeof value === "object" && value !== null && !Array.isArray(value)
		? (value as Record<string, unknown>)
		: null;
}
