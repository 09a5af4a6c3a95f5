/**
 * The text blocks of an entry's content: the only part of a message that ever leaves the log.
 */
import { asRecord } from "./json-object.ts";
import type { ElidedText, FindElided } from "./line-filter.ts";

/**
 * The texts of a content value: a string, or the text blocks of an array; whatever else is there is passed over.
 * @param skills show a stored skill expansion as what was typed
 */
export function textBlocks(content: unknown, find: FindElided, skills: boolean): (string | ElidedText)[] {
	const texts = Array.isArray(content) ? content.map((block) => blockText(block, find)) : [textOf(content, find)];
	const blocks = texts.filter((text) => text !== null);
	const first = blocks[0];
	if (!skills || first === undefined) return blocks;
	const start = typeof first === "string" ? first : first.head;
	return start.startsWith("<skill ") ? [typedSkill(first), ...blocks.slice(1)] : blocks;
}

function blockText(block: unknown, find: FindElided): string | ElidedText | null {
	const { type, text } = asRecord(block) ?? {};
	return type === "text" ? textOf(text, find) : null;
}

function textOf(value: unknown, find: FindElided): string | ElidedText | null {
	if (typeof value === "string") return value.toWellFormed();
	return find(value) ?? null;
}

/**
 * What pi stores for a typed `/skill:name arguments`. The SDK's parseSkillBlock reads the same; a test holds the two
 * together. Loading the whole SDK for it would cost a first read more than the read itself.
 */
const SKILL_BLOCK = /^<skill name="([^"]+)" location="[^"]+">\n[\s\S]*?\n<\/skill>(?:\n\n([\s\S]+))?$/;

/** A stored `<skill …>` expansion as the command that was typed; any other text as it is. */
function typedSkill(text: string | ElidedText): string | ElidedText {
	const skill = SKILL_BLOCK.exec(typeof text === "string" ? text : shortened(text));
	if (!skill) return text;
	const [, name, typed = ""] = skill;
	return `/skill:${name} ${typed.trim()}`.trimEnd();
}

/** What was typed stands in a skill's first line and at its end; what the skill says in between doesn't matter. */
function shortened({ head, tail }: ElidedText): string {
	return head.slice(0, head.indexOf("\n") + 1) + tail;
}
