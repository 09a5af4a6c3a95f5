/**
 * Which peer a written target means.
 *
 * Promise: every reading of the text counts, none is preferred. A peer can't take another's place by calling itself
 * what another one's id looks like: that makes the target ambiguous, never wrong.
 */
import type { Registration } from "./registration.ts";

/** What a target is matched against. */
export type Addressable = Pick<Registration, "id" | "instanceId" | "name">;

const wholeInstanceId = /^[0-9a-f]{32}$/i;
const instancePrefix = /^[0-9a-f]{6,31}$/i;
const nameWithRef = /^(.+) \[([0-9a-f]{6,32})\]$/iu;

/** Longest target that is looked at, in UTF-16 units: the longest name, a ref and an `@`. */
const MAX_TARGET_LENGTH = 1024;

/** The instance id that a target can only be, or null when it may be something else. */
export function exactInstanceId(target: string): string | null {
	const text = withoutAt(target.trim());
	return wholeInstanceId.test(text) ? text.toLowerCase() : null;
}

/** Whether a text can be a target at all. */
export function isTarget(target: string): boolean {
	return target.length <= MAX_TARGET_LENGTH && withoutAt(target.trim()) !== "";
}

/** All peers that a target can mean, each once, in the given order. */
export function matchTarget<Peer extends Addressable>(target: string, peers: readonly Peer[]): Peer[] {
	if (!isTarget(target)) return [];
	const instanceId = exactInstanceId(target);
	if (instanceId !== null) return peers.filter((peer) => peer.instanceId === instanceId);
	const text = target.trim();
	const readings = new Set([text, withoutAt(text)]);
	return peers.filter((peer) => [...readings].some((reading) => means(reading, peer)));
}

function means(text: string, peer: Addressable): boolean {
	if (text === peer.name || text === peer.id) return true;
	if (instancePrefix.test(text)) return peer.instanceId.startsWith(text.toLowerCase());
	const [, name, ref] = nameWithRef.exec(text) ?? [];
	return name === peer.name && ref !== undefined && peer.instanceId.startsWith(ref.toLowerCase());
}

function withoutAt(text: string): string {
	return text.startsWith("@") ? text.slice(1).trim() : text;
}
