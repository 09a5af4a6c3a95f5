/** Comparing secrets without telling by the time it takes how much of them was right. */
import { createHash, timingSafeEqual } from "node:crypto";

/** Whether two secrets are equal, in a time that depends on neither's content. */
export function isSameSecret(left: string, right: string): boolean {
	return timingSafeEqual(digest(left), digest(right));
}

/** Equal lengths for the comparison, whatever the lengths of the secrets. */
function digest(secret: string): Buffer {
	return createHash("sha256").update(secret).digest();
}
