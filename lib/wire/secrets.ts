/**
 * Comparing secrets without telling by the time it takes how much of them was right.
 */
import { timingSafeEqual } from "node:crypto";

/** Whether two secrets are equal, in a time that tells nothing but their lengths, which everybody knows. */
export function isSameSecret(left: string, right: string): boolean {
	const leftBytes = Buffer.from(left);
	const rightBytes = Buffer.from(right);
	return leftBytes.length === rightBytes.length && timingSafeEqual(leftBytes, rightBytes);
}
