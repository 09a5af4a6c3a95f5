/**
 * A log of nothing but messages of one size, for measuring how work grows with their number.
 */

import { LineWriter } from "../support/logs/line-writer.ts";
import { assistantMessage, headFirstEntry, sessionHeader, textBlock, userMessage } from "../support/logs/pi-entries.ts";

const TEXT_BYTES = 1024;
const INSTANT = Date.UTC(2026, 2, 1, 9);

/** Writes so many messages of 1 KB, the person's and the model's in turn. */
export function writePlainLog(file: string, sessionId: string, cwd: string, messages: number): void {
	const writer = new LineWriter(file, "w");
	try {
		writer.line(
			JSON.stringify(sessionHeader({ version: 3, id: sessionId, timestamp: new Date(INSTANT).toISOString(), cwd })),
		);
		for (let index = 0; index < messages; index += 1) writer.line(JSON.stringify(messageEntry(index)));
	} finally {
		writer.close();
	}
}

function messageEntry(index: number) {
	const time = INSTANT + index * 1000;
	const text = `${index} ${'words and "quotes" '.repeat(60)}`.slice(0, TEXT_BYTES);
	const message =
		index % 2 === 0
			? userMessage([textBlock(text)], time)
			: assistantMessage({ content: [textBlock(text)], stopReason: "stop", timestamp: time });
	const parentId = index === 0 ? null : idOf(index - 1);
	return headFirstEntry("message", { id: idOf(index), parentId, timestamp: new Date(time).toISOString() }, { message });
}

function idOf(index: number): string {
	return index.toString(16).padStart(8, "0");
}
