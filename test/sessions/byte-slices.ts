/**
 * fast-check arbitraries for bytes that come in slices: cuts may fall anywhere, inside characters and escapes too.
 */
import fc from "fast-check";

/** Where to cut: fractions of the length, so that they fit any bytes. */
export const cuts: fc.Arbitrary<number[]> = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });

/** The bytes in order, cut at the given fractions; each slice is a buffer of its own. */
export function sliceAt(bytes: Buffer, fractions: readonly number[]): Buffer[] {
	const places = [...fractions.map((fraction) => Math.floor(fraction * bytes.length)), bytes.length];
	places.sort((a, b) => a - b);
	let start = 0;
	return places.map((place) => {
		const slice = Buffer.from(bytes.subarray(start, place));
		start = place;
		return slice;
	});
}
