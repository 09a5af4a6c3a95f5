/**
 * How pi begins the line of a message, compared byte by byte: nearly every line of a log begins so.
 *
 * It says no to everything else, also to what is the same in other letters; line-structure.ts reads that.
 */
import { LineKind } from "./line-facts.ts";

/** What is open in the head below. Control characters, which no line has. */
const HEX = 1;
const DIGIT = 2;
const ID = String.fromCharCode(HEX).repeat(8);
const TIME = "dddd-dd-ddTdd:dd:dd.dddZ".replaceAll("d", String.fromCharCode(DIGIT));

const BEFORE_ID = '{"type":"message","id":"';
const BEFORE_PARENT = `${BEFORE_ID}${ID}","parentId":"`;
const HEAD = latin1(`${BEFORE_PARENT}${ID}","timestamp":"${TIME}","message":{"role":"`);

/** A role with what stands between it and the content that the index looks at. */
export interface UsualRole {
	readonly rest: Uint8Array;
	readonly kind: LineKind;
	readonly hasTexts: boolean;
}

/** The commonest first. */
const usualRoles: readonly UsualRole[] = [
	{ rest: latin1('assistant","content":'), kind: LineKind.assistant, hasTexts: true },
	{ rest: latin1('toolResult"'), kind: LineKind.toolResult, hasTexts: false },
	{ rest: latin1('user","content":'), kind: LineKind.user, hasTexts: true },
];

const NO_DIGIT = -1;
const hexDigits = new Int8Array(256).fill(NO_DIGIT);
for (const [value, digit] of [..."0123456789abcdef"].entries()) hexDigits[digit.charCodeAt(0)] = value;

/** The role of a message whose line begins at `start` as pi's do but for the digits of its ids; else undefined. */
export function usualRoleAt(bytes: Uint8Array, start: number): UsualRole | undefined {
	if (!fitsHead(bytes, start)) return undefined;
	for (const role of usualRoles) if (standsAt(bytes, start + HEAD.length, role.rest)) return role;
	return undefined;
}

/** The message's id as a number; -1 when it isn't one of 8 small hex digits. */
export function usualIdAt(bytes: Uint8Array, start: number): number {
	return hexNumberAt(bytes, start + BEFORE_ID.length);
}

/** The same of its parent. */
export function usualParentAt(bytes: Uint8Array, start: number): number {
	return hexNumberAt(bytes, start + BEFORE_PARENT.length);
}

/** Where the content of a message with this role begins. */
export function usualContentAt(start: number, role: UsualRole): number {
	return start + HEAD.length + role.rest.length;
}

/** Whether these bytes stand at `at`. */
export function standsAt(bytes: Uint8Array, at: number, expected: Uint8Array): boolean {
	for (let index = 0; index < expected.length; index++) if (bytes[at + index] !== expected[index]) return false;
	return true;
}

export function latin1(text: string): Uint8Array {
	return Buffer.from(text, "latin1");
}

function fitsHead(bytes: Uint8Array, start: number): boolean {
	for (let index = 0; index < HEAD.length; index++) {
		const expected = HEAD[index];
		const byte = bytes[start + index];
		if (byte === expected || expected === HEX) continue;
		if (expected !== DIGIT || byte === undefined || byte < 48 || byte > 57) return false;
	}
	return true;
}

function hexNumberAt(bytes: Uint8Array, at: number): number {
	let value = 0;
	for (let index = at; index < at + ID.length; index++) {
		const digit = hexDigits[bytes[index] ?? 0] ?? NO_DIGIT;
		if (digit < 0) return NO_DIGIT;
		value = value * 16 + digit;
	}
	return value;
}
