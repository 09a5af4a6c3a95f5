/**
 * One session looked at: the bounded context with its activity, as a model would get it, read again while it is open.
 *
 * It comes from the same reader as the tool's, with the same authorization; what that refuses is refused here too. Why,
 * the reader never tells; what can be told from the list is told.
 */
import type { Component } from "@earendil-works/pi-tui";
import { PeerContextError } from "../../contract/errors.ts";
import type { PeerContext } from "../../contract/peer-context.ts";
import { EMPTY_LINE, type ScreenLine, ScreenLines } from "../foreign-text.ts";
import { peerContextLines } from "../peer-context-view.ts";
import type { PickerPorts, PickerScreen } from "./picker-ports.ts";
import { Refreshing } from "./refreshing.ts";
import { type Room, roomOf } from "./room.ts";
import { rowLines } from "./row-text.ts";
import type { PickerRow } from "./rows.ts";

/** How long after a look the next one is made, in ms. */
const LOOK_EVERY_MS = 2000;

export interface LookViewOptions {
	readonly screen: PickerScreen;
	readonly ports: Pick<PickerPorts, "look" | "clock" | "fence">;
	/** The session as the newest listing has it. */
	readonly row: () => PickerRow;
}

export class LookView implements Component {
	readonly #options: LookViewOptions;
	readonly #refreshing: Refreshing;
	#context: PeerContext | null = null;
	#error: PeerContextError | null = null;
	/** Lines above the first one that is shown. */
	#offset = 0;

	constructor(options: LookViewOptions) {
		this.#options = options;
		const { clock, fence } = options.ports;
		this.#refreshing = new Refreshing({ work: (signal) => this.#look(signal), every: LOOK_EVERY_MS, clock, fence });
	}

	get row(): PickerRow {
		return this.#options.row();
	}

	dispose(): void {
		this.#refreshing.stop();
	}

	handleInput(data: string): void {
		const { keys } = this.#options.screen;
		const { textLines } = this.#room;
		const step = (
			[
				["tui.select.up", -1],
				["tui.select.down", 1],
				["tui.select.pageUp", 1 - textLines],
				["tui.select.pageDown", textLines - 1],
			] as const
		).find(([key]) => keys.matches(data, key));
		if (step) this.#offset += step[1];
	}

	render(width: number): string[] {
		const { styles } = this.#options.screen;
		const { isAmple, textLines: height } = this.#room;
		const { heading, body } = this.#lines();
		const text = new ScreenLines(body).render(width);
		this.#offset = Math.max(0, Math.min(this.#offset, text.length - height));
		const shown = text.slice(this.#offset, this.#offset + height);
		const place = `lines ${this.#offset + 1}–${this.#offset + shown.length} of ${text.length}`;
		const dim = (part: string) => styles.fg("dim", part);
		const gap = isAmple ? [EMPTY_LINE] : [];
		const below: ScreenLine[] =
			text.length <= height ? [] : [...gap, { fit: "cut", parts: [{ text: place, style: dim }] }];
		const above = isAmple ? heading : heading.slice(0, 1);
		return [...new ScreenLines(above).render(width), ...shown, ...new ScreenLines(below).render(width)];
	}

	invalidate(): void {
		// Nothing is kept.
	}

	get #room(): Room {
		return roomOf(this.#options.screen.rows());
	}

	async #look(signal: AbortSignal): Promise<void> {
		const { ports, screen } = this.#options;
		try {
			const context = await ports.look(this.row.sessionId, signal);
			if (signal.aborted) return;
			this.#context = context;
			this.#error = null;
		} catch (error) {
			if (signal.aborted) return;
			this.#error = error instanceof PeerContextError ? error : new PeerContextError("unavailable");
			// What may not be read any more is not shown any more either.
			if (this.#error.code === "unauthorized") this.#context = null;
		}
		screen.requestRender();
	}

	/** The summary of the context stands in for the row's title, since it begins with it. */
	#lines(): { heading: readonly ScreenLine[]; body: readonly ScreenLine[] } {
		const { ports, screen } = this.#options;
		const { styles } = screen;
		const [title, ...facts] = rowLines(this.row, styles);
		const context = this.#context === null ? [] : peerContextLines(this.#context, true, styles, ports.clock.now());
		const [summary = title, ...messages] = context;
		const heading = [...(summary === undefined ? [] : [summary]), ...facts];
		if (this.#error !== null) {
			const problem = wrapped(this.#errorText(this.#error), (text) => styles.fg("error", text));
			return { heading, body: [EMPTY_LINE, problem, ...messages] };
		}
		const looking = wrapped("Looking…", (text) => styles.fg("muted", text));
		return { heading, body: this.#context === null ? [EMPTY_LINE, looking] : messages };
	}

	#errorText({ code }: PeerContextError): string {
		if (code !== "unauthorized") return "It can't be read now. Trying again.";
		const { isPrivate, elsewhere, mention } = this.row;
		if (isPrivate) return "This session is private: nobody reads it.";
		if (elsewhere !== null) return "This session works in another directory; only those of this one can be looked at.";
		if (mention === null) return "Nothing of this session can be read: nothing is stored yet, or it is private.";
		return "This session can't be read any more: it was deleted, or it is private now.";
	}
}

function wrapped(text: string, style: (text: string) => string): ScreenLine {
	return { fit: "wrap", text, style };
}
