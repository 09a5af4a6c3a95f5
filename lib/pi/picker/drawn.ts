/**
 * Lines that are made anew whenever they are drawn: nothing is kept, so a change of the theme or the width needs no word.
 */
import type { Component } from "@earendil-works/pi-tui";
import { type ScreenLine, ScreenLines } from "../foreign-text.ts";

export class Drawn implements Component {
	readonly #lines: (width: number) => readonly ScreenLine[];

	constructor(lines: (width: number) => readonly ScreenLine[]) {
		this.#lines = lines;
	}

	render(width: number): string[] {
		return new ScreenLines(this.#lines(width)).render(width);
	}

	invalidate(): void {
		// Nothing is kept.
	}
}
