/**
 * What the texts are held against: the sources as text, the commands that they register, and the tables of a text.
 */
import { globSync } from "node:fs";
import { readText } from "./fenced-blocks.ts";
import { project } from "./installed-contract.ts";

/** All of the product's sources, one after the other. */
export const sources = ["extension.ts", ...globSync("lib/**/*.ts", { cwd: project })].map(readText).join("\n");

/** Names under which this package registers commands, by the constant or the text that stands there. */
export function ownCommands(): readonly string[] {
	const constants = new Map(
		[...sources.matchAll(/const (\w+) = "([a-z-]+)"/g)].map(([, name, value]) => [name, value]),
	);
	constants.set("INBOUND_COMMAND", constants.get("INBOUND_FLAG"));
	return [...sources.matchAll(/registerCommand\(("([a-z-]+)"|\w+)/g)].map(([, name, text]) => {
		const command = text ?? constants.get(name);
		if (command === undefined) throw new Error(`The command ${name} has no name here.`);
		return command;
	});
}

/** The rows of the table under a heading, cell by cell, without the row of names. */
export function tableUnder(file: string, heading: string): readonly (readonly string[])[] {
	const [, part = ""] = readText(file).split(new RegExp(`^## ${heading}$`, "m"));
	const [own = ""] = part.split(/^## /m);
	const rows = own.split("\n").filter((line) => line.startsWith("| "));
	return rows.slice(2).map((row) =>
		row
			.split(/(?<!\\)\|/)
			.slice(1, -1)
			.map((cell) => cell.trim()),
	);
}
