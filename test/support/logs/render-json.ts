/**
 * Writes a value as JSON in ways that other writers use: the same value, other bytes.
 */

export interface RenderStyle {
	/** Spaces after commas and colons, as Python writes them. */
	readonly spaced: boolean;
	/** Which characters of strings become `\u` escapes beyond those that must be escaped. */
	readonly escapes: "none" | "wide" | "every" | "everyUpperCase" | "slashes";
	/** Escapes in the names of keys too. */
	readonly escapedKeys: boolean;
}

export const PLAIN_STYLE: RenderStyle = { spaced: false, escapes: "none", escapedKeys: false };

/** JSON text of `value`, on one line. Keys whose value is undefined are left out, as `JSON.stringify` does. */
export function renderJson(value: unknown, style: RenderStyle): string {
	if (typeof value === "string") return renderString(value, style.escapes);
	if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
	const comma = style.spaced ? ", " : ",";
	if (Array.isArray(value)) return `[${value.map((item) => renderJson(item, style)).join(comma)}]`;
	const colon = style.spaced ? ": " : ":";
	const members = Object.entries(value)
		.filter(([, member]) => member !== undefined)
		.map(
			([key, member]) =>
				`${renderString(key, style.escapedKeys ? "every" : "none")}${colon}${renderJson(member, style)}`,
		);
	return `{${members.join(comma)}}`;
}

const RENDER_STRING: Readonly<Record<RenderStyle["escapes"], (text: string) => string>> = {
	none: (text) => JSON.stringify(text),
	wide: (text) => `"${Array.from({ length: text.length }, (_, index) => escapeWide(text, index)).join("")}"`,
	every: (text) => `"${escapeUnits(text)}"`,
	everyUpperCase: (text) => `"${escapeUnits(text).replace(/[a-f]/g, (digit) => digit.toUpperCase())}"`,
	slashes: (text) => JSON.stringify(text).replaceAll("/", "\\/"),
};

function renderString(text: string, escapes: RenderStyle["escapes"]): string {
	return RENDER_STRING[escapes](text);
}

function escapeWide(text: string, index: number): string {
	return text.charCodeAt(index) > 0x7e ? escapeUnit(text, index) : JSON.stringify(text.charAt(index)).slice(1, -1);
}

function escapeUnits(text: string): string {
	return Array.from({ length: text.length }, (_, index) => escapeUnit(text, index)).join("");
}

function escapeUnit(text: string, index: number): string {
	return `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`;
}
