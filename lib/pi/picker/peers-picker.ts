/**
 * The picker: the list or one session looked at, between two borders, with the keys that can be used below.
 *
 * It owns what keeps it up to date: `dispose()` ends that, however the picker is closed, and the end of the incarnation
 * closes it. Nothing that another session wrote reaches the screen but as printable text in a place that was measured
 * for it.
 */
import { Box, type Component, Container, type Focusable, type KeyId, matchesKey } from "@earendil-works/pi-tui";
import { EMPTY_LINE, type ScreenLine } from "../foreign-text.ts";
import { Drawn } from "./drawn.ts";
import { type Hint, hintLines, nameOfKey } from "./hints.ts";
import { ListView } from "./list-view.ts";
import { LookView } from "./look-view.ts";
import type { PickerPorts, PickerScreen } from "./picker-ports.ts";
import { Refreshing } from "./refreshing.ts";
import { roomOf } from "./room.ts";
import { RowChoice } from "./row-choice.ts";
import type { PickerRow } from "./rows.ts";

/** How long after a listing the next one is made, in ms. */
const LIST_EVERY_MS = 2000;

const MESSAGE_KEY: KeyId = "ctrl+s";
const COPY_KEY: KeyId = "ctrl+x";

interface Notice {
	readonly text: string;
	readonly colour: "success" | "warning";
}

export class PeersPicker extends Container implements Focusable {
	/** On pi's full screen the page keys would scroll the transcript. */
	readonly capturesViewportInput = true;
	readonly #ports: PickerPorts;
	readonly #screen: PickerScreen;
	readonly #choice = new RowChoice();
	readonly #list: ListView;
	readonly #body = new Box(1, 0);
	readonly #refreshing: Refreshing;
	readonly #close = () => this.#ports.close(null);
	#look: LookView | null = null;
	#notice: Notice | null = null;
	#isFocused = false;

	constructor(ports: PickerPorts, screen: PickerScreen) {
		super();
		this.#ports = ports;
		this.#screen = screen;
		const { clock, fence } = ports;
		this.#list = new ListView({
			screen,
			choice: this.#choice,
			now: () => clock.now(),
			onConfirm: (row) => this.#lookAt(row),
		});
		const border: Component = {
			render: (width) => [screen.styles.fg("border", "─".repeat(Math.max(1, width)))],
			invalidate() {},
		};
		this.addChild(border);
		this.addChild(this.#body);
		this.addChild(border);
		this.#show(this.#list);
		this.#refreshing = new Refreshing({ work: (signal) => this.#refresh(signal), every: LIST_EVERY_MS, clock, fence });
		fence.addEventListener("abort", this.#close, { once: true });
	}

	get focused(): boolean {
		return this.#isFocused;
	}

	set focused(focused: boolean) {
		this.#isFocused = focused;
		this.#list.focused = focused;
	}

	handleInput(data: string): void {
		this.#notice = null;
		if (!this.#act(data)) (this.#look ?? this.#list).handleInput(data);
		this.#screen.requestRender();
	}

	/** Releases timers, listeners and reads. Repeated calls do nothing. */
	dispose(): void {
		this.#ports.fence.removeEventListener("abort", this.#close);
		this.#refreshing.stop();
		this.#look?.dispose();
	}

	/** The keys that mean the same in both views. */
	#act(data: string): boolean {
		const { keys } = this.#screen;
		const row = this.#look?.row ?? this.#choice.chosen;
		if (keys.matches(data, "tui.select.cancel")) this.#leave();
		else if (keys.matches(data, "tui.input.tab")) this.#cite(row);
		else if (matchesKey(data, MESSAGE_KEY)) this.#write(row);
		else if (matchesKey(data, COPY_KEY)) void this.#copy(row);
		else return false;
		return true;
	}

	#leave(): void {
		if (this.#look === null) {
			this.#close();
			return;
		}
		this.#look.dispose();
		this.#look = null;
		this.#show(this.#list);
	}

	#lookAt(row: PickerRow): void {
		const latest = () => this.#choice.latest(row);
		this.#look = new LookView({ screen: this.#screen, ports: this.#ports, row: latest });
		this.#show(this.#look);
	}

	#cite(row: PickerRow | null): void {
		if (row === null) return;
		if (row.mention !== null) this.#ports.close(row.mention);
		else
			this.#say(
				row.isPrivate
					? "A private session can't be cited."
					: "It can't be cited: nothing of it is stored yet, or it is private.",
			);
	}

	#write(row: PickerRow | null): void {
		if (row === null) return;
		if (row.recipient === null) this.#say("Only a live session can get a message.");
		else if (row.refusesMessages) this.#say("It takes no messages now.");
		else this.#ports.close(`Tell ${row.recipient}:`);
	}

	async #copy(row: PickerRow | null): Promise<void> {
		if (row === null) return;
		try {
			await this.#ports.copy(row.sessionId);
			this.#say(`Sent to the clipboard: ${row.shownId}`, "success");
		} catch {
			this.#say(`There is no clipboard here. The id: ${row.shownId}`);
		}
		this.#screen.requestRender();
	}

	#say(text: string, colour: Notice["colour"] = "warning"): void {
		this.#notice = { text, colour };
	}

	async #refresh(signal: AbortSignal): Promise<void> {
		try {
			const rows = await this.#ports.list(signal);
			if (signal.aborted) return;
			this.#choice.update(rows);
			this.#list.state = "listed";
		} catch {
			if (signal.aborted) return;
			this.#list.state = "failed";
		}
		this.#screen.requestRender();
	}

	#show(view: Component): void {
		this.#body.clear();
		this.#body.addChild(view);
		this.#body.addChild(new Drawn((width) => this.#below(width)));
	}

	#below(width: number): readonly ScreenLine[] {
		const { styles, rows } = this.#screen;
		const notice = this.#notice;
		const gap = roomOf(rows()).isAmple ? [EMPTY_LINE] : [];
		const said: ScreenLine[] =
			notice === null
				? []
				: [...gap, { fit: "wrap", text: notice.text, style: (text) => styles.fg(notice.colour, text) }];
		return [...said, ...gap, ...hintLines(this.#hints(), width, styles)];
	}

	#hints(): Hint[] {
		const { keys } = this.#screen;
		const key = (name: Parameters<typeof keys.getKeys>[0]) => nameOfKey(keys.getKeys(name));
		const move = `${key("tui.select.up")}${key("tui.select.down")}`;
		const isLook = this.#look !== null;
		return [
			...(isLook ? [{ key: move, does: "scroll" }] : [{ key: key("tui.select.confirm"), does: "look" }]),
			{ key: key("tui.input.tab"), does: "cite" },
			{ key: MESSAGE_KEY, does: "message" },
			{ key: COPY_KEY, does: "copy id" },
			{ key: key("tui.select.cancel"), does: isLook ? "back" : "close" },
		];
	}
}
