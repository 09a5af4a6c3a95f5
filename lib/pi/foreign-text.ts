/**
 * Lines of foreign text on the screen: wrapped or cut to their place, with nothing in them that the terminal obeys.
 *
 * Texts are fitted before they are styled, so that no cut can leave a style open or end the background behind it.
 */
import type { Component } from "@earendil-works/pi-tui";
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { printableLine } from "../projection/printable.ts";
import type { Styles } from "./styles.ts";

/** Text that was already made printable, and how it looks. */
export interface StyledText {
	readonly text: string;
	/** Default: as the text around it. */
	readonly style?: (text: string) => string;
}

/** A text that goes on below where it does not fit, behind `indent` spaces (default: none). */
export interface WrappedLine extends StyledText {
	readonly fit: "wrap";
	readonly indent?: number;
}

/** One line on the screen that ends at the right edge. */
export interface CutLine {
	readonly fit: "cut";
	readonly parts: readonly StyledText[];
	/** Stands behind the parts, which make room for it as long as enough of them is left. */
	readonly tail?: StyledText;
	readonly indent?: number;
}

export type ScreenLine = WrappedLine | CutLine;

export const EMPTY_LINE: ScreenLine = Object.freeze({ fit: "cut", parts: [] });

/** A text that is cut to less than this many columns tells nothing; its tail is cut then. */
const LEAST_COLUMNS = 12;

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

function fitLine(line: ScreenLine, width: number): string[] {
	const indent = Math.min(line.indent ?? 0, width - 1);
	const lines = line.fit === "wrap" ? wrapLine(line, width - indent) : [cutLine(line, width - indent)];
	return lines.map((text) => " ".repeat(indent) + text);
}

function wrapLine({ text, style = asItIs }: WrappedLine, room: number): string[] {
	return wrapTextWithAnsi(text, room).map(style);
}

function cutLine({ parts, tail }: CutLine, room: number): string {
	if (tail === undefined) return cutParts(parts, room);
	const leastRoom = Math.min(LEAST_COLUMNS, widthOf(parts), room);
	const head = cutParts(parts, Math.max(leastRoom, room - visibleWidth(tail.text)));
	return head + cutParts([tail], room - visibleWidth(head));
}

function cutParts(parts: readonly StyledText[], room: number): string {
	let left = room;
	let line = "";
	for (const { text, style = asItIs } of parts) {
		const cut = cutText(text, left);
		line += style(cut);
		left -= visibleWidth(cut);
		if (cut !== text) break;
	}
	return line;
}

/**
 * The text cut to `room` columns, with an ellipsis where something is missing. pi resets all styles around its ellipsis,
 * which would end the background of the box that the line stands in.
 */
export function cutText(text: string, room: number): string {
	return truncateToWidth(text, room, "…").replaceAll("\u001b[0m", "");
}

function widthOf(parts: readonly StyledText[]): number {
	return parts.reduce((width, { text }) => width + visibleWidth(text), 0);
}

function asItIs(text: string): string {
	return text;
}

/** Code points of an error that the screen shows. */
const ERROR_CODE_POINTS = 400;

/** A failed tool call, by the text that the model got. */
export function errorLines(content: readonly { readonly type: string; readonly text?: string }[], styles: Styles) {
	const text = printableLine(content[0]?.text ?? "", ERROR_CODE_POINTS);
	return new ScreenLines([{ fit: "wrap", text, style: (line) => styles.fg("error", line) }]);
}

/** How long ago something was, in one unit. */
export function formatAge(milliseconds: number): string {
	const seconds = Math.max(0, Math.floor(milliseconds / 1000));
	if (seconds < 60) return `${seconds}s ago`;
	if (seconds < 3600) return `${Math.floor(seconds / 60)}m ago`;
	if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h ago`;
	return `${Math.floor(seconds / 86_400)}d ago`;
}

/** A number of things whose word takes an s. */
export function countOf(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
