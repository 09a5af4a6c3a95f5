/**
 * The fenced blocks of the texts, and the comparison of a picture in them with what a screen or a program really shows.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { project } from "./installed-contract.ts";

export interface FencedBlock {
	/** What stands behind the opening fence: a language and perhaps a file; empty for a picture. */
	readonly info: string;
	readonly text: string;
}

export const readText = (file: string): string => readFileSync(path.join(project, file), "utf8");

/** All of them, in their order. */
export function fencedBlocks(file: string): readonly FencedBlock[] {
	const found = readText(file).matchAll(/^```(.*)\n([\s\S]*?)^```$/gm);
	return [...found].map(([, info = "", text = ""]) => ({ info, text }));
}

/** The texts of the blocks with this info. */
export const blocksOf = (file: string, info: string): readonly string[] =>
	fencedBlocks(file).flatMap((block) => (block.info === info ? [block.text] : []));

/** The one picture of a text that holds the phrase. */
export function pictureWith(file: string, phrase: string): string {
	const [picture, ...more] = blocksOf(file, "").filter((text) => text.includes(phrase));
	if (picture === undefined || more.length > 0) throw new Error(`${file} has not one picture with ${phrase}.`);
	return picture;
}

/** What differs from run to run, each as one word. */
const varying: readonly (readonly [RegExp, string])[] = [
	[/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID"],
	[/dsh-session:[\w-]+/g, "dsh-session:ID"],
	[/(?<=\bincarnation |\[)[0-9a-f]{8}/g, "REF"],
	[/\d+s ago/g, "0s ago"],
	[/(?<=· )\/\S*/g, "/…"],
];

/** Lines as they are compared: no empty ones, no blanks at their ends, and nothing that differs from run to run. */
function comparable(lines: readonly string[]): readonly string[] {
	const settled = lines.map((line) => varying.reduce((text, [from, to]) => text.replace(from, to), line.trimEnd()));
	return settled.filter((line) => line !== "");
}

/** Expects all of the picture in what is shown, in order; at a line of `…` the picture leaves something out. */
export function expectPicture(shown: readonly string[], picture: string | undefined): void {
	let rest = comparable(shown);
	for (const part of (picture ?? "no picture").split(/^…\n/m)) {
		const lines = comparable(part.split("\n"));
		const start = rest.findIndex((_line, index) => lines.every((line, offset) => rest[index + offset] === line));
		// Shows both sides when it is not there.
		if (start === -1) expect(rest).toEqual(lines);
		rest = rest.slice(start + lines.length);
	}
}
