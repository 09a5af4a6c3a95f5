/**
 * Lines of foreign text on the screen: wrapped or cut to their place, with nothing in them that the terminal obeys.
 */
import type { Component } from "@earendil-works/pi-tui";
import { truncateToWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { printableLine } from "../projection/printable.ts";
import type { Styles } from "./styles.ts";

/** Text that was already made printable, with our own styles around it. */
export interface ScreenLine {
	readonly text: string;
	/** `cut` ends at the right edge; `wrap` goes on below, behind `indent` spaces. */
	readonly fit: "cut" | "wrap";
	readonly indent?: number;
}

/** Draws lines at whatever width it is given. */
export class ScreenLines implements Component {
	readonly #lines: readonly ScreenLine[];

	constructor(lines: readonly ScreenLine[]) {
		this.#lines = lines;
	}

	render(width: number): string[] {
		return this.#lines.flatMap((line) => fitLine(line, Math.max(1, width)));
	}

	invalidate(): void {
		// Nothing is kept between two renderings.
	}
}

function fitLine({ text, fit, indent = 0 }: ScreenLine, width: number): string[] {
	const room = Math.max(1, width - indent);
	const lines = fit === "wrap" ? wrapTextWithAnsi(text, room) : [truncateToWidth(text, room, "…")];
	return lines.map((line) => " ".repeat(Math.min(indent, width - 1)) + line);
}

/** Code points of an error that the screen shows. */
const ERROR_CODE_POINTS = 400;

/** A failed tool call, by the text that the model got. */
export function errorLines(content: readonly { readonly type: string; readonly text?: string }[], styles: Styles) {
	const text = printableLine(content[0]?.text ?? "", ERROR_CODE_POINTS);
	return new ScreenLines([{ text: styles.fg("error", text), fit: "wrap" }]);
}

/** How long ago something was, in one unit. */
export function formatAge(milliseconds: number): string {
	const seconds = Math.max(0, Math.floor(milliseconds / 1000));
	if (seconds < 60) return `${seconds}s ago`;
	if (seconds < 3600) return `${Math.floor(seconds / 60)}m ago`;
	if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h ago`;
	return `${Math.floor(seconds / 86_400)}d ago`;
}
