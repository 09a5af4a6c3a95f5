/**
 * What can be done now, and with which key: always to be seen, on as many lines as the width asks for.
 */
import { type KeyId, visibleWidth } from "@earendil-works/pi-tui";
import type { CutLine, StyledText } from "../foreign-text.ts";
import type { Styles } from "../styles.ts";

export interface Hint {
	/** The first of the keys that do it. */
	readonly key: string;
	readonly does: string;
}

const GAP = "   ";

const shortNames: Readonly<Record<string, string>> = { escape: "esc", return: "enter", up: "↑", down: "↓" };

/** A key's name as hints have it; what has no key has a dash. */
export function nameOfKey(keys: readonly KeyId[]): string {
	const [key = "-"] = keys;
	return shortNames[key] ?? key;
}

/** The hints, none of them broken over two lines. */
export function hintLines(hints: readonly Hint[], width: number, styles: Styles): CutLine[] {
	const lines: StyledText[][] = [];
	let room = 0;
	for (const { key, does } of hints) {
		const columns = visibleWidth(`${key} ${does}`);
		const line = lines.at(-1);
		const hint = [
			{ text: key, style: (text: string) => styles.fg("dim", text) },
			{ text: ` ${does}`, style: (text: string) => styles.fg("muted", text) },
		];
		if (line !== undefined && columns + GAP.length <= room) {
			line.push({ text: GAP }, ...hint);
			room -= columns + GAP.length;
		} else {
			lines.push(hint);
			room = width - columns;
		}
	}
	return lines.map((parts) => ({ fit: "cut", parts }));
}
