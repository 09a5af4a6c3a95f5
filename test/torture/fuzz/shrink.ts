/**
 * Makes a finding small: takes away whatever can go while it stays a finding.
 */

/** Bounds of the search: a small file is a kindness, not a need. */
const MAX_LOOKS = 2000;
const MAX_MS = 3000;

/** A part of `bytes` that is still a finding; at worst all of it. */
export async function shrink(bytes: Buffer, isFinding: (part: Buffer) => Promise<boolean>): Promise<Buffer> {
	const until = performance.now() + MAX_MS;
	let smallest = bytes;
	let looks = 0;
	for (let size = Math.ceil(bytes.length / 2); size >= 1; size = size > 1 ? Math.ceil(size / 2) : 0) {
		for (let start = 0; start < smallest.length; ) {
			if (looks >= MAX_LOOKS || performance.now() >= until) return smallest;
			looks += 1;
			const part = Buffer.concat([smallest.subarray(0, start), smallest.subarray(start + size)]);
			if (await isFinding(part)) smallest = part;
			else start += size;
		}
	}
	return smallest;
}
