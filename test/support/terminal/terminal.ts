/**
 * A real terminal without a window: a program on a pseudo-terminal, and an emulator that shows what it drew.
 *
 * The test owns it: `stop()` ends the program.
 */
import process from "node:process";
import { type IPty, spawn } from "@lydell/node-pty";
import xterm, { type IBufferCell } from "@xterm/headless";

/** The terminal mode between whose beginning and end a program draws one frame. */
const SYNCHRONIZED_OUTPUT = 2026;

/** How long a condition on the screen may take to come true, in ms: a bound for what is broken, not a wait. */
const PATIENCE_MS = 25_000;

export interface TerminalOptions {
	readonly command: string;
	readonly arguments: readonly string[];
	readonly cwd: string;
	/** Added to the test's own environment. */
	readonly environment?: Readonly<Record<string, string>>;
	/** Default: 80. */
	readonly columns?: number;
	/** Default: 50. */
	readonly rows?: number;
}

/** One place of the screen. */
export interface Cell {
	/** The character with its combining marks; empty for a place that nothing was drawn on, and behind a wide one. */
	readonly text: string;
	/** Colour behind it, in the emulator's own numbers; -1 for the terminal's. */
	readonly background: number;
}

export class Terminal {
	readonly columns: number;
	readonly rows: number;
	/** Titles that the program gave the window, oldest first. */
	readonly titles: string[] = [];
	/** How often the bell rang. */
	bells = 0;
	/** What the program wrote to the clipboard, as it was sent. */
	readonly clipboard: string[] = [];
	readonly #pty: IPty;
	readonly #emulator: InstanceType<typeof xterm.Terminal>;
	readonly #watchers = new Set<() => void>();
	readonly #exited: Promise<void>;
	/** What the program wrote and the emulator has not drawn yet. */
	#output = "";
	#isDrawing = false;
	/** Whether the program is in the middle of a frame that it wants to be seen whole. */
	#inFrame = false;
	#hasExited = false;

	constructor(options: TerminalOptions) {
		const { columns = 80, rows = 50 } = options;
		this.columns = columns;
		this.rows = rows;
		this.#emulator = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 5000 });
		this.#emulator.onTitleChange((title) => this.titles.push(title));
		this.#emulator.onBell(() => {
			this.bells += 1;
		});
		this.#emulator.parser.registerOscHandler(52, (data) => this.clipboard.push(data) > 0);
		this.#pty = spawn(options.command, [...options.arguments], {
			name: "xterm-256color",
			cols: columns,
			rows,
			cwd: options.cwd,
			env: { ...process.env, ...options.environment },
		});
		this.#pty.onData((data) => {
			this.#output += data;
			this.#draw();
		});
		for (const [final, begins] of [
			["h", true],
			["l", false],
		] as const) {
			this.#emulator.parser.registerCsiHandler({ prefix: "?", final }, ([mode]) => {
				if (mode === SYNCHRONIZED_OUTPUT) this.#inFrame = begins;
				return false;
			});
		}
		// Programs ask a terminal who it is and where its cursor stands; without an answer they wait.
		this.#emulator.onData((answer) => this.#write(answer));
		this.#exited = new Promise((resolve) => {
			this.#pty.onExit(() => {
				this.#hasExited = true;
				resolve();
				this.#look();
			});
		});
	}

	/** Presses keys, given as the bytes that they send. */
	press(keys: string): void {
		this.#write(keys);
	}

	/** Types a text and waits until it can be seen. */
	async type(text: string): Promise<void> {
		this.press(text);
		await this.waitFor((screen) => screen.some((line) => line.includes(text)), `"${text}" to be typed`);
	}

	/**
	 * Resolves with the screen when the condition holds, now or after any later frame. What the test then reads before it
	 * awaits anything else is that same frame.
	 * @param what named in the error when it does not come true, or when the program ends before
	 */
	waitFor(condition: (screen: string[]) => boolean, what: string): Promise<string[]> {
		const { promise, resolve, reject } = Promise.withResolvers<string[]>();
		const look = () => {
			const screen = this.screen();
			if (condition(screen)) resolve(screen);
			else if (this.#hasExited) reject(this.#failure(`The program ended while waiting for ${what}.`));
		};
		const timer = setTimeout(() => reject(this.#failure(`Waited in vain for ${what}.`)), PATIENCE_MS);
		this.#watchers.add(look);
		look();
		return promise.finally(() => {
			clearTimeout(timer);
			this.#watchers.delete(look);
		});
	}

	/** Waits until a text can be seen. */
	waitForText(text: string): Promise<string[]> {
		return this.waitFor((screen) => screen.some((line) => line.includes(text)), `"${text}"`);
	}

	/** The visible lines, without the blanks at their ends. */
	screen(): string[] {
		const buffer = this.#emulator.buffer.active;
		return Array.from({ length: this.rows }, (_, row) => {
			return (
				buffer
					.getLine(buffer.viewportY + row)
					?.translateToString(true)
					.trimEnd() ?? ""
			);
		});
	}

	/** The places of a visible line, from the left. */
	cells(row: number): Cell[] {
		const buffer = this.#emulator.buffer.active;
		const line = buffer.getLine(buffer.viewportY + row);
		return Array.from({ length: this.columns }, (_, column) => toCell(line?.getCell(column)));
	}

	/** Ends the program, and waits for its end. */
	async stop(): Promise<void> {
		if (!this.#hasExited) this.#pty.kill();
		await this.#exited;
		this.#emulator.dispose();
	}

	#write(data: string): void {
		if (!this.#hasExited) this.#pty.write(data);
	}

	/** Draws what is there, then lets whoever waited for it look before anything else is drawn. */
	#draw(): void {
		if (this.#isDrawing || this.#output === "") return;
		this.#isDrawing = true;
		const output = this.#output;
		this.#output = "";
		this.#emulator.write(output, () => {
			if (!this.#inFrame) this.#look();
			setImmediate(() => {
				this.#isDrawing = false;
				this.#draw();
			});
		});
	}

	#look(): void {
		for (const look of [...this.#watchers]) look();
	}

	#failure(message: string): Error {
		return new Error(`${message} The screen:\n${this.screen().join("\n").trimEnd()}`);
	}
}

function toCell(cell: IBufferCell | undefined): Cell {
	if (!cell) return { text: "", background: -1 };
	return { text: cell.getChars(), background: cell.isBgDefault() ? -1 : cell.getBgColor() };
}
